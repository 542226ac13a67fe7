"""Compare the Parzen estimators and the rankings of tailgrid's parameter search with Optuna's.

usage: tpe.py CASES          compares
       tpe.py --write FILE   writes reference values

CASES holds one JSON object a line: a range, a history with its scores, candidates, and the logarithms of
both densities at the candidates. Exits with 1 and names the cases where Optuna has something else.
"""

import json
import math
import random
import sys
import warnings

import numpy as np
import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers._tpe.parzen_estimator import _ParzenEstimator
from optuna.samplers._tpe.sampler import TPESampler, _split_trials, default_gamma, default_weights

warnings.simplefilter("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)

DEFAULTS = TPESampler()._parzen_estimator_parameters
# A failed trial is worse than any score.
WORST = -1.0


def distribution(range_):
    if range_["kind"] == "values":
        return CategoricalDistribution([json.dumps(value) for value in range_["values"]])
    kind = {"real": FloatDistribution, "integer": IntDistribution}[range_["kind"]]
    return kind(range_["low"], range_["high"], log=range_["scale"] == "log")


def internal(range_, values):
    if range_["kind"] == "values":
        return np.array([range_["values"].index(value) for value in values], dtype=float)
    return np.array(values, dtype=float)


def densities(case):
    """log l and log g at the candidates, by Optuna's own split, estimator and defaults."""
    space = {"x": distribution(case["range"])}
    study = optuna.create_study(direction="maximize")
    external = [json.dumps(v) if case["range"]["kind"] == "values" else v for v in case["history"]]
    trials = []
    for number, (value, score) in enumerate(zip(external, case["scores"])):
        trial = optuna.trial.create_trial(
            params={"x": value}, distributions=space, value=WORST if score is None else score
        )
        trial.number = number
        trials.append(trial)
    below, above = _split_trials(study, trials, default_gamma(len(trials)), False)
    # A failed trial is never good, however few have a score.
    above += [trial for trial in below if case["scores"][trial.number] is None]
    below = [trial for trial in below if case["scores"][trial.number] is not None]
    above.sort(key=lambda trial: trial.number)
    numbers = [[trial.number for trial in side] for side in (below, above)]
    at = {"x": internal(case["range"], case["candidates"])}
    history = internal(case["range"], case["history"])
    sides = [_ParzenEstimator({"x": history[side]}, space, DEFAULTS) for side in numbers]
    return [side.log_pdf(at) for side in sides]


def check(case):
    found = [case["log_l"], case["log_g"]]
    expected = densities(case)
    for name, ours, theirs in zip(("log l", "log g"), found, expected):
        for candidate, a, b in zip(case["candidates"], ours, theirs):
            if not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9):
                return f"{name} at {candidate}: tailgrid {a}, Optuna {b}"
    promise = expected[0] - expected[1]
    # Equally promising candidates may stand in any order.
    if promise.max() - promise[case["best"]] > 1e-9:
        return f"best: tailgrid {case['best']}, Optuna {int(np.argmax(promise))}"
    return None


def random_range(rng):
    kind = rng.choice(["real", "real", "real-log", "integer", "integer-log", "values"])
    if kind == "real":
        low = round(rng.uniform(-2, 2), 3)
        return {"kind": "real", "low": low, "high": round(low + rng.choice([0.1, 1.0, 10.0]), 3), "scale": "linear"}
    if kind == "real-log":
        low = 10.0 ** rng.randint(-6, -2)
        return {"kind": "real", "low": low, "high": low * 10.0 ** rng.randint(1, 4), "scale": "log"}
    if kind == "values":
        return {"kind": "values", "values": [True, False] if rng.random() < 0.3 else list("abcdef")[: rng.randint(2, 6)]}
    low = rng.randint(1, 5)
    scale = "log" if kind == "integer-log" else "linear"
    return {"kind": "integer", "low": low, "high": low + rng.choice([1, 7, 200]), "scale": scale}


def random_value(rng, range_):
    if range_["kind"] == "values":
        return rng.choice(range_["values"])
    low, high = range_["low"], range_["high"]
    if range_["kind"] == "integer":
        return rng.randint(low, high)
    if rng.random() < 0.1:
        return rng.choice([low, high])
    if range_["scale"] == "log":
        return min(max(math.exp(rng.uniform(math.log(low), math.log(high))), low), high)
    return rng.uniform(low, high)


def write(path):
    rng = random.Random(1)
    cases = []
    for _ in range(60):
        range_ = random_range(rng)
        n = rng.choice([1, 2, 10, 11, 12, 20, 40, 80])
        history = [random_value(rng, range_) for _ in range(n)]
        # Older observations weigh less from the 26th on, and which of two equal ones is the older is left
        # to the order that numpy sorts them in: no two are equal there.
        if n > 25 and range_["kind"] != "values" and len(set(history)) < n:
            history = sorted(set(history), key=history.index)[:25]
            n = len(history)
        scores = [None if rng.random() < 0.1 else round(rng.random(), 2) for _ in range(n)]
        candidates = [random_value(rng, range_) for _ in range(6)]
        case = {"range": range_, "history": history, "scores": scores, "candidates": candidates}
        log_l, log_g = densities(case)
        case |= {"log_l": log_l.tolist(), "log_g": log_g.tolist(), "best": int(np.argmax(log_l - log_g))}
        cases.append(case)
    with open(path, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


def main():
    if sys.argv[1] == "--write":
        return write(sys.argv[2])
    assert (DEFAULTS.prior_weight, DEFAULTS.consider_magic_clip, DEFAULTS.consider_endpoints) == (1.0, True, False)
    assert not DEFAULTS.multivariate and DEFAULTS.weights is default_weights
    with open(sys.argv[1]) as file:
        cases = [json.loads(line) for line in file]
    problems = [(case, check(case)) for case in cases]
    problems = [(case, problem) for case, problem in problems if problem]
    for case, problem in problems[:20]:
        print(problem, json.dumps(case))
    print(f"{len(cases)} cases, {len(problems) or 'no'} difference{'s' if len(problems) > 1 else ''}")
    sys.exit(bool(problems))


main()
