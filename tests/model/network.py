"""A small LLaMA in the layout of llama.cpp."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass
class Shape:
    vocabulary: int
    context: int = 4096
    width: int = 128
    layers: int = 3
    heads: int = 4
    hidden: int = 384
    rope_base: float = 10000.0
    epsilon: float = 1e-5

    @property
    def head_width(self):
        return self.width // self.heads


class Norm(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(shape.width))
        self.epsilon = shape.epsilon

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * self.weight


def rope_angles(shape, length):
    exponents = torch.arange(0, shape.head_width, 2) / shape.head_width
    angles = torch.outer(torch.arange(length).float(), shape.rope_base**-exponents)
    return angles.cos(), angles.sin()


def rotate(x, angles):
    """Rotates pairs of neighbouring elements, as llama.cpp does for this architecture."""
    cos, sin = angles
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


class Attention(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.q, self.k, self.v, self.out = (nn.Linear(shape.width, shape.width, bias=False) for _ in range(4))

    def split(self, x):
        return x.unflatten(-1, (self.shape.heads, self.shape.head_width)).transpose(1, 2)

    def forward(self, x, angles, mask):
        q, k = (rotate(self.split(part(x)), angles) for part in (self.q, self.k))
        scores = q @ k.transpose(-1, -2) * self.shape.head_width**-0.5 + mask
        mixed = scores.softmax(-1) @ self.split(self.v(x))
        return self.out(mixed.transpose(1, 2).flatten(-2))


class Layer(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.attention_norm, self.attention = Norm(shape), Attention(shape)
        self.feed_norm = Norm(shape)
        self.gate, self.up = (nn.Linear(shape.width, shape.hidden, bias=False) for _ in range(2))
        self.down = nn.Linear(shape.hidden, shape.width, bias=False)

    def forward(self, x, angles, mask):
        x = x + self.attention(self.attention_norm(x), angles, mask)
        y = self.feed_norm(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class Network(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = Norm(shape)
        for weight in self.parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=0.05)

    def forward(self, ids):
        length = ids.shape[1]
        angles = rope_angles(self.shape, length)
        mask = torch.full((length, length), float("-inf")).triu(1)
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x, angles, mask)
        return functional.linear(self.norm(x), self.embedding.weight)
