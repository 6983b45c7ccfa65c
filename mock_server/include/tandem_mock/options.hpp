#pragma once

#include "tandem_mock/dialogue.hpp"
#include "tandem_mock/fault.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tandem::mock {

/// What a model's memory can do with the tokens of a slot that a request shares only partly.
enum class memory_kind {
    attention,       ///< goes back to any token: the common beginning is kept
    recurrent,       ///< as Mamba and hybrids: it can only go on; else back to a checkpoint
    sliding_window,  ///< as Gemma: goes back within a window; else back to a checkpoint
};

/// How the mock server behaves. Names are those of llama-server's flags where it has them.
struct options {
    std::string host = "127.0.0.1";  ///< an address; names are not looked up
    std::uint16_t port = 0;          ///< 0 = any free one

    int parallel = 2;      ///< slots, 1 to 64
    int ctx_size = 16384;  ///< tokens of all slots together; each has its share
    /// One context for all slots: each is told to have the whole of it. That it may be full before
    /// a slot has as much is not played.
    bool kv_unified = false;
    /// With `kv_unified`, all idle slots are emptied whenever a request starts. The real server
    /// keeps a copy for requests that name no slot; here these find nothing either.
    bool cache_idle_slots = true;
    int batch_size = 2048;  ///< prompt tokens between two looks at cancellation

    memory_kind memory = memory_kind::attention;
    /// Tokens that a memory of this kind looks back. A text no longer than that goes back to a
    /// checkpoint whatever the request, as in the server.
    int sliding_window = 1024;
    /// Of a prompt, a memory that cannot go back to any token gets a checkpoint 4 tokens before the
    /// end, and one `ubatch_size` before that.
    int ubatch_size = 512;
    int ctx_checkpoints = 32;  ///< of a slot at most; the oldest goes first

    double tokens_per_second = 0;         ///< of each slot; 0 = unlimited
    double prompt_tokens_per_second = 0;  ///< 0 = unlimited

    std::string api_key{};  ///< empty = none is asked for
    bool add_bos = true;    ///< prompts given as text get a BOS token, as most models want it
    /// /slots/{id}?action=erase, save and restore work (--slot-save-path). Files are in memory.
    bool slot_actions = false;
    bool slots_endpoint = true;     ///< GET /slots works (--slots)
    bool has_chat_template = true;  ///< POST /apply-template works
    std::string model = "mock";
    std::vector<std::string> lora{};  ///< paths of LoRA adapters, which change no text here
    std::string build_info = "b11669-mock";

    std::vector<dialogue> dialogues{};
    std::vector<scripted_reply> replies{};

    /// 503 "Loading model" for so long, from the first request on: however slow a machine is, that
    /// one meets a server that loads.
    std::chrono::milliseconds load_time{0};
    /// The old crash: a request that reaches a slot within this time after the client of the
    /// slot's last request cut it (or a fault broke the connection) kills the server. 0 = off.
    std::chrono::milliseconds crash_within{0};
    std::vector<fault> faults{};

    /// How often a request that gets no results looks whether its client has gone.
    std::chrono::milliseconds poll_interval{1000};
    std::chrono::milliseconds sse_ping_interval{30000};  ///< negative = no pings
    std::chrono::milliseconds keep_alive_timeout{5000};

    /// PEM files; both set = HTTPS. Only if the mock server was built with OpenSSL.
    std::string ssl_cert_file{};
    std::string ssl_key_file{};

    /// Called once, on the server's thread, with the message the real server would print.
    std::function<void(const std::string&)> on_crash{};
};

}  // namespace tandem::mock
