"""Events are facts: the database itself refuses to change or delete one."""

from typing import ClassVar

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

POSTGRES = """
CREATE FUNCTION collect_event_is_for_ever() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'an event is never changed'; END $$;
CREATE TRIGGER collect_event_for_ever BEFORE UPDATE OR DELETE ON collect_event
FOR EACH ROW EXECUTE FUNCTION collect_event_is_for_ever();
"""
SQLITE = [
    f"CREATE TRIGGER collect_event_no_{verb} BEFORE {verb} ON collect_event "
    "BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END"
    for verb in ("update", "delete")
]


def protect(apps: object, editor: BaseDatabaseSchemaEditor) -> None:  # noqa: ARG001
    """Make the triggers."""
    for statement in [POSTGRES] if editor.connection.vendor == "postgresql" else SQLITE:
        editor.execute(statement)


def release(apps: object, editor: BaseDatabaseSchemaEditor) -> None:  # noqa: ARG001
    """Drop them."""
    if editor.connection.vendor == "postgresql":
        editor.execute(
            "DROP TRIGGER collect_event_for_ever ON collect_event; DROP FUNCTION collect_event_is_for_ever()"
        )
    else:
        for verb in ("update", "delete"):
            editor.execute(f"DROP TRIGGER collect_event_no_{verb}")


class Migration(migrations.Migration):
    """After the tables."""

    dependencies: ClassVar = [("collect", "0001_initial")]
    operations: ClassVar = [migrations.RunPython(protect, release)]
