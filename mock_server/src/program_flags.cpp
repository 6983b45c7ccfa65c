#include "program_flags.hpp"

#include "tandem_mock/server.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace tandem::mock {
namespace {

constexpr const char* description =
    "Behaves like llama-server with a model that follows a script.\n\n"
    "  tandem-mock-server --port 8080 --parallel 2 --tokens-per-second 50\n\n"
    "The first line on stdout is \"listening on URL\". Ends on SIGINT or SIGTERM.";

constexpr const char* fault_help =
    "KIND[:FIELD=VALUE,...], may be repeated; at most one fault applies to each request.\n"
    "Kinds: stall reset close half_event garbage no_final stream_error slow_headers\n"
    "unavailable http_error crash unnoticed_cut. Fields: at_token (1; -1 = the final event), "
    "at_byte,\n"
    "duration (250ms, 2s), skip (requests that pass first), times (1; 0 = all), path\n"
    "(/completion; empty = any), id_slot, status (500), text (to the end of the line).\n"
    "A request may contain its own fault in the field \"mock_fault\". Example: "
    "reset:at_token=5,skip=2";

const std::map<std::string, memory_kind> memory_kinds{
    {"attention", memory_kind::attention},
    {"recurrent", memory_kind::recurrent},
    {"sliding-window", memory_kind::sliding_window}};

constexpr const char* memory_help =
    "attention: can roll back to any token; recurrent (Mamba, hybrids): only to a\n"
    "checkpoint of the prompt; sliding-window (Gemma): only within a window";

void add_server_flags(CLI::App& app, options& o, program_flags::raw_flags& raw) {
    app.add_option("--host", o.host, "address to listen on")->capture_default_str();
    app.add_option("--port", o.port, "port (0: any free port)")->capture_default_str();
    app.add_option("--parallel", o.parallel, "slots")->capture_default_str();
    app.add_option("-c,--ctx-size", o.ctx_size, "total tokens of all slots")->capture_default_str();
    app.add_flag("--kv-unified,--unified-kv", o.kv_unified, "let each slot use the whole context");
    app.add_option("--cache-ram", o.cache_ram,
                   "host memory for copies of slots in MiB, 1548 bytes per token\n"
                   "(0: none; -1: as many tokens as --ctx-size)")
        ->capture_default_str();
    app.add_flag("--no-cache-idle-slots", raw.no_cache_idle_slots,
                 "do not copy idle slots to host memory when a request starts, nor\n"
                 "empty them with --kv-unified");
    app.add_option("-b,--batch-size", o.batch_size, "prompt tokens per batch")
        ->capture_default_str();
    app.add_option("-a,--alias", o.model, "name of the model")->capture_default_str();
    app.add_option("--lora", o.lora,
                   "comma-separated paths of LoRA adapters; they do not change the text")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--build-info", o.build_info, "build that /props reports")
        ->capture_default_str();
    app.add_option("--api-key", o.api_key, "API key that requests must contain");
    app.add_option("--sse-ping-interval", raw.sse_ping_interval,
                   "interval of pings in seconds (-1: no pings)")
        ->capture_default_str();
    app.add_option(
        "--slot-save-path", raw.slot_save_path,
        "any value enables erasing, saving and restoring slots; files are kept in memory");
    app.add_flag("--no-slots", raw.no_slots, "disable GET /slots");
    app.add_option("--ssl-cert-file", o.ssl_cert_file, "PEM file, for HTTPS");
    app.add_option("--ssl-key-file", o.ssl_key_file, "PEM file, for HTTPS");
}

void add_model_flags(CLI::App& app, options& o) {
    app.add_option("--memory", o.memory, memory_help)
        ->transform(CLI::CheckedTransformer(memory_kinds).description(""))
        ->type_name("KIND")
        ->default_str("attention");
    app.add_option("--sliding-window", o.sliding_window,
                   "window size of --memory sliding-window in tokens")
        ->capture_default_str();
    app.add_option("--ubatch-size", o.ubatch_size, "prompt tokens between the last two checkpoints")
        ->capture_default_str();
    app.add_option("--ctx-checkpoints", o.ctx_checkpoints, "maximum checkpoints of a slot")
        ->capture_default_str();
}

void add_mock_flags(CLI::App& app, options& o, program_flags::raw_flags& raw) {
    app.add_option("--tokens-per-second", o.tokens_per_second,
                   "token rate of each slot (0: unlimited)")
        ->capture_default_str();
    app.add_option("--total-tokens-per-second", o.total_tokens_per_second,
                   "token rate of all slots together (0: unlimited)")
        ->capture_default_str();
    app.add_option("--prompt-tokens-per-second", o.prompt_tokens_per_second,
                   "evaluation rate of prompts (0: unlimited)")
        ->capture_default_str();
    app.add_option("--conversation-change-ms", raw.conversation_change_ms,
                   "how long all slots pause while one conversation is saved to\n"
                   "host memory and another one is loaded; half of it for each")
        ->capture_default_str();
    app.add_option("--dialogues", raw.dialogues,
                   "JSON Lines of {\"id\", \"messages\": [{\"role\", \"content\"}...]} to follow");
    app.add_flag("--no-bos", raw.no_bos, "simulate a model without a BOS token");
    app.add_flag("--no-chat-template", raw.no_chat_template, "disable POST /apply-template");
    app.add_flag("--tool-template", o.tool_template,
                 "use a chat template with tools, whose calls are <tool_call> and JSON");
    app.add_option("--load-ms", raw.load_ms,
                   "how long to answer 503 \"Loading model\" after the first request")
        ->capture_default_str();
    app.add_option("--crash-within-ms", raw.crash_within_ms,
                   "crash if a request reaches a slot this soon after a cut (0: never)")
        ->capture_default_str();
    app.add_option("--fault", raw.faults, fault_help)->allow_extra_args(false);
}

}  // namespace

program_flags::program_flags(CLI::App& app) {
    app.description(description);
    add_server_flags(app, options_, raw_);
    add_model_flags(app, options_);
    add_mock_flags(app, options_, raw_);
}

options program_flags::read() const {
    auto o = options_;
    const auto& raw = raw_;
    if (!raw.dialogues.empty()) o.dialogues = load_dialogues(raw.dialogues);
    for (const std::string& text : raw.faults) o.faults.push_back(parse_fault(text));
    o.crash_within = std::chrono::milliseconds(raw.crash_within_ms);
    o.conversation_change = std::chrono::milliseconds(raw.conversation_change_ms);
    o.load_time = std::chrono::milliseconds(raw.load_ms);
    o.sse_ping_interval = std::chrono::seconds(raw.sse_ping_interval);
    o.slot_actions = !raw.slot_save_path.empty();
    o.cache_idle_slots = !raw.no_cache_idle_slots;
    o.slots_endpoint = !raw.no_slots;
    o.add_bos = !raw.no_bos;
    o.has_chat_template = !raw.no_chat_template;
    o.on_crash = [](const std::string& message) {
        std::fprintf(stderr, "%s\n", message.c_str());
        std::abort();
    };
    return o;
}

}  // namespace tandem::mock
