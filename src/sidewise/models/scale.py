"""What fixes the scale of sensitivities, since every a·d stays as it is when all scores double and all a halve.

The rule: Σ w a² / Σ w |a| = 1 over the workers, where w is how much of a worker's sensitivity their answers determine.
Those who answer at random hardly count in it, so a worker who answers like the others has a sensitivity of about 1 in
any company; nor do those with three answers, who have the sensitivity that their prior gives them.
"""

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.models.crowd_problem import CrowdProblem
from sidewise.models.reduced import CrowdInformation

HAIR = 1e-9  # what answers always tell of a sensitivity, so that there is something to divide by


def told(problem: CrowdProblem, point: Floats, information: CrowdInformation) -> tuple[Floats, Floats]:
    """What the answers tell of every sensitivity: the information in them, and its share of all that is known of it."""
    variance = information.reduced.blocks.inverse[0, 0]
    own = problem.worker_priors[0].curvature(problem.parts(point).theta[0])
    answered = problem.answers.answered > 0
    return np.maximum(1 / variance - own, HAIR) * answered, np.maximum(1 - own * variance, HAIR) * answered


def size(a: Floats, share: Floats) -> float:
    """Σ w a² / Σ w |a|."""
    return float((share * a) @ a / (share @ np.abs(a)))


def size_slope(a: Floats, share: Floats) -> Floats:
    """How the size moves with every sensitivity, where it is 1: 2 w a − w sign a, up to a factor."""
    return share * (2 * a - np.sign(a))


def without_scale(problem: CrowdProblem, point: Floats, gradient: Floats, information: Floats) -> Floats:
    """The gradient less its part along (s, −a), the direction that leaves every a·d as it is.

    Likelihoods are silent there, and what the priors of scores and workers say is by how many of them there are. It is
    taken from the workers in proportion to what their answers tell of them, who hardly feel it: taken from the priors,
    it would move those with few answers far from where their prior is.
    """
    (s, theta, _), k, n = problem.parts(point), problem.answers.k, problem.n
    a = theta[0]
    free = gradient.copy()
    along = float(gradient[:n] @ s - gradient[n : n + k] @ a) / float(information @ a**2)
    free[n : n + k] += along * information * a
    return free


def on_scale(problem: CrowdProblem, point: Floats, step: Floats, share: Floats) -> Floats:
    """A step that leaves the size of sensitivities at 1: what it would do to it, the scores do instead."""
    (s, theta, _), k, n = problem.parts(point), problem.answers.k, problem.n
    a, slope = theta[0], size_slope(theta[0], share)
    along = float(slope @ step[n : n + k]) / float(slope @ a)
    kept = step.copy()
    kept[:n] += along * s
    kept[n : n + k] -= along * a
    return kept
