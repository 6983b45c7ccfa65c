#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// What a llama-server tells about itself in /props.
struct server_props {
    /// Slots of the server (`--parallel`), at least 1.
    int total_slots = 0;
    /// Context of one slot, in tokens; 0 if the server does not say.
    int context_per_slot = 0;
    /// The model's alias, else the name of its file; empty if the server says neither.
    std::string model;
    /// Free text such as "b11669-Debian"; empty if the server does not say.
    std::string build_info;
    /// The model's chat template (Jinja), and the texts of its first and last token; empty if it
    /// has none.
    std::string chat_template;
    std::string bos_token;
    std::string eos_token;
    /// The model is unloaded until the next request (`--sleep-idle-seconds`); false if the server
    /// does not say.
    bool is_sleeping = false;
    /// Whether /slots, /metrics and changes of /props are switched on. Servers that do not say may
    /// have /slots, so it is true then; the others are false.
    bool has_slots_endpoint = true;
    bool has_metrics_endpoint = false;
    bool has_props_endpoint = false;
};

/// What a client that is to use so many slots says of a server with fewer; empty if it has enough.
std::string slots_warning(const server_props& props, int slots_wanted);

/// One slot as /slots tells it. The counts are 0 for a slot that was never used, and in what the
/// server does not say.
struct slot_state {
    /// As the server numbers its slots, from 0 on.
    int id = 0;
    /// Context of the slot, in tokens.
    int context = 0;
    /// It works on a request now.
    bool processing = false;
    /// The server drafts tokens ahead for it (speculative decoding).
    bool speculative = false;
    /// The server's number of the task that it works on, or did last; empty for a slot that was
    /// never used, and where the server does not say.
    std::optional<int> task{};
    /// Tokens that the slot holds now, and of these, in the running request: those it still had,
    /// and those it evaluated.
    int prompt_tokens = 0;
    int cached_tokens = 0;
    int evaluated_tokens = 0;
    /// Tokens generated in the running request.
    int decoded = 0;
};

/// A LoRA adapter that the server was started with (`--lora`).
struct server_adapter {
    /// As the server numbers them, from 0 on.
    int id = 0;
    /// Of its file, as the server was told; empty if it does not say.
    std::string path;
    /// How much it counts for requests that name no adapters; 0 = not at all. May be below 0.
    double scale = 0;
};

/// What became of saving a slot as a file of the server, or of restoring it.
struct slot_file_result {
    /// Tokens in the file; 0 if the slot held none.
    int tokens = 0;
    /// Size of the file; 0 if the server does not say.
    std::int64_t bytes = 0;
    /// How long it took the server, in milliseconds; 0 if it does not say.
    double ms = 0;
};

/// A call of a function that the model asked for.
struct tool_call {
    /// By which the result names its call; empty if there is none.
    std::string id{};
    /// The function.
    std::string name{};
    /// A JSON text, as the model wrote it. Some templates make the server parse it.
    std::string arguments{};

    bool operator==(const tool_call&) const = default;
};

/// One turn of a conversation, for the model's chat template. What the template does not know of,
/// it leaves out without a word.
struct chat_message {
    /// "system", "user", "assistant" or "tool"; templates may know others.
    std::string role{};
    /// May be empty, as in an assistant's message that is nothing but tool calls.
    std::string content{};
    /// Of an assistant's message. Such a message cannot be the last one: the server goes on with an
    /// assistant's last message, and refuses that (bad_request).
    std::vector<tool_call> tool_calls{};
    /// Of a message of role "tool", which is the result of a call: the call's id, and the name of
    /// the function. Left out where empty.
    std::string tool_call_id{};
    std::string name{};

    bool operator==(const chat_message&) const = default;
};

}  // namespace tandem
