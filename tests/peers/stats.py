"""Compare tailgrid's statistics with those of scipy, statsmodels and deepsig.

usage: stats.py CASES

CASES holds one JSON object a line: a sample and what tailgrid makes of it. Exits with 1 and names the
cases where another package makes something else of it.
"""

import collections
import json
import math
import sys
import warnings

import numpy as np
from deepsig.aso import aso, compute_violation_ratio
from scipy import stats
from scipy.optimize import brentq
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower


class Difference(Exception):
    """Both packages have a number, and not the same."""


def same(what, found, expected, relative=1e-9, absolute=1e-12):
    if found is None or not math.isclose(found, expected, rel_tol=relative, abs_tol=absolute):
        raise Difference(f"{what}: tailgrid {found}, expected {expected}")


def without_noise(differences):
    """Differences on a grid of 1e-10, so that ties and zeros are exact: tailgrid's one choice."""
    return np.round(np.array(differences) / 1e-10) * 1e-10


def paired(case):
    d = np.array(case["differences"])
    if np.ptp(d) <= 1e-10:
        if not case["zero_variance"]:
            raise Difference("equal differences are not flagged")
        expected = 1.0 if abs(d.mean()) <= 1e-10 else None
        if case["p"] != expected:
            raise Difference(f"equal differences have p {case['p']}")
    else:
        found = stats.ttest_1samp(d, 0.0)
        same("t", case["t"], found.statistic)
        same("p", case["p"], found.pvalue, relative=1e-8)
        interval = found.confidence_interval(0.95)
        same("low", case["interval"][0], interval.low, absolute=1e-9 * np.abs(d).max())
        same("high", case["interval"][1], interval.high, absolute=1e-9 * np.abs(d).max())
        same("d_z", case["cohens_dz"], d.mean() / d.std(ddof=1))
        hedges(case, d)
    wilcoxon(case, without_noise(d))
    if case["sign_flip"] is not None:
        found = stats.permutation_test(
            (np.round(d / 1e-10),), lambda x, axis: x.sum(axis=axis), permutation_type="samples",
            n_resamples=np.inf, vectorized=True,
        )
        same("sign flips", case["sign_flip"], found.pvalue)


def hedges(case, d):
    m = len(d) - 1
    if m < 2:
        if case["hedges_gz"] is not None:
            raise Difference("two differences have no corrected effect")
        return
    factor = math.exp(math.lgamma(m / 2) - math.lgamma((m - 1) / 2)) / math.sqrt(m / 2)
    same("g_z", case["hedges_gz"], factor * d.mean() / d.std(ddof=1))


def wilcoxon(case, d):
    statistic, p = case["wilcoxon"]
    if not np.any(d):
        same("wilcoxon p of zeros", p, 1.0)
        return
    # Ranks of the rounded differences, without zeros: scipy takes floating point at its word.
    steps = np.round(d / 1e-10)
    steps = steps[steps != 0]
    exact = len(steps) <= 50
    if case["wilcoxon_exact"] != exact:
        raise Difference(f"wilcoxon exact: tailgrid {case['wilcoxon_exact']}, expected {exact}")
    found = stats.wilcoxon(steps, method="asymptotic")
    same("wilcoxon statistic", statistic, found.statistic)
    same("wilcoxon approximation", case["wilcoxon_approximation"], found.pvalue)
    if not exact:
        same("wilcoxon p", p, found.pvalue)
    elif len(np.unique(np.abs(steps))) == len(steps):
        same("wilcoxon p", p, stats.wilcoxon(steps, method="exact").pvalue)
    elif case["wilcoxon_listed"]:
        # What scipy's method="auto" does with few differences and ties.
        listed = stats.PermutationMethod(n_resamples=np.inf)
        same("wilcoxon p with ties", p, stats.wilcoxon(steps, method=listed).pvalue)


def family(case):
    for name, adjusted in zip(["holm", "bonferroni", "fdr_bh"], case["adjusted"]):
        expected = multipletests(case["p"], method=name)[1]
        for found, expected in zip(adjusted, expected, strict=True):
            same(name, found, expected)


def friedman(case):
    scores = np.array(case["scores"])
    for found, expected in zip(case["mean_ranks"], stats.rankdata(-scores, axis=1).mean(axis=0), strict=True):
        same("mean rank", found, expected)
    if np.all(scores == scores[:, :1]):
        same("p of ties", case["p"], 1.0)
        return
    found = stats.friedmanchisquare(*scores.T)
    same("statistic", case["statistic"], found.statistic, absolute=1e-9)
    same("p", case["p"], found.pvalue)


