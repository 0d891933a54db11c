"""Who answers? Campaigns: what people are asked to compare, and everything about how."""

from sidewise.collect.campaign import Campaign, CampaignError, Item

__all__ = ["Campaign", "CampaignError", "Item"]
