#include "serve/serve_flags.hpp"

#include "discovery/server_file.hpp"
#include "flags/flag_parsing.hpp"
#include "flags/run_flags.hpp"
#include "flags/service_flags.hpp"
#include "gateway/access/model_name.hpp"
#include "gateway/traces/otlp_headers.hpp"
#include "os/input_file.hpp"
#include "serve/adapter_flag.hpp"
#include "serve/client_keys.hpp"
#include "serve/listen_address.hpp"
#include "text/redact_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>

namespace tandem::command {
namespace {

constexpr int most_connections = 1'000'000;
constexpr int most_kept_answers = 100'000;
constexpr int most_prompt_bytes = 16 << 20;  // the limit of a request body
// The same limit as in the check of the gateway options.
constexpr std::size_t max_word_file_bytes = 4u << 20;

constexpr const char* serve_text = R"(Example:
  tandem serve --url http://127.0.0.1:8080

Serves replies over the network, for bots in any language: OpenAI's API over
HTTP (POST /v1/chat/completions, /v1/responses, /v1/completions), the WebSocket
/v1/voice, GET /livez, GET /readyz, and GET /metrics for Prometheus.

Usage: tandem serve [FLAG...]

A line on stdout shows the address. Access from other machines requires --listen
and API keys. "tandem key" creates a key, and prints its line for the file of
--keys:
  {"keys": [
    {"name": "reception", "sha256": "9f86...", "requests_per_minute": 120}
  ]}

Several servers (--url may be repeated) share the requests. All slots of each
server are used unless --slots is given. Servers of several models are given as
NAME=URL, and are selected by the model of a request:
  tandem serve --url talk=http://a:8080 --url code=http://b:8080

--url dns+http://NAME:PORT (or dns+https) uses all addresses of the name, and
--url file:PATH the URLs in the lines of a file, for one model. Both are asked
again every 5 s; an empty or failed answer changes nothing.

SIGHUP reads the files of --keys, --tls-cert and --tls-key again, and reopens
the file of --audit. After SIGTERM or Ctrl-C, new requests are rejected, /readyz
answers 503, and running replies may finish within --drain. A second signal
stops at once.

Times are written as 250ms, 2s, 1m, 0.5h or plain seconds. The flags of the
groups server to generation can also be set by environment variables
(--reuse-guard by TANDEM_REUSE_GUARD) or in the file of --config
("reuse_guard"). Flags override variables, and variables override the file.

Exit status: 0 stopped by a signal, 1 could not listen, serve or write all of
its recording, 2 wrong use, 130 and 143 stopped at once by a second signal.)";

// Indexed by the enumerations.
constexpr std::array<std::string_view, 2> format_names{"text", "json"};
constexpr std::array<std::string_view, 2> stream_by_names{"chunk", "token"};

/// Replaces each file by the servers that it lists.
std::vector<named_server> read_server_files(const std::vector<named_server>& given,
                                            std::vector<std::string>& faults) {
    std::vector<named_server> servers;
    for (const auto& s : given) {
        if (s.file.empty()) {
            servers.push_back(s);
            continue;
        }
        auto listed = read_server_file(s.file);
        if (!listed.fault.empty())
            faults.push_back(fmt::format("--url file:{}: {}", s.file, listed.fault));
        for (auto& url : listed.urls)
            servers.push_back({.model = s.model, .url = std::move(url), .file = s.file});
    }
    return servers;
}

// Returns 3 for "denied[3]", and nothing for "denied".
std::optional<std::size_t> index_of(std::string_view field) {
    const auto open = field.find('[');
    std::size_t index = 0;
    if (open == field.npos) return std::nullopt;
    std::from_chars(field.data() + open + 1, field.data() + field.size(), index);
    return index;
}

}  // namespace

serve_flags::serve_flags(CLI::App& tandem) : app_(*tandem.add_subcommand(name, serve_text)) {
    app_.footer("serve replies over HTTP and WebSocket");
    app_.set_help_flag();
    app_.allow_extras();
    add_gateway_flags();
    add_access_flags();
    cluster_.add_to(app_, true);
    add_output_flags();
    config_.allow_model_names();
    config_.add_to(
        app_, [](const auto&) { return true; }, default_config());
}

