"""Filters of the templates."""

from collections.abc import Iterable

from django import template

from sidewise.collect.server.pages.shown import Choice

register = template.Library()


@register.filter(name="get")
def named(choices: Iterable[Choice], name: str) -> Choice | None:
    """The choice of a name."""
    return next((choice for choice in choices if choice.name == name), None)
