#include "report/report_view.hpp"

#include "base/format_count.hpp"
#include "run/replay_text.hpp"
#include "text/url_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace tandem::command {
namespace {

std::string fault_of(const end_event& e) {
    if (e.result.finish_reason != finish_reason::error) return {};
    return format_server_fault({.error = e.result.error,
                                .diagnostics = e.result.diagnostics,
                                .t_ns = e.t_ns,
                                .server = e.server,
                                .hint = e.hint});
}

std::size_t bytes_of(const report_reply& r) {
    const auto& result = r.result;
    auto bytes = sizeof(r) + r.id.size() + r.prompt.size() + result.unspoken_text.size() +
                 result.reasoning.size() + result.timeline.size() * sizeof(timeline_event);
    for (const auto& c : r.chunks) bytes += sizeof(c) + c.text.size() + c.speech.size();
    return bytes;
}

reply_result kept_of(const end_event& e) {
    auto result = e.result;
    result.text = {};
    std::ranges::transform(result.servers, result.servers.begin(), redact_url);
    return result;
}

}  // namespace

void report_view::on_server_ready(std::string_view url, const server_props& props) {
    auto words = fmt::format("{}, {}", url, format_count(props.total_slots, "slot"));
    if (!props.model.empty()) words += ", " + props.model;
    if (!props.build_info.empty()) words += ", build " + props.build_info;
    run_.settings.emplace_back(is_playback_ ? "recorded server" : "server", std::move(words));
}

void report_view::on_reply_started(const start_event& e) {
    if (run_.left_out > 0) return;
    const auto since = to_ms(clock::now() - began_);
    running_[{std::string(e.where.id), e.where.reply}] = {.id = std::string(e.where.id),
                                                          .reply = e.where.reply,
                                                          .prompt = std::string(e.prompt),
                                                          .start_ms = since};
}

void report_view::on_chunk(const chunk_event& e) {
    const auto found = running_.find({std::string(e.where.id), e.where.reply});
    if (found == running_.end()) return;
    found->second.chunks.push_back(e.chunk);
    found->second.chunks.back().metrics.server = {};
}

void report_view::on_reply_ended(const end_event& e) {
    auto r = take_running_reply(e.where);
    r.fault = fault_of(e);
    r.result = kept_of(e);
    keep(std::move(r));
    if (e.checked && !e.checked->broken.empty() && run_.broken_turns.size() < max_report_replies)
        run_.broken_turns.push_back({format_reply_name(e.where), *e.checked});
}

report_reply report_view::take_running_reply(const reply_name& where) {
    auto node = running_.extract({std::string(where.id), where.reply});
    if (node) return std::move(node.mapped());
    return {.id = std::string(where.id), .reply = where.reply};
}

// Keeps the first replies: after the first that does not fit, omits all later ones, even small
// ones.
void report_view::keep(report_reply r) {
    const auto bytes = bytes_ + bytes_of(r);
    if (run_.left_out > 0 || run_.replies.size() >= max_report_replies ||
        bytes > max_report_bytes) {
        ++run_.left_out;
        return;
    }
    bytes_ = bytes;
    run_.replies.push_back(std::move(r));
}

void report_view::on_server_failed(const fault_event& e) {
    if (run_.faults.size() < max_faults) run_.faults.push_back(format_server_fault(e));
}

// Groups the replies of a dialogue, and orders the dialogues by start time.
void report_view::on_run_finished(const replay_summary& s) {
    run_.summary = s;
    std::map<std::string, double> begins;
    for (const auto& r : run_.replies) {
        const auto [at, is_new] = begins.try_emplace(r.id, r.start_ms);
        at->second = std::min(at->second, r.start_ms);
    }
    std::ranges::stable_sort(run_.replies, {}, [&](const report_reply& r) {
        return std::tuple(begins.at(r.id), std::string_view(r.id), r.reply);
    });
}

}  // namespace tandem::command
