"""Writes the trained network and its vocabulary as a GGUF file."""

import gguf

from bpe import SPECIAL
from dialogues import TEMPLATE

LAYER_TENSORS = {
    "attention_norm.weight": "attn_norm",
    "attention.q.weight": "attn_q",
    "attention.k.weight": "attn_k",
    "attention.v.weight": "attn_v",
    "attention.out.weight": "attn_output",
    "feed_norm.weight": "ffn_norm",
    "gate.weight": "ffn_gate",
    "up.weight": "ffn_up",
    "down.weight": "ffn_down",
}


def write_shape(writer, shape):
    writer.add_name("tandem talk model")
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads)
    writer.add_layer_norm_rms_eps(shape.epsilon)
    writer.add_rope_dimension_count(shape.head_width)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_vocab_size(shape.vocabulary)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)


def write_vocabulary(writer, tokenizer):
    plain, special = len(tokenizer.tokens), list(tokenizer.special)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([tokenizer.letters(token) for token in tokenizer.tokens] + special)
    writer.add_token_types([gguf.TokenType.NORMAL] * plain + [gguf.TokenType.CONTROL] * len(special))
    writer.add_token_merges([f"{tokenizer.letters(a)} {tokenizer.letters(b)}" for a, b in tokenizer.merges])
    end_of_text, _, end_of_turn = (tokenizer.special[text] for text in SPECIAL)
    writer.add_bos_token_id(end_of_text)
    writer.add_eos_token_id(end_of_turn)
    writer.add_pad_token_id(end_of_text)
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)


def tensor_name(parameter):
    if parameter == "embedding.weight":
        return "token_embd.weight"  # without an output matrix, this matrix is also the output
    if parameter == "norm.weight":
        return "output_norm.weight"
    _, number, rest = parameter.split(".", 2)
    return f"blk.{number}.{LAYER_TENSORS[rest]}.weight"


def write(path, network, tokenizer):
    writer = gguf.GGUFWriter(path, "llama")
    write_shape(writer, network.shape)
    write_vocabulary(writer, tokenizer)
    for parameter, tensor in network.state_dict().items():
        data = tensor.numpy()
        writer.add_tensor(tensor_name(parameter), data.astype("float16") if data.ndim == 2 else data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
