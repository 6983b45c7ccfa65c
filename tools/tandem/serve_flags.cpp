#include "serve_flags.hpp"

#include "client_keys.hpp"
#include "flag_faults.hpp"
#include "input_file.hpp"
#include "listen_address.hpp"
#include "model_name.hpp"
#include "service_flags.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

constexpr int most_connections = 1'000'000;
constexpr int most_prompt_bytes = 16 << 20;  // as a body has at most
constexpr std::size_t max_word_file_bytes = 4u << 20;

constexpr const char* serve_text = R"(Example:
  tandem serve --url http://127.0.0.1:8080

Puts the stage on a port, for bots in any language: OpenAI's API over HTTP
(POST /v1/chat/completions and /v1/completions, GET /v1/models), GET /health,
and GET /ready.

Usage: tandem serve [FLAG...]

A line on stdout tells where it listens. Others than this machine reach it only
with --listen, and that needs keys: "tandem key" makes one, and shows its line
for the file of --keys:
  {"keys": [
    {"name": "reception", "sha256": "9f86...", "requests_per_minute": 120}
  ]}

Several servers (--url may be repeated) share the requests. They use all slots
of their server unless --slots is given.

SIGHUP reads the file of --keys again, and opens that of --audit anew. SIGTERM
and Ctrl-C take no more requests, and let replies that run end within --drain;
a second one stops at once.

Times are written 250ms, 2s, 1m or as plain seconds. Each flag of the groups
server to generation may also be set by a variable (--reuse-guard by
TANDEM_REUSE_GUARD) or in the file of --config ("reuse_guard"). Flags win over
variables, and variables over the file.

Exit status: 0 stopped as asked, 1 could not listen or serve, 2 wrong use, 130
and 143 stopped at once by a second signal.)";

// In the order of their enumerations.
constexpr std::array<std::string_view, 2> format_names{"text", "json"};

// "denied[3]" → 3; nothing for "denied".
std::optional<std::size_t> index_of(std::string_view field) {
    const auto open = field.find('[');
    std::size_t index = 0;
    if (open == field.npos) return std::nullopt;
    std::from_chars(field.data() + open + 1, field.data() + field.size(), index);
    return index;
}

}  // namespace

serve_flags::serve_flags(CLI::App& tandem) : app_(*tandem.add_subcommand(name, serve_text)) {
    app_.footer("put the stage on a port, for any language");
    app_.set_help_flag();
    app_.allow_extras();
    add_gateway_flags();
    add_access_flags();
    const auto add = [&](const char* flag, auto& target, const char* value, const char* help) {
        add_value_flag(app_, flag, target, value, help, "output");
    };
    add("--log-level", texts_.log_level, "LEVEL",
        "log lines on stderr: debug, info, warning, error or off [info]");
    add("--log-format", texts_.log_format, "FORMAT", "text, or json for programs [text]");
    app_.set_help_flag("-h,--help", "this text")->group("output");
    config_.add_to(app_);
}

void serve_flags::add_gateway_flags() {
    auto& t = texts_;
    const auto add = [&](const char* flag, auto& target, const char* value, const char* help) {
        add_value_flag(app_, flag, target, value, help, "gateway");
    };
    add("--listen", t.listen, "ADDRESS:PORT",
        "an address of this machine, IPv6 in brackets; port 0: any that is free [127.0.0.1:8090]");
    add("--model", t.model, "NAME", "as clients know the model [as a server calls it]");
    add("--stream-by", t.stream_by, "UNIT",
        "pieces of a streamed answer: token, or chunk for sentences [token]");
    add("--max-connections", t.max_connections, "N", "one more is closed at once [10000]");
    add("--drain", t.drain, "TIME", "how long replies may run on when it is stopped [30s]");
    add("--placement", t.placement, "HOW",
        "server of a request: round_robin, or least_busy for its slots [least_busy]");
    add("--slots-per-conversation", t.slots_per_conversation, "N",
        "slots that a request has for itself (0: two with a reuse guard, else one) [0]");
}

void serve_flags::add_access_flags() {
    auto& t = texts_;
    const auto add = [&](const char* flag, auto& target, const char* value, const char* help) {
        add_value_flag(app_, flag, target, value, help, "access");
    };
    add("--keys", t.keys, "FILE", "JSON file with the keys of clients; without it none is needed");
    add("--denied", t.denied, "FILE", "words and phrases that no prompt may have, one a line");
    add("--max-prompt-bytes", t.max_prompt_bytes, "N",
        "of all messages together; 0: no bound but that of a request [1048576]");
    add("--audit", t.audit, "FILE",
        "append a line of JSON for each request, without key and prompt; - for stdout");
    app_.add_flag("--audit-prompts", t.audit_prompts, "these lines have the prompt, too")
        ->group("access");
}

serve_options serve_flags::read(const environment& variables, std::vector<std::string>& faults) {
    faults = unknown_flags(app_);
    // The value of an unknown flag is taken for an argument: more would mislead.
    if (faults.empty()) faults = surplus_arguments(app_);
    std::ranges::move(empty_flags(), std::back_inserter(faults));
    serve_options o;
    read_gateway_flags(o, faults);
    read_access_flags(o, faults);
    read_log_flags(o, faults);
    read_configuration(variables, o.gateway.service, faults);
    std::ranges::move(gateway_faults(o), std::back_inserter(faults));
    return o;
}

