"""A campaign is a file: what is asked, of whom, about what, until when; checked before anything starts."""

from sidewise.collect.campaign.campaign import Campaign
from sidewise.collect.campaign.items import Item
from sidewise.collect.campaign.problems import CampaignError, Problem
from sidewise.collect.campaign.tables import (
    Access,
    Answers,
    Budget,
    Items,
    Output,
    Sampling,
    Search,
    Serving,
    Stopping,
    Task,
)

__all__ = [
    "Access",
    "Answers",
    "Budget",
    "Campaign",
    "CampaignError",
    "Item",
    "Items",
    "Output",
    "Problem",
    "Sampling",
    "Search",
    "Serving",
    "Stopping",
    "Task",
]
