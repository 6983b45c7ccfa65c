#include "serve/serve_flags.hpp"

#include "base/parse_number.hpp"
#include "discovery/server_file.hpp"
#include "flags/run_flags.hpp"
#include "gateway/access/model_name.hpp"
#include "gateway/traces/otlp_headers.hpp"
#include "os/input_file.hpp"
#include "serve/client_keys.hpp"
#include "serve/listen_address.hpp"
#include "terminal/log_output.hpp"
#include "text/url_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

constexpr int max_connections = 1'000'000;
constexpr int max_cached_answers = 100'000;
constexpr int max_prompt_bytes = 16 << 20;  // the maximum size of a request body
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

// Indexed by log_format and by stream_by.
constexpr std::array<std::string_view, 2> format_names{"text", "json"};
constexpr std::array<std::string_view, 2> stream_by_names{"chunk", "token"};

/// Replaces each file with the servers that it lists.
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

// Returns the index in the name of a field: 3 for "denied[3]", and nothing for "denied".
std::optional<std::size_t> index_of(std::string_view field) {
    const auto open = field.find('[');
    std::size_t index = 0;
    if (open == field.npos) return std::nullopt;
    std::from_chars(field.data() + open + 1, field.data() + field.size(), index);
    return index;
}

std::optional<gateway::allowed_adapter> parse_adapter(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == text.npos) return std::nullopt;
    gateway::allowed_adapter a{.name = std::string(text.substr(0, equals))};
    const auto rest = text.substr(equals + 1);
    const auto at = rest.find('@');
    const auto id = parse_number<int>(rest.substr(0, at));
    if (at != rest.npos) a.model = rest.substr(at + 1);
    if (!id || (at != rest.npos && a.model.empty())) return std::nullopt;
    a.id = *id;
    return a;
}

}  // namespace

serve_flags::serve_flags(CLI::App& tandem)
    : flags_(tandem, name, serve_text, "serve replies over HTTP and WebSocket") {
    add_gateway_flags();
    add_access_flags();
    cluster_.add_to(flags_.app(), true);
    add_output_flags();
    config_.allow_model_names();
    config_.add_to(flags_.app());
}

void serve_flags::add_output_flags() {
    auto& o = options_;
    flags_.begin_group("output");
    flags_.add_choice("--log-level", o.log_level, level_names, "LEVEL",
                      "log level on stderr: debug, info, warning, error or off", "info");
    flags_.add_choice("--log-format", o.log_format, format_names, "FORMAT",
                      "format of log lines: text or json", "text");
    flags_.add_text("--otlp-endpoint", o.gateway.traces.endpoint, "URL",
                    "collector for traces of replies: base URL of OTLP over HTTP [no traces]");
    flags_.add_switch("--otlp-texts", o.gateway.traces.texts,
                      "include prompts and replies in the traces");
    add_record_flags(flags_, o.record);
    flags_.add_help_flag();
}

