"""Epochs of training beside PyTorch and transformers: MiniLM on WNUT 2017 and NCBI disease, a
BiLSTM with softmax, with a CRF and with characters on WNUT 2017. Batch size, dropout and trained
parameters are the same on both sides.

    python benches/peers/epochs.py TAILGRID CORPORA [--only ROW] [--rounds N] [--sentences N] [--list]

The peer is written as most people write it: f32, every epoch a fresh shuffle, each batch padded to
its longest sentence; for the rows `autocast` under torch.autocast in bf16 with sentences of like
length in a batch. tailgrid trains on batches of randomly drawn sentences (`training.order:
random`). Times are those of training alone, without reading and scoring.

All sides of a round train on the same sentences, drawn anew for each round: an epoch of all of them
takes minutes, and a ratio needs several rounds. `--sentences 0` takes the whole corpus. For the
rows `autocast` whole batches of the corpus's bucketed epoch are drawn, so that the peer has as
little padding as it has on the whole corpus.

CORPORA has the folders wnut17 and ncbi-disease; run `tailgrid fetch glove-100d minilm` first.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

from ratios import Group, in_threads, measure, names

BATCH = 32
HIDDEN = 200
CHARACTERS = 100
WORDS = {"encoder": "bilstm", "embeddings": "glove-100d", "hidden": HIDDEN}
MODELS = {
    "bilstm-softmax": {**WORDS, "head": "softmax"},
    "bilstm-crf": {**WORDS, "head": "crf"},
    "bilstm-characters": {**WORDS, "head": "softmax", "characters": CHARACTERS},
    "minilm": {"encoder": "bert", "head": "softmax", "checkpoint": "minilm"},
}
CORPORA = {"wnut17": "wnut17/wnut17train.conll", "ncbi-disease": "ncbi-disease/train.tsv"}
# One pass over the data per epoch, all of them; dev is scored after each one and not timed.
TRAINING = {"batch": BATCH, "patience": 0, "budget": "passes", "order": "random"}
# Sentences of like length are looked for within so many batches.
WINDOW = 50
# For dev and test, which a job must have and which are not timed.
HELD_OUT = 50


# What both sides train on


def sentences(path):
    read, tokens = [], []
    with open(path, encoding="utf-8") as file:
        for line in [*file, "\n"]:
            fields = line.rstrip("\n").split("\t")
            if fields[0].strip():
                tokens.append((fields[0], fields[-1]))
            elif tokens:
                read.append(tokens)
                tokens = []
    return read


def write(path, read):
    with open(path, "w", encoding="utf-8") as file:
        for sentence in read:
            file.writelines(f"{word}\t{tag}\n" for word, tag in sentence)
            file.write("\n")


def bucketed(lengths, draw):
    """Batches of like length in random order."""
    order = list(range(len(lengths)))
    draw.shuffle(order)
    size = WINDOW * BATCH
    windows = [order[at : at + size] for at in range(0, len(order), size)]
    order = [i for window in windows for i in sorted(window, key=lambda i: lengths[i])]
    cut = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    draw.shuffle(cut)
    return cut


def drawn(data, count, number, lengths):
    """The sentences of a round; with lengths whole batches of like length, one after the other."""
    draw = random.Random(number)
    if lengths:
        full = [batch for batch in bucketed(lengths, draw) if len(batch) == BATCH]
        taken = full[: count // BATCH] if count else full
        return [data[i] for batch in taken for i in batch]
    return draw.sample(data, min(count or len(data), len(data)))


class Corpus:
    """A corpus and the sentences that rounds draw from it."""

    def __init__(self, corpora, name):
        self.path, self.data, self.lengths = os.path.join(corpora, CORPORA[name]), None, None

    def draw(self, count, number, of_like_length):
        self.data = self.data or sentences(self.path)
        if of_like_length and not self.lengths:
            self.lengths = [len(ids) for ids, _ in pieces(self.data, {})]
        return drawn(self.data, count, number, self.lengths if of_like_length else None)


# tailgrid


def ours(program, model, train, threads, epochs, more):
    corpus = {
        "name": "drawn", "format": "columns", "train": "train.conll", "dev": "held-out.conll",
        "test": "held-out.conll", "columns": {"token": 0, "tag": 1, "separator": "tab"}, "scheme": "iob2",
    }
    grid = {
        "version": 1, "name": "epochs", "corpora": [corpus], "seeds": 1, "methods": ["original"],
        "models": [{"name": model, **MODELS[model]}],
        "training": {**TRAINING, "epochs": epochs, "threads": threads, **more},
    }
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "train.conll"), train)
        write(os.path.join(folder, "held-out.conll"), train[:HELD_OUT])
        path = os.path.join(folder, "grid.yaml")
        with open(path, "w") as file:
            json.dump(grid, file)
        results = os.path.join(folder, "results")
        run([program, "run", path, "--results", results, "--quiet"])
        jobs = os.path.join(results, "epochs", "jobs")
        with open(os.path.join(jobs, os.listdir(jobs)[0], "record.json")) as file:
            record = json.load(file)
    return warm([epoch["seconds"] for epoch in record["outcome"]["epochs"]])


def run(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def warm(seconds):
    """The median epoch; the first one warms up where there are several."""
    return statistics.median(seconds[1:] or seconds)


# The peer


def theirs(model, train, threads, epochs, autocast):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "train.conll")
        write(path, train)
        settings = [path, model, str(threads), str(epochs), str(int(autocast))]
        return warm(json.loads(run([sys.executable, __file__, "--peer", *settings])))


def peer(path, model, threads, epochs, autocast):
    import torch

    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    torch.manual_seed(1)
    random.seed(1)
    data = sentences(path)
    tags = {tag: i for i, tag in enumerate(sorted({tag for s in data for _, tag in s}))}
    build = bert if model == "minilm" else bilstm
    rows, forward, parameters, optimiser = build(data, tags, model)
    lengths = [len(ids) for ids, _ in rows]
    order, seconds = list(range(len(rows))), []
    for _ in range(epochs):
        start = time.perf_counter()
        # With autocast the file has whole batches of like length.
        if not autocast:
            random.shuffle(order)
        cut = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
        random.shuffle(cut)
        for batch in cut:
            width = max(lengths[i] for i in batch)
            ids = torch.zeros(len(batch), width, dtype=torch.long)
            gold = torch.full((len(batch), width), -100, dtype=torch.long)
            for row, i in enumerate(batch):
                ids[row, : lengths[i]] = torch.tensor(rows[i][0])
                gold[row, : lengths[i]] = torch.tensor(rows[i][1])
            mask = torch.arange(width) < torch.tensor([lengths[i] for i in batch]).unsqueeze(1)
            optimiser.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
                loss = forward(batch, ids, gold, mask)
            loss.item()
            loss.backward()
            if model == "minilm":
                torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimiser.step()
        seconds.append(time.perf_counter() - start)
    print(json.dumps(seconds))


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


def bilstm(data, tags, model):
    import torch

    words, letters = {}, {}
    rows = [([words.setdefault(w, len(words)) for w, _ in s], [tags[t] for _, t in s]) for s in data]
    vectors = torch.nn.Embedding(len(words), 100)
    vectors.requires_grad_(False)
    crf, spelled = model == "bilstm-crf", model == "bilstm-characters"
    lstm = torch.nn.LSTM(100 + 2 * CHARACTERS * spelled, HIDDEN, batch_first=True, bidirectional=True)
    head, dropout = torch.nn.Linear(2 * HIDDEN, len(tags)), torch.nn.Dropout(0.5)
    parameters = [*lstm.parameters(), *head.parameters()]
    transitions = torch.nn.Parameter(torch.zeros(len(tags), len(tags)))
    if crf:
        parameters.append(transitions)
    if spelled:
        spellings = [[torch.tensor([letters.setdefault(c, len(letters)) for c in w]) for w, _ in s] for s in data]
        table = torch.nn.Embedding(len(letters), 100)
        reader = torch.nn.LSTM(100, CHARACTERS, batch_first=True, bidirectional=True)
        parameters += [*table.parameters(), *reader.parameters()]

    def spell(batch, mask):
        """The last states of the LSTM over the characters of all words, padded to the longest."""
        each = [spelling for i in batch for spelling in spellings[i]]
        ends = torch.tensor([len(spelling) - 1 for spelling in each])
        states, _ = reader(table(torch.nn.utils.rnn.pad_sequence(each, batch_first=True)))
        ahead = states[torch.arange(len(each)), ends, :CHARACTERS]
        of_words = torch.cat([ahead, states[:, 0, CHARACTERS:]], 1)
        return torch.zeros(*mask.shape, 2 * CHARACTERS).masked_scatter(mask.unsqueeze(2), of_words)

    def forward(batch, ids, gold, mask):
        inputs = vectors(ids)
        if spelled:
            inputs = torch.cat([inputs, spell(batch, mask)], 2)
        states, _ = lstm(dropout(inputs))
        logits = head(dropout(states))
        if crf:
            return crf_loss(logits, gold.clamp(min=0), mask, transitions)
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), gold.flatten(), ignore_index=-100)

    return rows, forward, parameters, torch.optim.Adam(parameters, lr=1e-3)


def checkpoint():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(home, "tailgrid", "checkpoints", "minilm")


def pieces(data, tags):
    """The pieces of each sentence, with the tag of each word at its first piece."""
    from transformers import BertTokenizerFast

    tokeniser = BertTokenizerFast.from_pretrained(checkpoint())
    rows = []
    for sentence in data:
        encoded = tokeniser([w for w, _ in sentence], is_split_into_words=True, truncation=True, max_length=512)
        gold, before = [], None
        for word in encoded.word_ids():
            gold.append(tags.get(sentence[word][1]) if word is not None and word != before else -100)
            before = word
        rows.append((encoded["input_ids"], gold))
    return rows


def bert(data, tags, _):
    import torch
    from transformers import BertModel

    rows = pieces(data, tags)
    model = BertModel.from_pretrained(checkpoint(), add_pooling_layer=False)
    model.train()
    head, dropout = torch.nn.Linear(384, len(tags)), torch.nn.Dropout(0.1)
    parameters = [*model.parameters(), *head.parameters()]
    groups = [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": 0.01},
        {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
    ]

    def forward(_, ids, gold, mask):
        states = model(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        logits = head(dropout(states)).float()
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), gold.flatten(), ignore_index=-100)

    return rows, forward, parameters, torch.optim.AdamW(groups, lr=2e-5)


# The table


def groups(program, corpora, asked_sentences, asked_rounds):
    found = []

    def group(corpus, model, threads, rounds, count, epochs, of_like_length, rows, precisions=("f32",)):
        count = count if asked_sentences is None else asked_sentences
        draw = lambda number: corpus.draw(count, number, of_like_length)
        peers = lambda number: theirs(model, draw(number), threads, epochs, of_like_length)
        # f32 is the default, which models other than transformers have alone.
        more = {name: {} if name == "f32" else {"precision": name} for name in precisions}
        us = {
            f"tailgrid {name}": lambda number, more=more[name]: ours(program, model, draw(number), threads, epochs, more)
            for name in precisions
        }
        rows = [(name, "peer", f"tailgrid {precision}", bar) for name, precision, bar in rows]
        found.append(Group(("s", 2), asked_rounds or rounds, {"peer": peers, **us}, rows))

    wnut, ncbi = Corpus(corpora, "wnut17"), Corpus(corpora, "ncbi-disease")
    for corpus, name, bars in ((wnut, "wnut17", (2.0, 3.0)), (ncbi, "ncbi", (2.3, 3.5))):
        rows = [(f"minilm-{name}-f32", "f32", bars[0]), (f"minilm-{name}-bf16", "bf16", bars[1])]
        group(corpus, "minilm", 2, 3, 480, 1, False, rows, ("f32", "bf16"))
        rows = [(f"minilm-{name}-bf16-to-autocast", "bf16", 1.2)]
        group(corpus, "minilm", 2, 3, 480, 1, True, rows, ("bf16",))
    for model, count, epochs, bar in (
        ("bilstm-softmax", 1600, 2, 1.5),
        ("bilstm-crf", 1600, 2, 1.9),
        ("bilstm-characters", 480, 2, 2.0),
    ):
        for threads in (1, 2):
            rows = [(f"{model}-wnut17-{in_threads(threads)}", "f32", bar)]
            group(wnut, model, threads, 5, count, epochs, False, rows)
    return found


def main():
    parser = argparse.ArgumentParser(description="Epochs of training beside PyTorch and transformers.")
    parser.add_argument("program", help="tailgrid")
    parser.add_argument("corpora", help="the folder of corpora")
    parser.add_argument("--only", action="append", metavar="ROW", help="rows to measure, globs (repeatable)")
    parser.add_argument("--rounds", type=int, help="runs of each side [3 of MiniLM, 5 of BiLSTMs]")
    parser.add_argument("--sentences", type=int, metavar="N", help="sentences of an epoch; 0 takes the whole corpus")
    parser.add_argument("--list", action="store_true", help="print the names of the rows and stop")
    asked = parser.parse_args()
    every = groups(os.path.abspath(asked.program), asked.corpora, asked.sentences, asked.rounds)
    if asked.list:
        print("\n".join(names(every)))
    else:
        measure("epoch of drawn sentences", every, asked.only)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        peer(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6] == "1")
    else:
        main()
