"""Shallow models in scikit-learn and CRFsuite, on data that tailgrid's benchmark has written.

    python shallow.py FOLDER softmax|softmax-exact|crf|crf-exact

FOLDER holds vectors.f32 (rows × dimension), tokens.u32 (row and class of each token), lengths.u32 (tokens
of each sentence) and dimension.txt. Prints seconds, objective and iterations as a line of JSON. The number of
threads is that of OMP_NUM_THREADS; CRFsuite has one.
"""

import json
import os
import sys
import tempfile
import time

import numpy as np


def load(folder):
    dimension = int(open(os.path.join(folder, "dimension.txt")).read())
    vectors = np.fromfile(os.path.join(folder, "vectors.f32"), dtype="<f4").reshape(-1, dimension)
    tokens = np.fromfile(os.path.join(folder, "tokens.u32"), dtype="<u4").reshape(-1, 2)
    lengths = np.fromfile(os.path.join(folder, "lengths.u32"), dtype="<u4")
    return vectors.astype(np.float64), tokens[:, 0], tokens[:, 1], lengths


def softmax(folder, tolerance, iterations):
    """Multinomial logistic regression: Σ cross-entropy + ‖W‖²/2, the intercept free."""
    from scipy.special import logsumexp
    from sklearn.linear_model import LogisticRegression

    vectors, words, classes, _ = load(folder)
    features = vectors[words]
    model = LogisticRegression(C=1.0, tol=tolerance, max_iter=iterations)
    start = time.perf_counter()
    model.fit(features, classes)
    seconds = time.perf_counter() - start
    logits = features @ model.coef_.T + model.intercept_
    gold = np.searchsorted(model.classes_, classes)
    loss = (logsumexp(logits, axis=1) - logits[np.arange(len(gold)), gold]).sum()
    return seconds, loss + 0.5 * (model.coef_**2).sum(), int(model.n_iter_[0])


def crf(folder, **tolerances):
    """CRFsuite with its defaults but for the tolerances: Σ nll + ‖w‖²."""
    import pycrfsuite

    vectors, words, classes, lengths = load(folder)
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    names = [str(d) for d in range(vectors.shape[1])]
    rows = [dict(zip(names, map(float, row))) if row.any() else {} for row in vectors]
    begin = 0
    for length in lengths:
        tokens = slice(begin, begin + length)
        sentence = pycrfsuite.ItemSequence([rows[word] for word in words[tokens]])
        trainer.append(sentence, [str(label) for label in classes[tokens]])
        begin += length
    trainer.set_params({"c1": 0.0, "c2": 1.0, **tolerances})
    with tempfile.NamedTemporaryFile() as model:
        start = time.perf_counter()
        trainer.train(model.name)
        seconds = time.perf_counter() - start
    last = trainer.logparser.iterations[-1]
    return seconds, last["loss"], last["num"]


if __name__ == "__main__":
    folder, what = sys.argv[1:]
    work = {
        "softmax": lambda: softmax(folder, 1e-4, 1000),
        "softmax-exact": lambda: softmax(folder, 1e-8, 20000),
        "crf": lambda: crf(folder),
        "crf-exact": lambda: crf(folder, epsilon=1e-7, delta=1e-8),
    }
    seconds, objective, iterations = work[what]()
    print(json.dumps({"seconds": seconds, "objective": objective, "iterations": iterations}))