void serve_flags::add_output_flags() {
    const auto add = [&](const char* flag, auto& target, const char* value, const char* help) {
        add_value_flag(app_, flag, target, value, help, "output");
    };
    add("--log-level", texts_.log_level, "LEVEL",
        "log level on stderr: debug, info, warning, error or off [info]");
    add("--log-format", texts_.log_format, "FORMAT", "format of log lines: text or json [text]");
    add("--otlp-endpoint", texts_.otlp_endpoint, "URL",
        "collector for traces of replies: base URL of OTLP over HTTP [no traces]");
    app_.add_flag("--otlp-texts", texts_.otlp_texts, "include prompts and replies in the traces")
        ->group("output");
    record_.add_to(app_, "output");
    app_.set_help_flag("-h,--help", "show this help")->group("output");
}

void serve_flags::add_gateway_flags() {
    auto& t = texts_;
    const auto add = [&](const char* flag, auto& target, const char* value, const char* help) {
        add_value_flag(app_, flag, target, value, help, "gateway");
    };
    add("--listen", t.listen, "ADDRESS:PORT",
        "address to listen on, IPv6 in brackets (port 0: any free port) [127.0.0.1:8090]");
    add("--model", t.model, "NAME",
        "model name of servers given without one [as reported by the server]");
    add("--stream-by", t.stream_by, "UNIT",
        "unit of a streamed answer: token, or chunk for sentences [token]");
    add("--answer-cache", t.answer_cache, "N",
        "maximum cached answers to identical requests at temperature 0 (0: none) [64]");
    add("--max-connections", t.max_connections, "N",
        "maximum connections; further ones are closed at once [10000]");
    add("--drain", t.drain, "TIME", "time for running replies after a stop [30s]");
    add("--placement", t.placement, "HOW",
        "how to choose a request's server: round_robin or least_busy [least_busy]");
    app_.add_option(
            "--adapter", t.adapters,
            "LoRA adapter ID of the servers that clients may request as NAME (may be repeated)")
        ->allow_extra_args(false)
        ->type_name("NAME=ID[@MODEL]")
        ->group("gateway");
    add("--state", t.state, "FILE",
        "JSON file that stores the deployed adapters; created if missing");
}

void serve_flags::add_access_flags() {
    auto& t = texts_;
    const auto add = [&](const char* flag, auto& target, const char* value, const char* help) {
        add_value_flag(app_, flag, target, value, help, "access");
    };
    add("--keys", t.keys, "FILE", "JSON file with client keys; without it no key is required");
    add("--tls-cert", t.tls_cert, "FILE",
        "PEM certificate chain; allows only https and wss; requires --tls-key");
    add("--tls-key", t.tls_key, "FILE", "PEM private key, without a password");
    app_.add_option("--allow-origin", t.allowed_origins,
                    "origin of web pages that may use the gateway, or * with --keys (may be "
                    "repeated)")
        ->allow_extra_args(false)
        ->type_name("ORIGIN")
        ->group("access");
    add("--denied", t.denied, "FILE",
        "file of words and phrases that prompts must not contain, one per line");
    add("--max-prompt-bytes", t.max_prompt_bytes, "N",
        "maximum bytes of all messages (0: limited only by the request) [1048576]");
    add("--audit", t.audit, "FILE",
        "append a JSON line for each request, without key and prompt (-: stdout)");
    app_.add_flag("--audit-prompts", t.audit_prompts, "include prompts in the audit log")
        ->group("access");
}

