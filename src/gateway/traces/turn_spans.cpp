#include "gateway/traces/turn_spans.hpp"

#include "base/parse_number.hpp"
#include "gateway/json/json_text.hpp"
#include "gateway/telemetry/voice_timing.hpp"
#include "transport/server_url.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

namespace tandem::gateway {
namespace {

using event_kind = timeline_event::kind;

std::string_view finish_word(finish_reason reason) noexcept {
    const bool is_stop = reason == finish_reason::eos || reason == finish_reason::stop_word;
    return is_stop ? "stop" : to_string(reason);
}

/// Encodes messages for OpenTelemetry's attributes `gen_ai.input.messages` and
/// `gen_ai.output.messages`. Only output messages have a finish reason.
std::string encode_messages(const std::vector<chat_message>& messages,
                            std::string_view finish_reason) {
    using json = nlohmann::ordered_json;
    auto list = json::array();
    for (const auto& m : messages) {
        auto parts = json::array({{{"type", "text"}, {"content", m.content}}});
        json message{{"role", m.role}, {"parts", std::move(parts)}};
        if (!finish_reason.empty()) message["finish_reason"] = finish_reason;
        list.push_back(std::move(message));
    }
    return dump_json(list);
}

void add_texts(const traced_turn& turn, attribute_list& out) {
    if (!turn.input.empty())
        out.emplace_back("gen_ai.input.messages", encode_messages(turn.input, {}));
    if (!turn.output.empty())
        out.emplace_back("gen_ai.output.messages",
                         encode_messages({{.role = "assistant", .content = turn.output}},
                                         finish_word(turn.reply->reason)));
}

class span_builder {
 public:
    span_builder(const traced_turn& turn, const random_bits& random)
        : turn_(turn), random_(random) {}

    std::vector<span> build() {
        std::vector<span> all{make_turn_span()};
        if (!turn_.reply) return all;
        for (const auto& request : turn_.reply->requests)
            all.push_back(make_request_span(request, &request == &turn_.reply->requests.back()));
        return all;
    }

 private:
    std::int64_t unix_ns(time_point at) const {
        const std::chrono::nanoseconds wall = turn_.ended_wall.time_since_epoch();
        return (wall - (turn_.ended - at)).count();
    }
    time_point in_reply(std::int64_t at_ns) const { return turn_.reply->began + duration(at_ns); }

    // --- the turn

    span make_turn_span() const {
        span made{.trace = turn_.context.trace,
                  .id = turn_.context.id,
                  .parent = turn_.context.parent,
                  .name = turn_.name,
                  .what = span::kind::server,
                  .began_unix_ns = unix_ns(turn_.began),
                  .ended_unix_ns = unix_ns(turn_.ended),
                  .error = turn_.error};
        add_request(made.attributes);
        if (turn_.reply) {
            made.attributes.emplace_back(
                "gen_ai.response.finish_reasons",
                std::vector{std::string(finish_word(turn_.reply->reason))});
            add_waits(made.attributes);
            add_events(made);
            if (made.error.empty()) made.error = turn_.reply->error;
        }
        add_texts(turn_, made.attributes);
        return made;
    }

    void add_request(attribute_list& out) const {
        const auto add = [&](const char* name, const std::string& value) {
            if (!value.empty()) out.emplace_back(name, value);
        };
        add("gen_ai.request.model", turn_.model);
        add("tandem.request_id", turn_.request_id);
        add("tandem.turn", turn_.turn);
        add("http.request.method", turn_.method);
        add("http.route", turn_.route);
        if (turn_.status != 0)
            out.emplace_back("http.response.status_code", std::int64_t{turn_.status});
    }

    std::optional<time_point> find_first_chunk() const {
        if (turn_.first_chunk_at) return turn_.first_chunk_at;
        const auto& events = turn_.reply->timeline;
        const auto found = std::ranges::find(events, event_kind::chunk, &timeline_event::what);
        if (found == events.end()) return std::nullopt;
        return in_reply(found->at_ns);
    }

    // If the client does not report when the user stopped, the wait begins with the turn.
    void add_waits(attribute_list& out) const {
        const auto chunk_at = find_first_chunk();
        if (!chunk_at || turn_.is_given_text) return;
        const bool is_user_end_known = turn_.user_stopped_ago || turn_.vad_stop;
        const voice_timestamps marks{
            .asked_at = turn_.began,
            .begun_at = turn_.reply->began,
            .chunk_at = *chunk_at,
            .user_stopped_ago = is_user_end_known ? turn_.user_stopped_ago : duration{},
            .vad_stop = turn_.vad_stop};
        // Not an aggregate initializer, because GCC 12 would warn of the members that it does not
        // name.
        reply_result times;
        times.timeline = turn_.reply->timeline;
        const auto timing = compute_voice_timing(marks, times);
        out.emplace_back("tandem.wait.total", to_seconds(timing->total()));
        for_each_voice_part(*timing, [&](std::string_view part, duration lasted) {
            if (!is_user_end_known && (part == "detector" || part == "before_start")) return;
            out.emplace_back("tandem.wait." + std::string(part), to_seconds(lasted));
        });
    }

