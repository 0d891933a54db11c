"""The Django application."""

from django.apps import AppConfig


class CollectConfig(AppConfig):
    """Campaigns, their workers and everything these said."""

    name = "sidewise.collect.server"
    label = "collect"
    default_auto_field = "django.db.models.BigAutoField"
