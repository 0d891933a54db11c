"""Allowed pairs know which item their table has on the left."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """After taking turns."""

    dependencies: ClassVar = [("collect", "0003_taking_turns")]
    operations: ClassVar = [migrations.AddField("allowed", "turned", models.BooleanField(default=False))]
