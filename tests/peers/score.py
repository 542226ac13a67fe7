"""Random files and what seqeval, SeqScore, nervaluate and scikit-learn say of them.

usage: score.py FILES [SEED]

Prints a JSON object a line: the tags of gold and prediction, their scheme, and the scores by mode. Half
of the files are broken: tags that may not follow each other, in gold as well as in prediction.
"""

import json
import random
import sys
import warnings

from nervaluate import Evaluator
from seqeval.metrics import accuracy_score
from seqeval.metrics import sequence_labeling as seqeval_default
from seqeval.metrics import v1 as seqeval_strict
from seqeval.scheme import IOB2, IOBES
from seqscore.scoring import score_label_sequences
from sklearn.metrics import precision_recall_fscore_support as token_scores

warnings.simplefilter("ignore")

NAMES = ["PER", "LOC", "creative-work", "O", "B", "Multi-tissue_structure", "組織"]
LETTERS = {"iob2": "BI", "iob1": "BI", "io": "I", "iobes": "BIES"}
SEQSCORE = {"iob2": "BIO", "iob1": "IOB", "io": "IO"}


# Random files


def random_tags(chance, length, types, scheme):
    """Any tag anywhere: mostly broken."""
    outside = chance.random()
    letters = LETTERS[scheme]
    tag = lambda: f"{chance.choice(letters)}-{chance.choice(types)}"
    return ["O" if chance.random() < outside else tag() for _ in range(length)]


def valid_tags(chance, length, types, scheme):
    """Entities side by side or apart, as the scheme writes them."""
    tags, previous = [], None
    while len(tags) < length:
        if chance.random() < 0.5:
            tags.append("O")
            previous = None
            continue
        name, tokens = chance.choice(types), min(chance.choice([1, 1, 1, 2, 2, 3, 5]), length - len(tags))
        first = "I" if scheme == "io" or (scheme == "iob1" and previous != name) else "B"
        entity = [f"{first}-{name}"] + [f"I-{name}"] * (tokens - 1)
        if scheme == "iobes":
            entity[-1] = f"{'S' if tokens == 1 else 'E'}-{name}"
        tags += entity
        previous = name
    return tags


def noisy(chance, tags, types, scheme):
    """The same with some tags exchanged."""
    share = chance.choice([0.02, 0.1, 0.4])
    other = random_tags(chance, len(tags), types, scheme)
    return [new if chance.random() < share else old for old, new in zip(tags, other)]


def random_file(chance):
    """Scheme, gold and prediction."""
    scheme = chance.choices(["iob2", "iobes", "iob1", "io"], [14, 3, 2, 1])[0]
    types = chance.sample(NAMES, chance.randint(1, 5))
    few = types[: chance.randint(1, len(types))]
    lengths = [chance.choice([1, 2, 3, 5, 8, 12, 30]) for _ in range(chance.randint(1, 8))]
    make = chance.choice([valid_tags, random_tags])
    gold = [make(chance, length, few, scheme) for length in lengths]
    kind = chance.choice(["noisy", "noisy", "noisy", "random", "valid", "outside", "same"])
    if kind == "noisy":
        predicted = [noisy(chance, tags, types, scheme) for tags in gold]
    elif kind == "same":
        predicted = [list(tags) for tags in gold]
    elif kind == "outside":
        predicted = [["O"] * len(tags) for tags in gold]
    else:
        make = random_tags if kind == "random" else valid_tags
        predicted = [make(chance, length, types, scheme) for length in lengths]
    return scheme, gold, predicted


# What others say


def rows(names, precision, recall, f1, support):
    """The scores of each class, by name."""
    keys = ["precision", "recall", "f1", "support"]
    columns = [[float(x) for x in column] for column in (precision, recall, f1, support)]
    return {name: dict(zip(keys, row)) for name, *row in zip(names, *columns)}


