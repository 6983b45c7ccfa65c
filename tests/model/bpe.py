"""Byte-level BPE like GPT-2 and llama.cpp's "gpt-2" pre-tokeniser: learns merges, encodes, decodes."""

from collections import Counter
from functools import lru_cache

import regex

PIECE = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
SPECIAL_SPLIT = regex.compile("(" + "|".join(map(regex.escape, SPECIAL)) + ")")


def byte_letters():
    """GPT-2's table: every byte gets a printable letter, because vocabulary entries are text."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    other = [byte for byte in range(256) if byte not in plain]
    table = {byte: chr(byte) for byte in plain}
    table.update({byte: chr(256 + i) for i, byte in enumerate(other)})
    return table


LETTERS = byte_letters()


def is_whole_or_inside(token):
    """Whether a token contains only whole characters of up to three bytes, or only a part of one character.

    Thus no token contains parts of two characters, and characters of four bytes (emoji) always need
    several tokens.
    """
    try:
        return all(ord(char) < 0x10000 for char in token.decode())
    except UnicodeDecodeError:
        starts = [byte for byte in token if byte & 0xC0 != 0x80]
        return len(starts) + (token[0] & 0xC0 == 0x80) == 1


def count_pairs(words):
    pairs = Counter()
    for word, count in words.items():
        for pair in zip(word, word[1:]):
            pairs[pair] += count
    return pairs


def merge_word(word, pair):
    out, i = [], 0
    while i < len(word):
        if word[i : i + 2] == pair:
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return tuple(out)


def learn_merges(texts, count):
    """Returns merges, the most frequent pairs first. Their bytes order equal pairs, so all runs agree."""
    pieces = Counter(piece for text in texts for piece in PIECE.findall(text))
    words = Counter()
    for piece, n in pieces.items():
        words[tuple(bytes([byte]) for byte in piece.encode())] += n
    merges = []
    while len(merges) < count:
        pairs = {p: n for p, n in count_pairs(words).items() if is_whole_or_inside(p[0] + p[1])}
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        words = Counter({merge_word(word, best): n for word, n in words.items()})
    return merges


class Tokenizer:
    def __init__(self, merges):
        self.merges = merges
        self.tokens = [bytes([byte]) for byte in range(256)] + [a + b for a, b in merges]
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        self.special = {text: len(self.tokens) + i for i, text in enumerate(SPECIAL)}
        self.rank = {pair: i for i, pair in enumerate(merges)}
        self.encode_piece = lru_cache(maxsize=None)(self._encode_piece)

    def __len__(self):
        return len(self.tokens) + len(self.special)

    def _encode_piece(self, piece):
        word = tuple(bytes([byte]) for byte in piece.encode())
        while len(word) > 1:
            best = min(zip(word, word[1:]), key=lambda pair: self.rank.get(pair, len(self.rank)))
            if best not in self.rank:
                break
            word = merge_word(word, best)
        return [self.ids[token] for token in word]

    def encode(self, text):
        """Works like the server: splits at special tokens first, and encodes the parts in between separately."""
        ids = []
        for part in SPECIAL_SPLIT.split(text):
            if part in self.special:
                ids.append(self.special[part])
            else:
                ids += [i for piece in PIECE.findall(part) for i in self.encode_piece(piece)]
        return ids

    def decode(self, ids):
        """Returns the bytes of the tokens. Special tokens have no bytes."""
        return b"".join(self.tokens[i] for i in ids if i < len(self.tokens))

    def letters(self, token):
        return "".join(LETTERS[byte] for byte in token)
