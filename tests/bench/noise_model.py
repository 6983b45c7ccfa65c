"""Writes a tiny language model of noise as a GGUF file. Its tokens are the bytes and the given special
tokens. Only a grammar makes it write text.
"""

import random
import struct
from array import array

WIDTH, HEADS, CONTEXT = 32, 2, 65536
END = "<|end of noise|>"
FIRST_SPECIAL = 257
# Types of values and tokens in GGUF files.
COUNT, INT, FLOAT, BOOL, TEXT, LIST = 4, 5, 6, 7, 8, 9
NORMAL, CONTROL = 1, 3
FORMATS = {COUNT: "<I", INT: "<i", FLOAT: "<f", BOOL: "<?"}


def byte_letters():
    """GPT-2's names of the bytes, which are printable."""
    plain = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte if byte in plain else next(others)) for byte in range(256)]


def text(words):
    return struct.pack("<Q", len(words.encode())) + words.encode()


def value(kind, content):
    return text(content) if kind == TEXT else struct.pack(FORMATS[kind], content)


def field(key, kind, content):
    if not isinstance(content, list):
        return text(key) + struct.pack("<I", kind) + value(kind, content)
    items = b"".join(value(kind, item) for item in content)
    return text(key) + struct.pack("<IIQ", LIST, kind, len(content)) + items


def fields(special):
    tokens = [*byte_letters(), END, *special]
    llama = {"context_length": CONTEXT, "embedding_length": WIDTH, "block_count": 1, "feed_forward_length": WIDTH}
    llama |= {"attention.head_count": HEADS, "rope.dimension_count": WIDTH // HEADS, "vocab_size": len(tokens)}
    end = {name: 256 for name in ("bos_token_id", "eos_token_id")}
    return [
        ("general.architecture", TEXT, "llama"),
        *((f"llama.{key}", COUNT, content) for key, content in llama.items()),
        ("llama.attention.layer_norm_rms_epsilon", FLOAT, 1e-5),
        ("tokenizer.ggml.model", TEXT, "gpt2"),
        ("tokenizer.ggml.pre", TEXT, "gpt-2"),
        ("tokenizer.ggml.tokens", TEXT, tokens),
        ("tokenizer.ggml.token_type", INT, [NORMAL] * 256 + [CONTROL] * (len(tokens) - 256)),
        ("tokenizer.ggml.merges", TEXT, ["Ġ t"]),
        *((f"tokenizer.ggml.{key}", COUNT, content) for key, content in end.items()),
        ("tokenizer.ggml.add_bos_token", BOOL, False),
    ]


def shapes(tokens):
    squares = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]
    named = {f"blk.0.{name}.weight": [WIDTH, WIDTH] for name in squares}
    named |= {name: [WIDTH] for name in ("blk.0.attn_norm.weight", "blk.0.ffn_norm.weight", "output_norm.weight")}
    return {"token_embd.weight": [WIDTH, tokens], **named}


def padded(data):
    return data + bytes(-len(data) % 32)


def write_model(path, special):
    """Writes the model. The ids of the special tokens begin at FIRST_SPECIAL."""
    noise, head, data = random.Random(1), b"", b""
    tensors = shapes(FIRST_SPECIAL + len(special))
    for name, shape in tensors.items():
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
        count = WIDTH * shape[-1] if len(shape) == 2 else WIDTH
        data += padded(array("f", (noise.gauss(0, 0.1) for _ in range(count))).tobytes())
    entries = fields(special)
    start = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(entries))
    with open(path, "wb") as file:
        file.write(padded(start + b"".join(field(*entry) for entry in entries) + head) + data)
