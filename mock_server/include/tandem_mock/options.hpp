#pragma once

#include "tandem_mock/dialogue.hpp"
#include "tandem_mock/fault.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tandem::mock {

/// How a model's memory can reuse a slot's tokens if a request matches only some of them.
enum class memory_kind {
    attention,       ///< rolls back to any token: keeps the common prefix
    recurrent,       ///< such as Mamba and hybrids: only continues, or rolls back to a checkpoint
    sliding_window,  ///< such as Gemma: rolls back within a window, or to a checkpoint
};

/// Settings of the mock server, named like llama-server's flags where those exist.
struct options {
    std::string host = "127.0.0.1";  ///< an IP address, not a host name
    std::uint16_t port = 0;          ///< 0 = any free port

    int parallel = 2;      ///< slots, 1 to 256
    int ctx_size = 16384;  ///< tokens of all slots together, divided equally
    /// All slots share one context, and each slot reports its whole size. In the real server, the
    /// shared context may be full before a slot is; the mock does not simulate this.
    bool kv_unified = false;
    /// MiB of host memory for copies of slots, at 1548 bytes per token. 0 = no copies. -1 limits
    /// the copies to `ctx_size` tokens; b11669 does so, although its help says that there is no
    /// limit.
    int cache_ram = 8192;
    /// Whether all idle slots are copied to host memory when a request starts. With `kv_unified`,
    /// these slots are also cleared. Has no effect without host memory.
    bool cache_idle_slots = true;
    int batch_size = 2048;  ///< prompt tokens between two checks for cancellation

    memory_kind memory = memory_kind::attention;
    /// How many tokens a sliding-window memory looks back. As in the server, text that is no longer
    /// than this window always rolls back to a checkpoint, even if a request merely continues it.
    int sliding_window = 1024;
    /// A memory that cannot roll back to any token makes two checkpoints per prompt: 4 tokens
    /// before the prompt's end, and `ubatch_size` tokens before that.
    int ubatch_size = 512;
    int ctx_checkpoints = 32;  ///< maximum per slot; the oldest is dropped first

    double tokens_per_second = 0;         ///< per slot; 0 = unlimited
    double total_tokens_per_second = 0;   ///< of all slots together; 0 = unlimited
    double prompt_tokens_per_second = 0;  ///< 0 = unlimited
    /// How long all slots pause while one conversation is copied to host memory and another one is
    /// copied back. Each copy takes half of this time.
    std::chrono::milliseconds conversation_change{0};

    std::string api_key{};  ///< empty = not required
    bool add_bos = true;    ///< text prompts get a BOS token, as most models require
    /// Enables /slots/{id}?action=erase, save and restore (--slot-save-path). Files are kept in
    /// memory.
    bool slot_actions = false;
    bool slots_endpoint = true;     ///< enables GET /slots (--slots)
    bool has_chat_template = true;  ///< enables POST /apply-template
    /// Whether the chat template renders tools and their calls, in the style of Hermes, and POST
    /// /v1/chat/completions parses the calls in the text of a reply.
    bool tool_template = false;
    std::string model = "mock";
    std::vector<std::string> lora{};  ///< paths of LoRA adapters, which do not change the text
    std::string build_info = "b11669-mock";

    std::vector<dialogue> dialogues{};
    std::vector<scripted_reply> replies{};

    /// How long requests are answered with 503 "Loading model". The time starts at the first
    /// request, so that this request finds the model loading even on a slow machine.
    std::chrono::milliseconds load_time{0};
    /// Simulates an old crash of llama-server: the server dies if a slot gets a request less than
    /// this time after the client of its previous request disconnected or lost its connection to a
    /// fault. 0 = off.
    std::chrono::milliseconds crash_within{0};
    std::vector<fault> faults{};

    /// How often a request without results checks whether its client has disconnected.
    std::chrono::milliseconds poll_interval{1000};
    std::chrono::milliseconds sse_ping_interval{30000};  ///< negative = no pings
    std::chrono::milliseconds keep_alive_timeout{5000};

    /// PEM files; HTTPS if both are set. Requires a build with OpenSSL.
    std::string ssl_cert_file{};
    std::string ssl_key_file{};

    /// Called once if the server crashes, on its thread, with the message that the real server
    /// prints.
    std::function<void(const std::string&)> on_crash{};
};

}  // namespace tandem::mock