serve_options serve_flags::read(const environment& variables, std::vector<std::string>& faults) {
    faults = argument_faults(app_);
    std::ranges::move(empty_flags(), std::back_inserter(faults));
    serve_options o;
    read_gateway_flags(o, faults);
    read_access_flags(o, faults);
    o.gateway.cluster = cluster_.read(variables, faults);
    read_traces(variables, o, faults);
    read_log_flags(o, faults);
    o.record = record_.read(faults);
    const auto audit = o.audit == "-" ? "" : o.audit;
    std::ranges::move(shared_file_faults(o.record, {{"--audit", audit}, {"--state", texts_.state}}),
                      std::back_inserter(faults));
    read_configuration(variables, o, faults);
    std::ranges::move(gateway_faults(o), std::back_inserter(faults));
    return o;
}

// An empty value, as in `--keys "$KEYS"` with an unset variable, must not disable the protection.
std::vector<std::string> serve_flags::empty_flags() const {
    std::vector<std::string> faults;
    for (const auto* flag : {"--model", "--keys", "--tls-cert", "--tls-key", "--denied", "--audit",
                             "--state", "--record", "--otlp-endpoint", "--cluster", "--gateway-id"})
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
        faults.push_back(refusal_of(
            "--listen", t.listen,
            "an address and a port, such as 127.0.0.1:8090, localhost:8090 or [::1]:8090"));
    }
    g.model = t.model;
    if (!t.model.empty() && !gateway::is_model_name(t.model))
        faults.push_back(
            fmt::format("--model must be 1 to {} bytes of UTF-8", gateway::max_model_name_bytes));
    read_choice("--stream-by", stream_by_names, t.stream_by, g.stream_by, faults);
    int answers = 0;
    read_number("--answer-cache", t.answer_cache, 0, most_kept_answers, answers, faults);
    g.answer_cache.entries = static_cast<std::size_t>(answers);
    int connections = 1;
    read_number("--max-connections", t.max_connections, 1, most_connections, connections, faults);
    g.max_connections = static_cast<std::size_t>(connections);
    read_time("--drain", t.drain, o.drain, faults);
    read_adapters(o, faults);
    read_placement(t.placement, g.service, faults);
}

// Whether the models of the adapters are served is known only after the servers have been queried.
void serve_flags::read_adapters(serve_options& o, std::vector<std::string>& faults) const {
    o.gateway.state_file = texts_.state;
    auto& list = o.gateway.adapters;
    std::vector<std::string> models{""};
    for (const auto& text : texts_.adapters) {
        auto adapter = parse_adapter(text);
        if (!adapter) {
            faults.push_back(
                refusal_of("--adapter", text, "NAME=ID or NAME=ID@MODEL, such as formal=0"));
            continue;
        }
        if (!adapter->model.empty()) models.push_back(adapter->model);
        list.push_back(std::move(*adapter));
    }
    if (std::ranges::all_of(list, &std::string::empty, &gateway::allowed_adapter::model))
        models.resize(1);
    for (const auto& f : gateway::check_adapters(list, models))
        faults.push_back("--adapter " + f.message);
}

void serve_flags::read_access_flags(serve_options& o, std::vector<std::string>& faults) {
    const auto& t = texts_;
    read_keys(o, faults);
    read_tls(o, faults);
    read_denied(o, faults);
    o.gateway.allowed_origins = t.allowed_origins;
    int bytes = 0;
    read_number("--max-prompt-bytes", t.max_prompt_bytes, 0, most_prompt_bytes, bytes, faults);
    o.gateway.prompts.max_bytes = static_cast<std::size_t>(bytes);
    o.audit = t.audit;
    o.gateway.audit_prompts = t.audit_prompts;
    if (t.audit_prompts && t.audit.empty())
        faults.emplace_back("--audit-prompts requires --audit FILE");
}

void serve_flags::read_traces(const environment& variables, serve_options& o,
                              std::vector<std::string>& faults) const {
    constexpr const char* headers_name = "OTEL_EXPORTER_OTLP_HEADERS";
    auto& traces = o.gateway.traces;
    traces.endpoint = texts_.otlp_endpoint;
    traces.texts = texts_.otlp_texts;
    if (traces.endpoint.empty()) {
        if (traces.texts) faults.emplace_back("--otlp-texts requires --otlp-endpoint URL");
        return;
    }
    const auto variable = variables.find(headers_name);
    if (variable == variables.end()) return;
    auto headers = gateway::parse_otlp_headers(variable->second);
    if (!headers)
        return faults.push_back(fmt::format(
            "{} has a pair that is no header; write it as name=value,name=value", headers_name));
    traces.headers = *std::move(headers);
}