def nemenyi(case):
    k, n = case["methods"], case["blocks"]
    q = stats.studentized_range.ppf(1 - case["alpha"], k, np.inf)
    same("critical difference", case["critical_difference"], q * math.sqrt(k * (k + 1) / (12 * n)), relative=1e-7)


def power(case):
    def at(n):
        found = float(TTestPower().power(case["effect"], n, case["alpha"]))
        if not math.isnan(found):
            return found
        # The other side of the test is so unlikely that scipy has no number for it.
        shift = case["effect"] * math.sqrt(n)
        return float(stats.nct.sf(stats.t.isf(case["alpha"] / 2, n - 1), n - 1, shift))

    same("power", case["power"], at(case["n"]), absolute=1e-9)
    needed = case["needed"]
    if at(needed) < case["wanted"] - 1e-9 or (needed > 2 and at(needed - 1) >= case["wanted"] + 1e-9):
        raise Difference(f"{needed} pairs are not the first that are enough")


def effect(case):
    t, n = case["t"], case["n"]
    for found, tail in zip(case["interval"], [0.025, 0.975], strict=True):
        shift = brentq(lambda shift: stats.nct.sf(t, n - 1, shift) - tail, t - 80, t + 80, xtol=1e-12)
        same("effect", found, shift / math.sqrt(n), absolute=1e-7)
    for found, share in zip(case["given"], [0.025, 0.975], strict=True):
        same("given effect", found, t * math.sqrt(stats.chi2.ppf(share, n - 1) / (n - 1)), relative=1e-8)


def looks(case):
    """The probability of staying within the boundaries up to each look is what the plan leaves."""
    n, z, alpha = np.array(case["looks"]), np.array(case["z"]), case["alpha"]
    for k in range(1, len(n) + 1):
        share = n[k - 1] / n[-1]
        if case["spending"] == "pocock":
            spent = alpha * math.log(1 + (math.e - 1) * share)
        else:
            spent = 4 * stats.norm.sf(stats.norm.isf(alpha / 4) / math.sqrt(share))
        covariance = np.sqrt(np.minimum.outer(n[:k], n[:k]) / np.maximum.outer(n[:k], n[:k]))
        # scipy integrates by random points: a tenth of these leaves noise above the tolerance.
        inside = stats.multivariate_normal(cov=covariance, maxpts=2_000_000, abseps=1e-9, releps=1e-9, seed=1)
        same(f"spent at {n[k - 1]}", 1 - inside.cdf(z[:k], lower_limit=-z[:k]), spent, relative=1e-4, absolute=2e-6)


def order(case):
    a, b = np.array(case["a"]), np.array(case["b"])
    # deepsig sums over a grid and leaves one place out: near, not equal.
    ratio = float(compute_violation_ratio(a, b, dt=0.0005))
    same("violation", case["violation"], ratio, absolute=0.02)
    if case["with_bound"]:
        bound = float(aso(a, b, num_bootstrap_iterations=1000, show_progress=False, seed=1))
        same("epsilon_min", case["epsilon_min"], bound, absolute=0.06)


def interval(case):
    """Resamples differ, so the ends agree up to the noise of tailgrid's 20,000; scipy has so many that theirs is
    small beside it."""
    values = np.array(case["values"])
    # An end of 20,000 resamples varies by 0.02 to 0.045 standard errors of the mean, the ends of BCa most.
    noise = 0.05 * values.std() / math.sqrt(len(values))
    for name, method in [("percentile", "percentile"), ("bca", "BCa")]:
        found = stats.bootstrap(
            (values,), np.mean, n_resamples=200_000, batch=20_000, method=method, random_state=1
        )
        for end, expected in zip(case[name], found.confidence_interval, strict=True):
            same(name, end, expected, relative=0, absolute=5 * noise)
        same("standard error", case["standard_error"], found.standard_error, relative=0.03)


KINDS = {f.__name__: f for f in [paired, family, friedman, nemenyi, power, effect, looks, order, interval]}


def main(path):
    warnings.simplefilter("ignore")
    compared, differing, differences = collections.Counter(), collections.Counter(), []
    with open(path, encoding="utf-8") as cases:
        for number, line in enumerate(cases, 1):
            case = json.loads(line)
            compared[case["kind"]] += 1
            try:
                KINDS[case["kind"]](case)
            except Difference as difference:
                differing[case["kind"]] += 1
                differences.append(f"case {number}, {case['kind']}: {difference}\n  {line.strip()[:400]}")
    print(", ".join(f"{n} {kind}" for kind, n in compared.items()))
    if differences:
        print("\n".join(differences[:20]))
        sys.exit(f"{len(differences)} of {compared.total()} cases differ: {dict(differing)}")
    print(f"{compared.total()} cases, no difference")


if __name__ == "__main__":
    main(sys.argv[1])
