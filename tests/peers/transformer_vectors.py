"""Writes tests/vectors/transformer: tiny random models as transformers saves them, with the states and
gradients that transformers computes, and tiny vocabularies with the pieces that tokenizers cuts.

Needs torch, transformers and tokenizers; run by hand when a case is added:
    python tests/peers/transformer_vectors.py tests/vectors/transformer
"""

import json
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

PIECES = 40
ROWS = [[2, 11, 7, 30, 25, 9, 3], [2, 5, 3], [2, 17, 18, 19, 3]]
PADDING = 1


def batch(rows, padding):
    longest = max(map(len, rows))
    ids = torch.tensor([row + [padding] * (longest - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    return ids, mask


def shaken(model):
    """Norms and biases that are not all one and zero."""
    generator = torch.Generator().manual_seed(5)
    for parameter in model.parameters():
        parameter.data += 0.1 * torch.randn(parameter.shape, generator=generator)
    return model.eval()


def write(folder, model):
    """The model, and beside it rows, states, and the gradients of a loss."""
    model.save_pretrained(folder, safe_serialization=True)
    expect(folder, model, ROWS, PADDING)


def expect(folder, model, rows, padding):
    ids, mask = batch(rows, padding)
    states = model(input_ids=ids, attention_mask=mask).last_hidden_state
    # The loss: real states times the cosine of their place in the batch, summed.
    weights = torch.cos(torch.arange(states.numel(), dtype=torch.float32)).view(states.shape)
    weights = weights * mask.unsqueeze(-1)
    model.zero_grad()
    (states * weights).sum().backward()
    expected = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    expected["states"] = states.detach().contiguous()
    (folder / "expected").mkdir(exist_ok=True)
    save_file(expected, folder / "expected" / "model.safetensors")
    (folder / "expected" / "rows.json").write_text(json.dumps({"rows": rows, "padding": padding}) + "\n")


def transformers_cases(root):
    sizes = dict(vocab_size=PIECES, max_position_embeddings=16)
    bert = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24)
    torch.manual_seed(1)
    config = transformers.BertConfig(**sizes, **bert)
    write(root / "bert", shaken(transformers.BertModel(config, add_pooling_layer=False)))
    config = transformers.RobertaConfig(
        **sizes, **bert, type_vocab_size=1, pad_token_id=PADDING, layer_norm_eps=1e-5, hidden_act="gelu_new"
    )
    write(root / "roberta", shaken(transformers.RobertaModel(config, add_pooling_layer=False)))
    config = transformers.BartConfig(
        **sizes, d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=20, pad_token_id=PADDING,
        bos_token_id=0, eos_token_id=3, decoder_start_token_id=3, scale_embedding=True,
    )
    write(root / "bart", shaken(transformers.BartModel(config)))


TEXT = """The European Commission said on Thursday it disagreed with German advice to consumers .
Don't shun British lamb , it's fine ; we'll see 1,234.5 of them at 10:30 a.m. in Zürich !
naïve café São-Paulo résumé coöperate ÅNGSTRÖM straße ΣΊΣΥΦΟΣ привет мир
東京 タワー 北京市 한국어 日本 👍 🥰 ☃ @user #tag http://t.co/a1B2c3 <3 :) $5 50% e=mc^2 `x` a|b ~z
""".splitlines()

WORDS = [
    "The", "commission", "Don't", "we'll", "1,234.5", "Zürich", "ZÜRICH", "naïve", "na\u0308ive", "São-Paulo",
    "ÅNGSTRÖM", "straße", "ΣΊΣΥΦΟΣ", "İstanbul", "привет", "東京タワー", "北京市", "한국어", "👍", "🥰🥰", "☃",
    "@user", "#tag", "http://t.co/a1B2c3", "<3", ":)", "$5", "50%", "e=mc^2", "`x`", "a|b", "~z", "...", "—", "…",
    "[SEP]", "[CLS]", "<s>", "</s>", "##ing", "Ġthe", "a b", "  a   b  ", "a\tb", "\u00a0", "\u200b", "x\u200dy",
    "\u0000", "\ufffd", "\u0007bell", "\u00ad", "soft\u00adhyphen", "e\u0301", "\u0301", "ﬁne", "Ⅷ", "½", "٣",
    "x" * 101, "x" * 100, "supercalifragilistic", "UN", "U.N.", "'s", "'S", "it's", "I'm", "\ue000", "𝒳", "\u2029", "𠮷野家",
]


def cut(tokenizer, word):
    return tokenizer.encode(word, add_special_tokens=False).ids


def tokenisation_cases(root):
    folder = root / "word_piece"
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=220, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.encode_special_tokens = True
    tokenizer.save(str(folder / "tokenizer.json"))
    pieces = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    (folder / "vocab.txt").write_text("".join(piece + "\n" for piece, _ in pieces))
    cases = {"uncased": {word: cut(tokenizer, word) for word in WORDS}}
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    cases["cased"] = {word: cut(tokenizer, word) for word in WORDS}
    (folder / "expected.json").write_text(json.dumps(cases, ensure_ascii=True) + "\n")

    folder = root / "byte_pairs"
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(
        vocab_size=360, special_tokens=special, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.encode_special_tokens = True
    tokenizer.save(str(folder / "tokenizer.json"))
    tokenizer.model.save(str(folder))
    cases = {word: cut(tokenizer, " " + word) for word in WORDS}
    (folder / "expected.json").write_text(json.dumps(cases, ensure_ascii=True) + "\n")


if __name__ == "__main__":
    root = Path(sys.argv[1])
    transformers_cases(root)
    tokenisation_cases(root)
