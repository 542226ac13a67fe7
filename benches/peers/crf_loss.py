"""The loss of a linear chain with its gradient as it is usually written in PyTorch: one step of tensor
operations a token, differentiated by autograd.

    python crf_loss.py THREADS FOLDER

FOLDER holds emissions.f32 (sentences × tokens × tags), gold.u32, transitions.f32 and shape.txt (sentences, tokens,
tags). Prints the least milliseconds of a loss with its gradient, the loss, and the sums of the absolute gradients.
"""

import json
import os
import sys
import time

import numpy as np
import torch


def loss_of(emissions, gold, transitions):
    """Σ over sentences of the negative log-likelihood; emissions are tokens × sentences × tags."""
    tokens, sentences, _ = emissions.shape
    each = torch.arange(sentences)
    score = emissions[0, each, gold[0]]
    alpha = emissions[0]
    for t in range(1, tokens):
        score = score + transitions[gold[t - 1], gold[t]] + emissions[t, each, gold[t]]
        paths = alpha.unsqueeze(2) + transitions.unsqueeze(0) + emissions[t].unsqueeze(1)
        alpha = torch.logsumexp(paths, dim=1)
    return (torch.logsumexp(alpha, dim=1) - score).sum()


def main(threads, folder):
    torch.set_num_threads(threads)
    shape = [int(n) for n in open(os.path.join(folder, "shape.txt")).read().split()]
    read = lambda name, kind: torch.from_numpy(np.fromfile(os.path.join(folder, name), dtype=kind))
    emissions = read("emissions.f32", "<f4").reshape(shape).transpose(0, 1).contiguous().requires_grad_()
    gold = read("gold.u32", "<i4").long().reshape(shape[:2]).T.contiguous()
    transitions = read("transitions.f32", "<f4").reshape(shape[2], shape[2]).requires_grad_()
    times = []
    for _ in range(200):
        emissions.grad = transitions.grad = None
        start = time.perf_counter()
        loss = loss_of(emissions, gold, transitions)
        loss.backward()
        times.append(1e3 * (time.perf_counter() - start))
    sums = [float(emissions.grad.abs().sum()), float(transitions.grad.abs().sum())]
    print(json.dumps({"milliseconds": min(times), "loss": float(loss), "gradients": sums}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
