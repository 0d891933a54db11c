"""Climbing a crowd's likelihood, which is not concave: Fisher scoring, accelerated, that never steps down."""

from typing import Literal, get_args

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import ModelError
from sidewise.models.crowd import Found
from sidewise.models.crowd_problem import CrowdProblem
from sidewise.models.habits import Pull
from sidewise.models.mixing import memory, mixed
from sidewise.models.newton import Optimum, Slope
from sidewise.models.priors import Normal, VirtualItem
from sidewise.models.reduced import CrowdInformation
from sidewise.models.wanted import check_words
from sidewise.numbers import is_number

PlainTies = Literal["half", "drop"]

LONGEST = 2.0  # log-odds: the longest step of a score or a bias
FOREGONE = 30.0  # log-odds: a bias that runs away goes no further, since nothing changes there any more
NEARLY = 0.9  # a chance goes no further than this towards 0 or 1 in one step
LEAST = 1e-9  # chance, and most below 1: their logarithms must mean something
SHORTEST = 1e-4  # part of a step, before the climb is taken to be over
CALM = 1.0  # log-odds: the acceleration waits for steps that are shorter


def check_mixture(model: str, prior: object, credit: tuple[float, float], ties: str) -> None:
    """See that the options of a mixture are what they may be."""
    check_words(ties=(ties, get_args(PlainTies)))
    if not (isinstance(prior, VirtualItem) or (isinstance(prior, Normal) and prior.sd is not None)):
        raise ModelError(f"{model} takes prior=VirtualItem(strength) or Normal(sd), not {prior!r}")
    is_pair = isinstance(credit, tuple | list) and len(credit) == 2
    if not (is_pair and all(is_number(part) and part >= 0 for part in credit)):
        raise ModelError(f"credit={credit!r} is not a pair of numbers of answers, such as (4, 1)")


def maximum(problem: CrowdProblem, start: Floats, *, tol: float, limit: int) -> Found:
    """The fit of a mixture."""
    optimum = ascend(problem, start, tol=tol, limit=limit)
    return Found(problem, optimum.point, optimum.steps, optimum.gap, optimum.converged)


def ascend(problem: CrowdProblem, start: Floats, *, tol: float, limit: int) -> Optimum:
    """Maximise from a start until no score moves by more than ``tol``.

    Steps solve with Fisher's information, parameter by parameter no longer than is sane, and are halved until the
    objective rises. Where even the shortest does not, biases run away, and steps are careful from then on. Steps shrink
    by a constant factor near the end; Anderson's mixing of the last few makes of forty fifteen, and is taken only where
    the objective agrees.
    """
    point, value = start, problem.objective(start)
    gap, steps, careful = np.inf, 0, False
    past = memory()
    while steps < limit:
        steps += 1
        slope = problem.slope(point)
        step = _step(problem, point, slope, float(np.clip(0.1 * gap, 1e-6, 0.01)), careful=careful)
        gap = float(np.abs(step[: problem.n]).max(initial=0.0))
        past.append((point, step))
        there = mixed(past) if np.abs(step).max() < CALM else point + step
        risen = problem.objective(there)
        if not risen >= value:
            rise, length = max(float(slope.gradient @ step), 0.0), 1.0
            there, risen = point + step, problem.objective(point + step)
            while not risen >= value + 1e-4 * length * rise and length > SHORTEST:
                length /= 2
                there = point + length * step
                risen = problem.objective(there)
            if length < 1:
                past.clear()
            if length <= SHORTEST:
                if careful or gap <= tol:  # nothing rises any more
                    return Optimum(point, steps, gap, converged=gap <= tol)
                careful = True
                continue
        point, value = there, risen
        if gap <= tol:
            return Optimum(point, steps, gap, converged=True)
    return Optimum(point, steps, gap, converged=False)


def _step(problem: CrowdProblem, point: Floats, slope: Slope[CrowdInformation], tol: float, *, careful: bool) -> Floats:
    """The step that the information asks for, with no part too long, and chances that stay chances.

    Where a chance would leave 0 to 1, it goes nearly all the way to the end, and the others step as if it stood still.
    A careful step does the same with biases: where a worker's unfair answers all go one way, the likelihood rises for
    ever, and has next to no curvature there; it asks for steps of thousands, and the scores for what would suit them.
    """
    n, k, information = problem.n, problem.answers.k, slope.curvature()
    size = problem.parameters * k
    is_held = np.repeat([prior.is_chance or careful for prior in problem.worker_priors], k)
    low, high = _room(problem, problem.parts(point).theta)
    step = information.solve(slope.gradient, tol)
    wanted = step[n : n + size]
    beyond = ((wanted > high) | (wanted < low)) & is_held
    if beyond.any():
        gradient = slope.gradient.copy()
        gradient[n : n + size][beyond] = 0.0
        pushed = slope.gradient[n : n + size][beyond] * wanted[beyond] > 0
        going = np.where(wanted > high, high, low)[beyond] * pushed
        step = information.pinning(beyond.reshape(-1, k)).solve(gradient, tol)
        step[n : n + size][beyond] = going
    on_workers = np.clip(step[n : n + size], NEARLY * low, NEARLY * high)
    return np.concatenate([np.clip(step[:n], -LONGEST, LONGEST), on_workers])


def _room(problem: CrowdProblem, theta: Floats) -> tuple[Floats, Floats]:
    """The longest steps down and up; biases that no prior holds stop where answers are foregone conclusions."""
    low, high = np.full(theta.shape, -LONGEST), np.full(theta.shape, LONGEST)
    for p, (prior, here) in enumerate(zip(problem.worker_priors, theta, strict=True)):
        if prior.is_chance:
            low[p], high[p] = LEAST - here, 1 - LEAST - here
        elif isinstance(prior, Pull) and np.isinf(prior.sd):
            low[p], high[p] = np.clip(-FOREGONE - here, -LONGEST, 0), np.clip(FOREGONE - here, 0, LONGEST)
    return low.ravel(), high.ravel()
