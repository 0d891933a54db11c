"""Items take turns: a random design finds those that were asked about least without reading them all."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """After the events."""

    dependencies: ClassVar = [("collect", "0002_events_for_ever")]
    operations: ClassVar = [
        migrations.AddField("item", "turn", models.FloatField(default=0.0)),
        migrations.AddIndex("item", models.Index(fields=["campaign", "group", "turn"], name="item_by_turn")),
    ]
