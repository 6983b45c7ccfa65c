#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem {
inline namespace v0 {

/// What a llama-server reports in /props.
struct server_props {
    /// Slots of the server (`--parallel`), at least 1.
    int total_slots = 0;
    /// Context of one slot, in tokens; 0 if the server does not report it.
    int context_per_slot = 0;
    /// The model's alias or, without one, its file name; empty if the server reports neither.
    std::string model;
    /// The path of the model's file on the server; empty if the server does not report it.
    std::string model_path;
    /// Free text such as "b11669-Debian"; empty if the server does not report it.
    std::string build_info;
    /// The model's chat template (Jinja), and the texts of its BOS and EOS tokens; empty if it has
    /// none.
    std::string chat_template;
    std::string bos_token;
    std::string eos_token;
    /// Whether the model is unloaded until the next request (`--sleep-idle-seconds`); false if the
    /// server does not report that.
    bool is_sleeping = false;
    /// Whether /slots, /metrics and changes to /props are enabled. If the server does not report
    /// this, /slots is assumed to be enabled, and the others disabled.
    bool has_slots_endpoint = true;
    bool has_metrics_endpoint = false;
    bool has_props_endpoint = false;
};

/// Warns of a server with fewer slots than wanted; empty if it has enough.
std::string slots_warning(const server_props& props, int slots_wanted);

/// A slot as reported by /slots. Counts are 0 for an unused slot, and if the server does not report
/// them.
struct slot_state {
    /// The server's number for the slot, from 0.
    int id = 0;
    /// Context of the slot, in tokens.
    int context = 0;
    /// Whether the slot is processing a request.
    bool processing = false;
    /// Whether the server uses speculative decoding for the slot.
    bool speculative = false;
    /// The server's number for the current or last task; empty for an unused slot, and if the
    /// server does not report it.
    std::optional<int> task{};
    /// Tokens in the slot and, of these, tokens that were cached and tokens that were evaluated for
    /// the running request.
    int prompt_tokens = 0;
    int cached_tokens = 0;
    int evaluated_tokens = 0;
    /// Tokens generated in the running request.
    int decoded = 0;
};

/// A LoRA adapter that the server was started with (`--lora`).
struct server_adapter {
    /// The server's number for the adapter, from 0.
    int id = 0;
    /// Path of its file on the server; empty if unknown.
    std::string path;
    /// Scale for requests that name no adapters; 0 = off. May be negative.
    double scale = 0;
};

/// Result of saving a slot to a file on the server, or of restoring it.
struct slot_file_result {
    /// Tokens in the file; 0 if the slot held none.
    int tokens = 0;
    /// Size of the file; 0 if the server does not report it.
    std::int64_t bytes = 0;
    /// How long the server took, in ms; 0 if it does not report that.
    double ms = 0;
};

/// A function call that the model requested.
struct tool_call {
    /// Id to which the result of the call refers; empty if there is none.
    std::string id{};
    /// The function.
    std::string name{};
    /// JSON text as the model wrote it. For some templates, the server parses it.
    std::string arguments{};

    bool operator==(const tool_call&) const = default;
};

/// A message for the model's chat template, which silently drops what it does not support.
struct chat_message {
    /// "system", "user", "assistant" or "tool"; templates may support others.
    std::string role{};
    /// May be empty, for example in an assistant's message with only tool calls.
    std::string content{};
    /// Tool calls of an assistant's message. Such a message cannot be the last one: the server
    /// would have to continue it, and refuses that (bad_request).
    std::vector<tool_call> tool_calls{};
    /// For role "tool", the result of a call: the call's id, and the name of the function. Omitted
    /// if empty.
    std::string tool_call_id{};
    std::string name{};

    bool operator==(const chat_message&) const = default;
};

}  // namespace v0
}  // namespace tandem