// `--keys "$KEYS"` without that variable must not let everybody in.
std::vector<std::string> serve_flags::empty_flags() const {
    std::vector<std::string> faults;
    for (const auto* flag : {"--model", "--keys", "--denied", "--audit"})
        if (const auto* option = app_.get_option(flag);
            !option->empty() && option->results().back().empty())
            faults.push_back(fmt::format("{} is empty", flag));
    return faults;
}

void serve_flags::read_gateway_flags(serve_options& o, std::vector<std::string>& faults) const {
    const auto& t = texts_;
    auto& g = o.gateway;
    if (auto address = parse_listen_address(t.listen)) {
        g.address = std::move(address->address);
        g.port = address->port;
    } else {
        faults.push_back(
            fmt::format("--listen is {}; it must be an address and a port, as in "
                        "127.0.0.1:8090, localhost:8090 or [::1]:8090",
                        t.listen));
    }
    g.model = t.model;
    if (!t.model.empty() && !is_model_name(t.model))
        faults.push_back(
            fmt::format("--model must be 1 to {} bytes of UTF-8", max_model_name_bytes));
    g.stream_by = t.stream_by == "chunk" ? stream_by::chunk : stream_by::token;
    if (t.stream_by != "chunk" && t.stream_by != "token")
        faults.push_back(fmt::format("--stream-by is {}; it must be token or chunk", t.stream_by));
    int connections = 1;
    read_number("--max-connections", t.max_connections, 1, most_connections, connections, faults);
    g.max_connections = static_cast<std::size_t>(connections);
    read_time("--drain", t.drain, o.drain, faults);
    read_placement(t.placement, g.service, faults);
    read_slots_per_conversation(t.slots_per_conversation, g.service, faults);
}

void serve_flags::read_access_flags(serve_options& o, std::vector<std::string>& faults) {
    const auto& t = texts_;
    read_keys(o, faults);
    read_denied(o, faults);
    int bytes = 0;
    read_number("--max-prompt-bytes", t.max_prompt_bytes, 0, most_prompt_bytes, bytes, faults);
    o.gateway.prompts.max_bytes = static_cast<std::size_t>(bytes);
    o.audit = t.audit;
    o.gateway.audit_prompts = t.audit_prompts;
    if (t.audit_prompts && t.audit.empty())
        faults.emplace_back("--audit-prompts needs --audit FILE");
}

void serve_flags::read_log_flags(serve_options& o, std::vector<std::string>& faults) const {
    const auto& t = texts_;
    if (!choose(level_names, t.log_level, o.log_level))
        faults.push_back(fmt::format(
            "--log-level is {}; it must be debug, info, warning, error or off", t.log_level));
    if (!choose(format_names, t.log_format, o.log_format))
        faults.push_back(fmt::format("--log-format is {}; it must be text or json", t.log_format));
}

void serve_flags::read_configuration(const environment& variables, service_config& c,
                                     std::vector<std::string>& faults) const {
    auto loaded = config_.load(variables);
    std::ranges::move(loaded.faults, std::back_inserter(faults));
    c.server = std::move(loaded.value);
    c.servers = std::move(loaded.urls);
    if (!loaded.has_slots) c.server.slots = 0;
    std::ranges::move(service_faults(c), std::back_inserter(faults));
}

void serve_flags::read_keys(serve_options& o, std::vector<std::string>& faults) const {
    o.key_file = texts_.keys;
    if (o.key_file.empty()) return;
    if (o.key_file == "-")
        return faults.push_back("--keys is -; it must be a file, which can be read again");
    for (const auto& fault : read_key_file(o.key_file, o.gateway.keys))
        faults.push_back("--keys " + fault);
}

void serve_flags::read_denied(serve_options& o, std::vector<std::string>& faults) {
    if (texts_.denied.empty()) return;
    const auto file = read_file(texts_.denied, max_word_file_bytes);
    if (!file.fault.empty()) return faults.push_back("--denied " + file.fault);
    denied_ = parse_word_list(file.text);
    o.gateway.prompts.denied = denied_.words;
}

// What is wrong besides the servers, by the names of flags.
std::vector<std::string> serve_flags::gateway_faults(const serve_options& o) const {
    auto own = o.gateway;
    own.service = {};
    std::vector<std::string> faults;
    for (const auto& f : check(own)) {
        const auto word = index_of(f.field);
        if (word)
            faults.push_back(fmt::format("--denied {}:{}: {}", input_name(texts_.denied),
                                         denied_.lines[*word], f.message));
        else if (f.field == "denied")
            faults.push_back(fmt::format("--denied {}: {}", input_name(texts_.denied), f.message));
        // Keys that cannot be read were told.
        else if (f.field == "address" && texts_.keys.empty())
            faults.push_back(fmt::format("--listen {}; --keys FILE names them", f.message));
    }
    return faults;
}

}  // namespace tandem::command
