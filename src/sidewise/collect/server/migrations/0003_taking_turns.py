"""Items and allowed pairs take turns: a random design finds whose turn it is without reading them all."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """After the events."""

    dependencies: ClassVar = [("collect", "0002_events_for_ever")]
    operations: ClassVar = [
        migrations.AddField("item", "turn", models.FloatField(default=0.0)),
        migrations.AddIndex("item", models.Index(fields=["campaign", "group", "turn"], name="item_by_turn")),
        migrations.AddField(
            "allowed", "group", models.CharField(blank=True, default="", max_length=400), preserve_default=False
        ),
        migrations.AddField("allowed", "turn", models.FloatField(default=0.0)),
        migrations.AddField("allowed", "planned", models.BooleanField(default=False)),
        migrations.AddIndex(
            "allowed",
            models.Index(
                fields=["campaign", "group", "turn"], condition=models.Q(("planned", False)), name="allowed_by_turn"
            ),
        ),
    ]