    void add_events(span& out) const {
        bool has_chunk = false;
        for (const auto& e : turn_.reply->timeline) {
            const bool is_chunk = e.what == event_kind::chunk;
            if (!is_chunk && e.what != event_kind::continued) continue;
            if (!turn_.reply->by_chunk && (!is_chunk || has_chunk)) continue;
            has_chunk = true;
            add_event(out, {.name = is_chunk ? "chunk" : "continue",
                            .unix_ns = unix_ns(in_reply(e.at_ns)),
                            .attributes = {{"tandem.chunk.seq", std::int64_t{e.chunk}}}});
        }
        for (const auto& call : turn_.reply->calls) add_event(out, make_call_event(call));
        if (turn_.reply->reason == finish_reason::interrupted)
            add_event(out, {.name = "interrupt",
                            .unix_ns = unix_ns(turn_.interrupted_at.value_or(turn_.ended))});
        std::ranges::stable_sort(out.events, {}, &span_event::unix_ns);
    }

    void add_event(span& out, span_event event) const {
        if (out.events.size() < max_span_events)
            out.events.push_back(std::move(event));
        else
            ++out.dropped_events;
    }

    span_event make_call_event(const tool_call& call) const {
        span_event made{.name = "call",
                        .unix_ns = unix_ns(turn_.called_at.value_or(turn_.ended)),
                        .attributes = {{"gen_ai.tool.name", call.name}}};
        if (!call.id.empty()) made.attributes.emplace_back("gen_ai.tool.call.id", call.id);
        if (!call.arguments.empty())
            made.attributes.emplace_back("gen_ai.tool.call.arguments", call.arguments);
        return made;
    }

    // --- requests

    span make_request_span(const request_figures& request, bool is_last) const {
        const auto ended_ns = std::max(request.sent_ns, request.ended_ns);
        span made{.trace = turn_.context.trace,
                  .id = make_span_id(random_),
                  .parent = turn_.context.id,
                  .name = "chat " + turn_.model,
                  .what = span::kind::client,
                  .began_unix_ns = unix_ns(in_reply(request.sent_ns)),
                  .ended_unix_ns = unix_ns(in_reply(ended_ns)),
                  .error = find_error(ended_ns)};
        auto& out = made.attributes;
        out.emplace_back("gen_ai.operation.name", "chat");
        out.emplace_back("gen_ai.provider.name", "llama.cpp");
        out.emplace_back("gen_ai.request.model", turn_.model);
        out.emplace_back("gen_ai.request.stream", true);
        add_server(request, out);
        add_tokens(request, out);
        if (is_last)
            out.emplace_back("gen_ai.response.finish_reasons",
                             std::vector{std::string(finish_word(turn_.reply->reason))});
        if (request.first_token_ns >= 0) {
            out.emplace_back("gen_ai.response.time_to_first_chunk",
                             to_seconds(duration(request.first_token_ns - request.sent_ns)));
            made.events.push_back(
                {.name = "first_token", .unix_ns = unix_ns(in_reply(request.first_token_ns))});
        }
        return made;
    }

    // A request has failed if it ended at the moment when its server was lost, or when its reply
    // ended with an error.
    std::string find_error(std::int64_t ended_ns) const {
        for (const auto& e : turn_.reply->timeline) {
            if (e.at_ns != ended_ns) continue;
            if (e.what == event_kind::lost) return "server_lost";
            if (e.what == event_kind::end) return turn_.reply->error;
        }
        return {};
    }

    void add_server(const request_figures& request, attribute_list& out) const {
        const auto server = static_cast<std::size_t>(request.server);
        if (request.server >= 0 && server < turn_.reply->servers.size()) {
            const auto parsed = transport::parse_server_url(turn_.reply->servers[server]).url;
            out.emplace_back("server.address", parsed.host);
            if (const auto port = find_port(transport::without_address(parsed.shown)))
                out.emplace_back("server.port", std::int64_t{*port});
        }
        out.emplace_back("tandem.slot", std::int64_t{request.slot});
    }

    // The URL has the form https://host:8443/path; the port is always present.
    static std::optional<int> find_port(std::string_view shown_url) {
        const auto host = shown_url.find("://") + 3;
        const auto authority = shown_url.substr(host, shown_url.find('/', host) - host);
        return parse_number<int>(authority.substr(authority.rfind(':') + 1));
    }

    static void add_tokens(const request_figures& request, attribute_list& out) {
        out.emplace_back("gen_ai.usage.input_tokens",
                         std::int64_t{request.cached + request.evaluated});
        out.emplace_back("gen_ai.usage.cache_read.input_tokens", std::int64_t{request.cached});
        out.emplace_back("gen_ai.usage.output_tokens", std::int64_t{request.generated});
    }

    const traced_turn& turn_;
    const random_bits& random_;
};

}  // namespace

std::vector<span> build_spans(const traced_turn& turn, const random_bits& random) {
    return span_builder(turn, random).build();
}

}  // namespace tandem::gateway