def averaged(score, averages):
    """Micro, macro and weighted, as far as they have a value."""
    found = {}
    for average in averages:
        precision, recall, f1, _ = score(average)
        found[average] = {"precision": float(precision), "recall": float(recall), "f1": float(f1)}
    return found


def seqeval_scores(module, names, gold, predicted, zero, **more):
    score = lambda average: module.precision_recall_fscore_support(
        gold, predicted, average=average, zero_division=zero, **more
    )
    # Without an entity seqeval's macro average is the mean of nothing.
    averages = ["micro", "macro", "weighted"] if names else ["micro"]
    return {"types": rows(names, *score(None)), **averaged(score, averages)}


def default_names(gold, predicted):
    return sorted({e[0] for tags in (gold, predicted) for e in seqeval_default.get_entities(tags)})


def seqscore_counts(scheme, gold, predicted, repair):
    """True positives, false positives and false negatives."""
    classes, _ = score_label_sequences(predicted, gold, SEQSCORE[scheme], repair=repair)
    counts = lambda of: {"correct": of.true_pos, "predicted": of.total_pos, "support": of.total_ref}
    return {"micro": counts(classes), "types": {n: counts(c) for n, c in classes.type_scores.items()}}


def nervaluate_scores(names, gold, predicted):
    found = Evaluator(gold, predicted, tags=names, loader="list").evaluate()
    by_criterion = lambda results: {name: vars(result) for name, result in results.items()}
    types = {name: by_criterion(results) for name, results in found["entities"].items()}
    return {"all": by_criterion(found["overall"]), "types": types}


def token_level(gold, predicted, zero):
    """B and I merged, without O and with it: its class has a name that no type has."""
    classes = lambda side: [tag[2:] if tag != "O" else "" for tags in side for tag in tags]
    gold, predicted = classes(gold), classes(predicted)
    levels = {}
    for level, names in [
        ("token", sorted({*gold, *predicted} - {""})),
        ("token_with_o", sorted({*gold, *predicted})),
    ]:
        score = lambda average: token_scores(
            gold, predicted, labels=names, average=average, zero_division=zero
        )
        if names:
            levels[level] = {
                "types": rows(names, *score(None)),
                **averaged(score, ["micro", "macro", "weighted"]),
            }
    return levels


def modes_of(scheme):
    return ["conlleval", "strict", "discard"] if scheme in ("iob2", "iobes") else ["conlleval"]


def expected(chance, scheme, gold, predicted):
    """The scores by mode, each with a ratio of nothing of its own."""
    modes = {}
    for mode in modes_of(scheme):
        zero = chance.choice([0, 1])
        found = modes[mode] = {"zero_division": zero}
        if mode == "conlleval":
            names = default_names(gold, predicted)
            found["seqeval"] = seqeval_scores(seqeval_default, names, gold, predicted, zero)
            # scikit-learn is slow: a tenth of the files will do.
            if chance.random() < 0.1:
                found["tokens"] = token_level(gold, predicted, zero)
            if scheme == "iob2":
                found["accuracy"] = float(accuracy_score(gold, predicted))
                found["nervaluate"] = nervaluate_scores(names, gold, predicted)
        elif mode == "strict" or scheme == "iobes":
            rules = {"scheme": IOB2 if scheme == "iob2" else IOBES}
            names = seqeval_strict.unique_labels(gold, predicted, **rules)
            found["seqeval"] = seqeval_scores(seqeval_strict, names, gold, predicted, zero, **rules)
        if scheme in SEQSCORE and mode != "strict":
            repair = None if scheme == "io" else mode
            found["seqscore"] = seqscore_counts(scheme, gold, predicted, repair)
    return modes


def main():
    files, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance = random.Random(seed)
    for _ in range(files):
        scheme, gold, predicted = random_file(chance)
        modes = expected(chance, scheme, gold, predicted)
        print(json.dumps({"scheme": scheme, "gold": gold, "predicted": predicted, "modes": modes}))


main()