void serve_flags::add_gateway_flags() {
    using namespace std::chrono_literals;
    auto& g = options_.gateway;
    flags_.begin_group("gateway");
    const auto read_address = [&g](const std::string& text, std::vector<std::string>& faults) {
        const auto address = parse_listen_address(text);
        if (!address)
            return faults.push_back(make_invalid_value_message(
                "--listen", text,
                "an address and a port, such as 127.0.0.1:8090, localhost:8090 or [::1]:8090"));
        g.address = address->address;
        g.port = address->port;
    };
    flags_.add("--listen", "ADDRESS:PORT",
               "address to listen on, IPv6 in brackets (port 0: any free port)", read_address,
               "127.0.0.1:8090");
    g.model.clear();
    flags_.add_text("--model", g.model, "NAME",
                    "model name of servers given without one [as reported by the server]");
    flags_.add_choice("--stream-by", g.stream_by, stream_by_names, "UNIT",
                      "unit of a streamed answer: token, or chunk for sentences", "token");
    flags_.add_number("--answer-cache", g.answer_cache.entries, 0, max_cached_answers, "N",
                      "maximum cached answers to identical requests at temperature 0 (0: none)",
                      "64");
    flags_.add_number("--max-connections", g.max_connections, 1, max_connections, "N",
                      "maximum connections; further ones are closed at once", "10000");
    flags_.add_time("--drain", options_.drain, "how long replies may run after a stop", "30s");
    flags_.add_time("--session-kept", g.voice.session_kept,
                    "how long a voice session without a connection is kept", "60s", 1s, 59min);
    flags_.add_time("--call-timeout", g.voice.call_timeout,
                    "how long a voice session waits for the results of its functions", "60s", 1s);
    add_placement_flag(flags_, g.service, "a request");
    flags_.add_text(
        "--adapter", adapters_, "NAME=ID[@MODEL]",
        "LoRA adapter ID of the servers that clients may request as NAME (may be repeated)");
    flags_.add_text("--state", g.state_file, "FILE",
                    "JSON file that stores the deployed adapters; created if missing");
}

void serve_flags::add_access_flags() {
    auto& o = options_;
    flags_.begin_group("access");
    flags_.add_text("--keys", o.key_file, "FILE",
                    "JSON file with client keys; without it no key is required");
    flags_.add_text(
        "--tls-cert", o.tls.certificates, "FILE",
        "PEM certificate chain; then only https and wss are served; requires --tls-key");
    flags_.add_text("--tls-key", o.tls.key, "FILE", "PEM private key, without a password");
    flags_.add_text("--allow-origin", o.gateway.allowed_origins, "ORIGIN",
                    "origin of web pages that may use the gateway, or * with --keys (may be "
                    "repeated)");
    flags_.add_text("--denied", denied_file_, "FILE",
                    "file of words and phrases that prompts must not contain, one per line");
    flags_.add_number("--max-prompt-bytes", o.gateway.prompts.max_bytes, 0, max_prompt_bytes, "N",
                      "maximum bytes of all messages (0: limited only by the request)", "1048576");
    flags_.add_text("--audit", o.audit, "FILE",
                    "append a JSON line for each request, without key and prompt (-: stdout)");
    flags_.add_switch("--audit-prompts", o.gateway.audit_prompts,
                      "include prompts in the audit log");
}

serve_options serve_flags::read(const environment& variables, std::vector<std::string>& faults) {
    auto& o = options_;
    faults = describe_unparsed_arguments(flags_.app());
    check_empty(faults);
    flags_.read(faults);
    if (!o.gateway.model.empty() && !gateway::is_model_name(o.gateway.model))
        faults.push_back(
            fmt::format("--model must be 1 to {} bytes of UTF-8", gateway::max_model_name_bytes));
    read_adapters(faults);
    read_keys(faults);
    read_tls(faults);
    read_denied(faults);
    if (o.gateway.audit_prompts && o.audit.empty())
        faults.emplace_back("--audit-prompts requires --audit FILE");
    o.gateway.cluster = cluster_.read(variables, faults);
    read_traces(variables, faults);
    const auto audit = o.audit == "-" ? "" : o.audit;
    check_record_flags(flags_, o.record, {{"--audit", audit}, {"--state", o.gateway.state_file}},
                       faults);
    read_configuration(variables, faults);
    check_gateway(faults);
    return std::move(o);
}

// An empty value, as in `--keys "$KEYS"` with an unset variable, must not disable the protection.
void serve_flags::check_empty(std::vector<std::string>& faults) const {
    for (const auto* flag : {"--model", "--keys", "--tls-cert", "--tls-key", "--denied", "--audit",
                             "--state", "--record", "--otlp-endpoint", "--cluster", "--gateway-id"})
        if (const auto* option = flags_.app().get_option(flag);
            !option->empty() && option->results().back().empty())
            faults.push_back(fmt::format("{} is empty", flag));
}

