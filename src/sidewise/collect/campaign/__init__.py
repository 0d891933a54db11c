"""A campaign is a file: what is asked, of whom, about what, until when; checked before anything starts."""

from sidewise.collect.campaign.campaign import Campaign
from sidewise.collect.campaign.check import Checked
from sidewise.collect.campaign.demo import demo_campaign
from sidewise.collect.campaign.files import Query
from sidewise.collect.campaign.instructions import instructions_html
from sidewise.collect.campaign.items import Item
from sidewise.collect.campaign.media import is_address, media_type
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
    "Checked",
    "Item",
    "Items",
    "Output",
    "Problem",
    "Query",
    "Sampling",
    "Search",
    "Serving",
    "Stopping",
    "Task",
    "demo_campaign",
    "instructions_html",
    "is_address",
    "media_type",
]
