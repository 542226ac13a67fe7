"""One epoch of training on WNUT 2017: BiLSTM with softmax and with a CRF, and MiniLM with softmax, in
PyTorch and in tailgrid, with the same batch size, dropout and trained parameters. The peer shuffles its
sentences and pads each batch to its longest; and once more with sentences of like length together.

    python benches/peers/epochs.py target/release/tailgrid CORPORA [threads] [models] [epochs]

The fastest of the epochs counts.
CORPORA has a folder wnut17; `tailgrid fetch glove-100d minilm` comes first.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time

BATCH = 32
HIDDEN = 200
MODELS = {
    "bilstm-softmax": {"encoder": "bilstm", "head": "softmax", "embeddings": "glove-100d", "hidden": HIDDEN},
    "bilstm-crf": {"encoder": "bilstm", "head": "crf", "embeddings": "glove-100d", "hidden": HIDDEN},
    "bert-softmax": {"encoder": "bert", "head": "softmax", "checkpoint": "minilm"},
}


def ours(program, corpora, threads, model, epochs):
    grid = {
        "version": 1, "name": "epochs", "corpora": ["wnut17"], "seeds": 1, "methods": ["original"],
        "models": [{"name": model, **MODELS[model]}],
        "training": {"epochs": epochs, "batch": BATCH, "threads": threads, "patience": 0},
    }
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "grid.yaml")
        with open(path, "w") as file:
            json.dump(grid, file)
        results = os.path.join(folder, "results")
        command = [program, "run", path, "--corpora", corpora, "--results", results, "--quiet"]
        subprocess.run(command, check=True)
        jobs = os.path.join(results, "epochs", "jobs")
        with open(os.path.join(jobs, os.listdir(jobs)[0], "record.json")) as file:
            record = json.load(file)
    return [epoch["seconds"] for epoch in find(record, "epochs")]


def find(value, key):
    """The first value of a key, however deep."""
    if isinstance(value, dict):
        if isinstance(value.get(key), list):
            return value[key]
        value = list(value.values())
    if isinstance(value, list):
        return next((found for item in value if (found := find(item, key))), None)


def sentences(corpora):
    read, tokens = [], []
    with open(os.path.join(corpora, "wnut17", "wnut17train.conll"), encoding="utf-8") as file:
        for line in [*file, "\n"]:
            fields = line.rstrip("\n").split("\t")
            if fields[0].strip():
                tokens.append((fields[0], fields[-1]))
            elif tokens:
                read.append(tokens)
                tokens = []
    return read


def batches(lengths, bucketed):
    order = list(range(len(lengths)))
    random.shuffle(order)
    if bucketed:
        size = 50 * BATCH
        order = [i for at in range(0, len(order), size) for i in sorted(order[at : at + size], key=lambda i: lengths[i])]
    cut = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    random.shuffle(cut)
    return cut


def theirs(corpora, threads, model, bucketed, epochs):
    settings = [corpora, str(threads), model, str(int(bucketed)), str(epochs)]
    command = [sys.executable, __file__, "--peer", *settings]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def crf_loss(emissions, tags, mask, transitions):
    """The usual loop over positions."""
    import torch

    score = emissions[:, 0].gather(1, tags[:, :1]).squeeze(1)
    alpha = emissions[:, 0]
    for t in range(1, emissions.shape[1]):
        on = mask[:, t]
        step = emissions[:, t].gather(1, tags[:, t : t + 1]).squeeze(1) + transitions[tags[:, t - 1], tags[:, t]]
        score = score + torch.where(on, step, torch.zeros_like(step))
        after = torch.logsumexp(alpha.unsqueeze(2) + transitions + emissions[:, t].unsqueeze(1), 1)
        alpha = torch.where(on.unsqueeze(1), after, alpha)
    return (torch.logsumexp(alpha, 1) - score).mean()


def peer(corpora, threads, model, bucketed, epochs):
    import torch

    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    torch.manual_seed(1)
    random.seed(1)
    data = sentences(corpora)
    tags = {tag: i for i, tag in enumerate(sorted({tag for s in data for _, tag in s}))}
    if model == "bert-softmax":
        rows, forward, parameters, optimiser = bert(data, tags)
    else:
        rows, forward, parameters, optimiser = bilstm(data, tags, crf=model.endswith("crf"))
    lengths = [len(ids) for ids, _ in rows]
    seconds = []
    for _ in range(epochs):
        start = time.perf_counter()
        for batch in batches(lengths, bucketed):
            width = max(lengths[i] for i in batch)
            ids = torch.zeros(len(batch), width, dtype=torch.long)
            gold = torch.full((len(batch), width), -100, dtype=torch.long)
            for row, i in enumerate(batch):
                ids[row, : lengths[i]] = torch.tensor(rows[i][0])
                gold[row, : lengths[i]] = torch.tensor(rows[i][1])
            mask = torch.arange(width) < torch.tensor([lengths[i] for i in batch]).unsqueeze(1)
            optimiser.zero_grad()
            loss = forward(ids, gold, mask)
            loss.item()
            loss.backward()
            if model == "bert-softmax":
                torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimiser.step()
        seconds.append(time.perf_counter() - start)
    print(json.dumps(seconds))


def bilstm(data, tags, crf):
    import torch

    words = {}
    rows = [([words.setdefault(w, len(words)) for w, _ in s], [tags[t] for _, t in s]) for s in data]
    vectors = torch.nn.Embedding(len(words), 100)
    vectors.requires_grad_(False)
    lstm = torch.nn.LSTM(100, HIDDEN, batch_first=True, bidirectional=True)
    head, dropout = torch.nn.Linear(2 * HIDDEN, len(tags)), torch.nn.Dropout(0.5)
    parameters = [*lstm.parameters(), *head.parameters()]
    transitions = torch.nn.Parameter(torch.zeros(len(tags), len(tags)))
    if crf:
        parameters.append(transitions)

    def forward(ids, gold, mask):
        states, _ = lstm(dropout(vectors(ids)))
        logits = head(dropout(states))
        if crf:
            return crf_loss(logits, gold.clamp(min=0), mask, transitions)
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), gold.flatten(), ignore_index=-100)

    return rows, forward, parameters, torch.optim.Adam(parameters, lr=1e-3)


def bert(data, tags):
    import torch
    from transformers import BertModel, BertTokenizerFast

    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(home, "tailgrid", "checkpoints", "minilm")
    tokeniser = BertTokenizerFast.from_pretrained(folder)
    rows = []
    for sentence in data:
        encoded = tokeniser([w for w, _ in sentence], is_split_into_words=True, truncation=True, max_length=512)
        gold, before = [], None
        for word in encoded.word_ids():
            gold.append(tags[sentence[word][1]] if word is not None and word != before else -100)
            before = word
        rows.append((encoded["input_ids"], gold))
    model = BertModel.from_pretrained(folder, add_pooling_layer=False)
    model.train()
    head, dropout = torch.nn.Linear(384, len(tags)), torch.nn.Dropout(0.1)
    parameters = [*model.parameters(), *head.parameters()]
    groups = [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": 0.01},
        {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
    ]

    def forward(ids, gold, mask):
        states = model(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        logits = head(dropout(states))
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), gold.flatten(), ignore_index=-100)

    return rows, forward, parameters, torch.optim.AdamW(groups, lr=2e-5)


def main(program, corpora, threads="1,2", models=",".join(MODELS), epochs="2"):
    for model in models.split(","):
        for count in map(int, threads.split(",")):
            plain = min(theirs(corpora, count, model, False, int(epochs)))
            us = min(ours(program, corpora, count, model, int(epochs)))
            bucketed = min(theirs(corpora, count, model, True, int(epochs)))
            print(
                f"{model}, an epoch of WNUT 2017, {count} threads: torch {plain:.1f} s, bucketed {bucketed:.1f} s, "
                f"tailgrid {us:.1f} s, ratio {plain / us:.2f}, to bucketed {bucketed / us:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1] == "--peer":
        peer(sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5] == "1", int(sys.argv[6]))
    else:
        main(*sys.argv[1:])
