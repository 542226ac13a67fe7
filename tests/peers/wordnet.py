"""Compare tailgrid's synonyms with those of NLTK on the same files of WordNet.

usage: wordnet.py FOLDER CASES

CASES holds one JSON object a line: a word and its synonyms in their order. Exits with 1 and names the words
for which NLTK finds others.
"""

import json
import os
import shutil
import sys
import tempfile
import warnings

import nltk
from nltk.corpus.reader.wordnet import WordNetCorpusReader


class Reader(WordNetCorpusReader):
    """NLTK's reader for English alone: other languages would need files that packages leave out."""

    def map_wn(self, version="wordnet"):
        return None


def reader(folder, beside):
    """The files where NLTK reads them, with a list of the lexicographers' files, which packages leave out."""
    nltk.data.path.append(beside)
    root = os.path.join(beside, "corpora", "wordnet")
    os.makedirs(root)
    for entry in os.scandir(folder):
        if entry.is_file():
            shutil.copy(entry.path, root)
    lexnames = os.path.join(root, "lexnames")
    if not os.path.exists(lexnames):
        with open(lexnames, "w") as file:
            file.writelines(f"{number:02d}\tfile{number}\t1\n" for number in range(45))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Reader(root, None)


def synonyms(wordnet, word):
    """Every lemma name of every synset, as dai2020 has them, each once, in the order of the synsets."""
    names = (name for synset in wordnet.synsets(word) for name in synset.lemma_names())
    spaced = dict.fromkeys(name.replace("_", " ").replace("-", " ") for name in names)
    spaced.pop(word, None)
    return list(spaced)


def main(folder, cases):
    with tempfile.TemporaryDirectory() as beside:
        wordnet = reader(os.path.abspath(folder), beside)
        count, different, found = 0, 0, 0
        for line in open(cases, encoding="utf-8"):
            case = json.loads(line)
            expected = synonyms(wordnet, case["word"])
            count += 1
            found += bool(expected)
            if case["synonyms"] != expected:
                different += 1
                print(f"{case['word']!r}: tailgrid {case['synonyms']}, NLTK {expected}")
    print(f"{found} words with synonyms")
    if different:
        sys.exit(f"{different} of {count} words differ")
    print(f"{count} words, no difference")


if __name__ == "__main__":
    main(*sys.argv[1:])
