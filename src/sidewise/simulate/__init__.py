"""What if? Items, crowds, spammers and answers that never existed, with a truth that is known."""

from sidewise.simulate.crowd import Simulation, crowd
from sidewise.simulate.kinds import (
    KINDS,
    AlwaysLeft,
    AlwaysRight,
    Colluding,
    Contrary,
    CrowdBT,
    FactorBiased,
    FactorBT,
    Honest,
    Kind,
    OneSided,
    Random,
    Seen,
    Sensitive,
    Sleepy,
)
from sidewise.simulate.spammers import SPAMMER_KINDS, add_spammers, draw_sides
from sidewise.simulate.systems import two_systems

__all__ = [
    "KINDS",
    "SPAMMER_KINDS",
    "AlwaysLeft",
    "AlwaysRight",
    "Colluding",
    "Contrary",
    "CrowdBT",
    "FactorBT",
    "FactorBiased",
    "Honest",
    "Kind",
    "OneSided",
    "Random",
    "Seen",
    "Sensitive",
    "Simulation",
    "Sleepy",
    "add_spammers",
    "crowd",
    "draw_sides",
    "two_systems",
]
