#!/usr/bin/env python3
"""Trains the talk model: a tiny LLaMA that knows dialogues.jsonl by heart. make_model.sh installs the packages."""

import argparse
import math
import random
import time

import torch
from torch.nn import functional

import bpe
import dialogues
import gguf_file
from network import Network, Shape

VOCABULARY = 768
PENALTY_WINDOW = 64  # llama-server's default repeat_last_n
IGNORED = -100


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="talk.gguf")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--batch", type=int, default=16, help="dialogues a step")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def make_tokenizer(talk):
    merges = bpe.learn_merges(dialogues.texts(talk), VOCABULARY - 256 - len(bpe.SPECIAL))
    return bpe.Tokenizer(merges)


def to_tensors(rows):
    """Returns inputs and targets. The padding is at the end, where it does not affect a causal model."""
    length = max(len(row.ids) for row in rows) - 1
    ids = torch.zeros(len(rows), length, dtype=torch.long)
    targets = torch.full_like(ids, IGNORED)
    for i, row in enumerate(rows):
        n = len(row.ids) - 1
        ids[i, :n] = torch.tensor(row.ids[:-1])
        learnt = [token if learn else IGNORED for token, learn in zip(row.ids, row.learn)]
        targets[i, :n] = torch.tensor(learnt[1:])
    return ids, targets


def penalised(logits, ids, penalty):
    """Applies llama-server's repeat_penalty: recent tokens become less likely."""
    seen = functional.one_hot(ids, logits.shape[-1]).cumsum(1)
    seen[:, PENALTY_WINDOW:] -= seen[:, :-PENALTY_WINDOW].clone()
    lower = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen > 0, lower, logits)


def loss_sum(network, rows):
    """Returns the loss without and with a penalty. The model must know replies by heart in both cases."""
    ids, targets = to_tensors(rows)
    logits = network(ids)
    return sum(
        functional.cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="sum")
        for scores in (logits, penalised(logits, ids, penalty=1.2))
    )


def pick_rows(tokenizer, talk, count, rng):
    """Returns rows of random dialogues, half of them cut and continued. To reduce padding, the rows are
    sorted by length and divided into parts of four."""
    picked = [dialogues.with_tools(one, rng) for one in rng.sample(talk, count)]
    rows = [dialogues.dialogue_row(tokenizer, one, rng if i % 2 else None) for i, one in enumerate(picked)]
    rows.sort(key=lambda row: len(row.ids))
    return [rows[i : i + 4] for i in range(0, count, 4)]


def rate_at(step, steps, peak):
    warm_up = min(1.0, (step + 1) / 50)
    return peak * warm_up * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps)))


def train(network, tokenizer, talk, options):
    rng = random.Random(options.seed)
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.rate, betas=(0.9, 0.95), weight_decay=0.01)
    begin = time.monotonic()
    for step in range(options.steps):
        optimizer.param_groups[0]["lr"] = rate_at(step, options.steps, options.rate)
        parts = pick_rows(tokenizer, talk, options.batch, rng)
        learnt = sum(sum(row.learn) for part in parts for row in part)
        total = 0.0
        for part in parts:
            loss = loss_sum(network, part) / learnt
            loss.backward()
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if step % 50 == 0 or step == options.steps - 1:
            print(f"step {step:5d}  loss {total:.4f}  {time.monotonic() - begin:.0f} s", flush=True)


def margins(network, row, penalty):
    """Returns the margin of each learnt token over the next best token."""
    ids, targets = to_tensors([row])
    logits = penalised(network(ids), ids, penalty)[0]
    known = targets[0] != IGNORED
    logits, targets = logits[known], targets[0][known]
    own = logits.gather(1, targets[:, None])[:, 0]
    return own - logits.scatter(1, targets[:, None], float("-inf")).max(1).values


@torch.no_grad()
def report(network, tokenizer, talk):
    rows = [dialogues.dialogue_row(tokenizer, dialogues.with_tools(one)) for one in talk]
    print(f"longest row: {max(len(row.ids) for row in rows)} tokens")
    print(f"{sum(p.numel() for p in network.parameters())} parameters, {sum(sum(r.learn) for r in rows)} learnt tokens")
    for penalty in (1.0, 1.1, 1.2):
        worst = [margins(network, row, penalty).min().item() for row in rows]
        known = sum(margin > 0 for margin in worst)
        print(f"repeat_penalty {penalty}: {known} of {len(rows)} dialogues known, smallest margin {min(worst):.2f}")


def main():
    options = parse_arguments()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    talk = dialogues.load()
    tokenizer = make_tokenizer(talk)
    network = Network(Shape(vocabulary=len(tokenizer)))
    train(network, tokenizer, talk, options)
    report(network, tokenizer, talk)
    gguf_file.write(options.out, network, tokenizer)


if __name__ == "__main__":
    main()
