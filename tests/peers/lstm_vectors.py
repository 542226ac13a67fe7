"""What torch.nn.LSTM makes of packed rows of mixed lengths: states, and the gradients of a weighted sum of them.

    python tests/peers/lstm_vectors.py > tests/vectors/lstm.json
"""

import json

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

torch.manual_seed(7)
INPUT, HIDDEN, LENGTHS = 3, 4, [5, 1, 3]
lstm = torch.nn.LSTM(INPUT, HIDDEN, batch_first=True, bidirectional=True)
vectors = torch.randn(len(LENGTHS), max(LENGTHS), INPUT, requires_grad=True)
packed = pack_padded_sequence(vectors, LENGTHS, batch_first=True, enforce_sorted=False)
states, _ = pad_packed_sequence(lstm(packed)[0], batch_first=True)
weights = torch.randn_like(states)
(states * weights).sum().backward()


def flat(tensor):
    return [round(number, 8) for number in tensor.detach().flatten().tolist()]


parameters = {name: {"value": flat(p), "gradient": flat(p.grad)} for name, p in lstm.named_parameters()}
print(json.dumps({
    "input": INPUT, "hidden": HIDDEN, "lengths": LENGTHS, "torch": torch.__version__.split("+")[0],
    "vectors": {"value": flat(vectors), "gradient": flat(vectors.grad)},
    "weights": flat(weights), "states": flat(states), "parameters": parameters,
}))
