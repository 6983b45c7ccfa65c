#include "gateway/traces/traced_turn.hpp"

#include "gateway/json/json_text.hpp"
#include "gateway/telemetry/metric_label_values.hpp"

#include <algorithm>

namespace tandem::gateway {

void add_reply(traced_turn& turn, time_point now, const reply_result& result, bool by_chunk,
               bool with_texts) {
    const auto lasted = result.timeline.empty() ? 0 : result.timeline.back().at_ns;
    auto& reply = turn.reply.emplace();
    reply.began = std::max(turn.began, now - duration(lasted));
    reply.reason = result.finish_reason;
    if (result.error) reply.error = error_label(result.error);
    reply.requests = result.requests;
    reply.timeline = result.timeline;
    reply.servers = result.servers;
    reply.calls = result.calls;
    reply.by_chunk = by_chunk;
    if (with_texts)
        turn.output = truncate_text(result.text, max_traced_text_bytes);
    else
        for (auto& call : reply.calls) call.arguments.clear();
}

void add_input_messages(traced_turn& turn, const std::vector<chat_message>& messages) {
    const auto count = std::min(messages.size(), max_traced_messages);
    for (auto m = messages.end() - static_cast<std::ptrdiff_t>(count); m != messages.end(); ++m)
        turn.input.push_back(
            {.role = m->role, .content = truncate_text(m->content, max_traced_text_bytes)});
}

std::size_t estimate_bytes(const traced_turn& turn) noexcept {
    auto bytes = sizeof turn + turn.output.size();
    for (const auto& m : turn.input) bytes += sizeof m + m.content.size();
    if (!turn.reply) return bytes;
    const auto& r = *turn.reply;
    for (const auto& c : r.calls) bytes += sizeof c + c.name.size() + c.arguments.size();
    for (const auto& s : r.servers) bytes += s.size();
    return bytes + r.requests.size() * sizeof(request_figures) +
           r.timeline.size() * sizeof(timeline_event);
}

}  // namespace tandem::gateway