void serve_flags::read_log_flags(serve_options& o, std::vector<std::string>& faults) const {
    const auto& t = texts_;
    read_log_level(t.log_level, o.log_level, faults);
    read_choice("--log-format", format_names, t.log_format, o.log_format, faults);
}

void serve_flags::read_configuration(const environment& variables, serve_options& o,
                                     std::vector<std::string>& faults) const {
    auto loaded = config_.load(variables);
    std::ranges::move(loaded.faults, std::back_inserter(faults));
    auto& c = o.gateway.service;
    c.client = std::move(loaded.value);
    if (loaded.servers.empty()) loaded.servers.push_back({.url = c.client.server.url});
    o.servers = read_server_files(loaded.servers, faults);
    for (auto& s : o.servers) {
        c.servers.push_back(s.url);
        if (!s.model.empty() && !gateway::is_model_name(s.model))
            faults.push_back(
                fmt::format("--url {}: the model's name must be 1 to {} bytes of UTF-8",
                            redact_url(s.url), gateway::max_model_name_bytes));
        if (s.model.empty()) s.model = texts_.model;
    }
    std::ranges::move(service_faults(c), std::back_inserter(faults));
}

void serve_flags::read_keys(serve_options& o, std::vector<std::string>& faults) const {
    o.key_file = texts_.keys;
    if (o.key_file.empty()) return;
    if (o.key_file == "-")
        return faults.push_back(
            "--keys is -; it must be a file, because it is read again on SIGHUP");
    for (const auto& fault : read_key_file(o.key_file, o.gateway.keys))
        faults.push_back("--keys " + fault);
}

void serve_flags::read_tls(serve_options& o, std::vector<std::string>& faults) const {
    o.tls = {texts_.tls_cert, texts_.tls_key};
    if (o.tls.certificates.empty() != o.tls.key.empty())
        return faults.push_back("--tls-cert and --tls-key must be given together");
    if (o.tls.is_empty()) return;
    if (o.tls.certificates == "-" || o.tls.key == "-")
        return faults.push_back(
            "--tls-cert and --tls-key must be files, because they are read again on SIGHUP");
    for (const auto& fault : read_tls_files(o.tls, o.gateway.tls.emplace()))
        faults.push_back("TLS: " + fault);
}

void serve_flags::read_denied(serve_options& o, std::vector<std::string>& faults) {
    if (texts_.denied.empty()) return;
    const auto file = read_file(texts_.denied, max_word_file_bytes);
    if (!file.fault.empty()) return faults.push_back("--denied " + file.fault);
    denied_ = parse_word_list(file.text);
    o.gateway.prompts.denied = denied_.words;
}

// Returns the faults of the gateway, named by flag, without those of the servers.
std::vector<std::string> serve_flags::gateway_faults(const serve_options& o) const {
    auto own = o.gateway;
    own.service = {};
    own.adapters = {};
    std::vector<std::string> faults;
    for (const auto& f : check(own)) {
        const auto word = index_of(f.field);
        if (word)
            faults.push_back(fmt::format("--denied {}:{}: {}", input_name(texts_.denied),
                                         denied_.lines[*word], f.message));
        else if (f.field == "allowed_origins")
            faults.push_back(fmt::format("--allow-origin: {}", f.message));
        else if (f.field == "otlp_endpoint")
            faults.push_back(fmt::format("--otlp-endpoint: {}", f.message));
        else if (f.field == "denied")
            faults.push_back(fmt::format("--denied {}: {}", input_name(texts_.denied), f.message));
        // If --keys is given but unreadable, that fault has already been reported.
        else if (f.field == "address" && texts_.keys.empty())
            faults.push_back(fmt::format("--listen {}; use --keys FILE", f.message));
    }
    return faults;
}

}  // namespace tandem::command
