"""Trains a small network on the digits data with PyTorch."""
import os

import torch
from torch import nn

torch.set_num_threads(1)
folder = os.environ.get("HADAR_DATA") or os.path.expanduser("~/.cache/hadar/data")
with open(os.path.join(folder, "digits.csv")) as file:
    rows = torch.tensor([[float(cell) for cell in line.split(",")] for line in file])
held_out = torch.arange(len(rows)) % 5 == 4
training, validation = rows[~held_out], rows[held_out]

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
loss_of = nn.CrossEntropyLoss()


def accuracy():
    with torch.no_grad():
        guesses = model(validation[:, :64] / 16).argmax(dim=1)
    return (guesses == validation[:, 64]).float().mean().item()


for step in range(1000):
    batch = training[torch.randint(len(training), (32,))]
    optimizer.zero_grad()
    loss_of(model(batch[:, :64] / 16), batch[:, 64].long()).backward()
    optimizer.step()

print(f"accuracy {accuracy():.4f}")
