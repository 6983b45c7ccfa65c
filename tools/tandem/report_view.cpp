#include "report_view.hpp"

#include "shown_url.hpp"
#include "text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace tandem::command {
namespace {

report_chunk report_chunk_of(const chunk& c) {
    return {.seq = static_cast<int>(c.id.seq),
            .text = c.text,
            .speech = c.speech,
            .boundary = to_string(c.boundary),
            .tokens = c.tokens,
            .slot = c.slot,
            .cached = c.cached,
            .evaluated = c.evaluated,
            .guard_wait_ms = c.guard_wait_ms,
            .gap_ms = c.gap_ms};
}

std::string fault_of(const end_event& e) {
    if (e.result.finish_reason != finish_reason::error) return {};
    return fault_text({}, {.error = e.result.error,
                           .diagnostics = e.result.diagnostics,
                           .t_ns = e.t_ns,
                           .server = e.server,
                           .hint = e.hint});
}

// About what a page takes for a bar, which counts as the page is made in memory.
constexpr std::size_t drawn_event_bytes = 400;

std::size_t bytes_of(const report_reply& r) {
    auto bytes = sizeof(r) + r.prompt.size() + r.unspoken_text.size() + r.reasoning.size() +
                 r.timeline.size() * drawn_event_bytes;
    for (const auto& c : r.chunks) bytes += sizeof(c) + c.text.size() + c.speech.size();
    return bytes;
}

void fill(report_reply& r, const end_event& e) {
    const auto& result = e.result;
    r.finish = result.finish_reason;
    r.fault = fault_of(e);
    r.unspoken_text = result.unspoken_text;
    r.reasoning = result.reasoning;
    r.usage = result.usage;
    r.metrics = result.metrics;
    r.timeline = result.timeline;
    std::ranges::transform(result.servers, std::back_inserter(r.servers), shown_url);
}

}  // namespace

void report_view::server_ready(std::string_view url, const server_props& props) {
    auto words =
        fmt::format("{}, {} slot{}", url, props.total_slots, props.total_slots == 1 ? "" : "s");
    if (!props.model.empty()) words += ", " + props.model;
    if (!props.build_info.empty()) words += ", build " + props.build_info;
    run_.settings.emplace_back("server", std::move(words));
}

void report_view::started(const start_event& e) {
    const auto since = std::chrono::duration<double, std::milli>(clock::now() - began_).count();
    running_[{std::string(e.where.id), e.where.turn}] = {.id = std::string(e.where.id),
                                                         .turn = e.where.turn,
                                                         .prompt = std::string(e.prompt),
                                                         .start_ms = since};
}

void report_view::chunk_came(const chunk_event& e) {
    const auto found = running_.find({std::string(e.where.id), e.where.turn});
    if (found != running_.end()) found->second.chunks.push_back(report_chunk_of(e.chunk));
}

void report_view::ended(const end_event& e) {
    auto r = taken(e.where);
    fill(r, e);
    if (const auto ms = r.first_token_ms(); ms >= 0) first_token_ms_.push_back(ms);
    if (r.metrics.requests > 0) guard_wait_ms_.push_back(r.metrics.guard_wait_ms);
    run_.cuts += r.metrics.cuts;
    keep(std::move(r));
}

report_reply report_view::taken(const turn_name& where) {
    auto node = running_.extract({std::string(where.id), where.turn});
    if (node) return std::move(node.mapped());
    return {.id = std::string(where.id), .turn = where.turn};
}

void report_view::keep(report_reply r) {
    const auto bytes = bytes_of(r);
    if (run_.replies.size() >= max_replies || bytes_ + bytes > max_bytes) {
        ++run_.left_out;
        return;
    }
    bytes_ += bytes;
    run_.replies.push_back(std::move(r));
}

void report_view::failed(const fault_event& e) {
    if (run_.faults.size() < max_faults) run_.faults.push_back(fault_text({}, e));
}

// Turns of a dialogue stand together, in the order in which the dialogues began.
void report_view::finished(const replay_summary& s) {
    run_.summary = s;
    run_.first_token_ms = spread_of(std::move(first_token_ms_));
    run_.guard_wait_ms = spread_of(std::move(guard_wait_ms_));
    std::map<std::string, double> begins;
    for (const auto& r : run_.replies) {
        const auto [at, is_new] = begins.try_emplace(r.id, r.start_ms);
        at->second = std::min(at->second, r.start_ms);
    }
    std::ranges::stable_sort(run_.replies, {}, [&](const report_reply& r) {
        return std::tuple(begins.at(r.id), std::string_view(r.id), r.turn);
    });
}

}  // namespace tandem::command