// Does not check whether the adapters' models are served, because the servers have not been queried
// yet.
void serve_flags::read_adapters(std::vector<std::string>& faults) {
    auto& list = options_.gateway.adapters;
    std::vector<std::string> models{""};
    for (const auto& text : adapters_) {
        auto adapter = parse_adapter(text);
        if (!adapter) {
            faults.push_back(make_invalid_value_message(
                "--adapter", text, "NAME=ID or NAME=ID@MODEL, such as formal=0"));
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

void serve_flags::read_traces(const environment& variables, std::vector<std::string>& faults) {
    constexpr const char* headers_name = "OTEL_EXPORTER_OTLP_HEADERS";
    auto& traces = options_.gateway.traces;
    if (traces.endpoint.empty()) {
        if (traces.texts) faults.emplace_back("--otlp-texts requires --otlp-endpoint URL");
        return;
    }
    const auto variable = variables.find(headers_name);
    if (variable == variables.end()) return;
    auto headers = gateway::parse_otlp_headers(variable->second);
    if (!headers)
        return faults.push_back(fmt::format(
            "{} has a pair that is not a header; write it as name=value,name=value", headers_name));
    traces.headers = *std::move(headers);
}

void serve_flags::read_configuration(const environment& variables,
                                     std::vector<std::string>& faults) {
    auto& o = options_;
    auto loaded = config_.load(variables, faults);
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
        if (s.model.empty()) s.model = o.gateway.model;
    }
    check_service(c, faults);
}

void serve_flags::read_keys(std::vector<std::string>& faults) {
    auto& o = options_;
    if (o.key_file.empty()) return;
    if (o.key_file == "-")
        return faults.push_back(
            "--keys is -; it must be a file, because it is read again on SIGHUP");
    for (const auto& fault : read_key_file(o.key_file, o.gateway.keys))
        faults.push_back("--keys " + fault);
}

void serve_flags::read_tls(std::vector<std::string>& faults) {
    auto& o = options_;
    if (o.tls.certificates.empty() != o.tls.key.empty())
        return faults.push_back("--tls-cert and --tls-key must be given together");
    if (o.tls.is_empty()) return;
    if (o.tls.certificates == "-" || o.tls.key == "-")
        return faults.push_back(
            "--tls-cert and --tls-key must be files, because they are read again on SIGHUP");
    std::ranges::move(read_tls_files(o.tls, o.gateway.tls.emplace()), std::back_inserter(faults));
}

void serve_flags::read_denied(std::vector<std::string>& faults) {
    if (denied_file_.empty()) return;
    const auto file = read_file(denied_file_, max_word_file_bytes);
    if (!file.fault.empty()) return faults.push_back("--denied " + file.fault);
    denied_ = parse_word_list(file.text);
    options_.gateway.prompts.denied = denied_.words;
}

// Checks the gateway options and adds their faults, which name flags instead of fields. Does not
// check the servers.
void serve_flags::check_gateway(std::vector<std::string>& faults) const {
    auto own = options_.gateway;
    own.service = {};
    own.adapters = {};
    for (const auto& f : check(own)) {
        const auto word = index_of(f.field);
        if (word)
            faults.push_back(fmt::format("--denied {}:{}: {}", input_name(denied_file_),
                                         denied_.lines[*word], f.message));
        else if (f.field == "allowed_origins")
            faults.push_back(fmt::format("--allow-origin: {}", f.message));
        else if (f.field == "otlp_endpoint")
            faults.push_back(fmt::format("--otlp-endpoint: {}", f.message));
        else if (f.field == "denied")
            faults.push_back(fmt::format("--denied {}: {}", input_name(denied_file_), f.message));
        // If --keys was given, this fault means that the file is unreadable, which is already
        // reported.
        else if (f.field == "address" && options_.key_file.empty())
            faults.push_back(fmt::format("--listen {}; use --keys FILE", f.message));
    }
}

}  // namespace tandem::command
