#include "replay/replay_text_view.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem::command {

replay_text_view::replay_text_view(terminal& t, text_style style, int slots_wanted,
                                   std::optional<duration> reuse_guard)
    : terminal_(t), style_(style), slots_wanted_(slots_wanted), guard_(slots_wanted, reuse_guard) {}

text_style replay_text_view::style() const {
    auto current = style_;
    current.width = terminal_.out_width();
    return current;
}

void replay_text_view::show_source(std::string_view source) {
    style_.is_playback = true;
    terminal_.print(format_recording_source(style(), source));
}

void replay_text_view::on_server_ready(std::string_view url, const server_props& props) {
    ++servers_;
    guard_.set_server(props.total_slots, props.build_info);
    terminal_.print(format_server(style(), url, props, slots_wanted_));
}

void replay_text_view::on_user_speaks() {
    user_speaks_ = true;
    started_ = clock::now();
}

void replay_text_view::on_reply_started(const start_event& e) {
    user_speaks_ = false;
    if (!std::exchange(heads_shown_, true)) terminal_.print(format_column_headings(style()));
    running_ = true;
    started_ = spoken_ = clock::now();
    terminal_.print(format_reply_start(style(), e));
}

void replay_text_view::on_chunk(const chunk_event& e) {
    using std::chrono::duration_cast;
    const std::chrono::duration<double, std::milli> speech(e.speech_ms);
    const auto now = clock::now();
    spoken_ = now + duration_cast<clock::duration>(speech);
    guard_.record_use(e.chunk.metrics.slot, now);
    terminal_.print(format_chunk(style(), e));
}

void replay_text_view::on_reply_ended(const end_event& e) {
    running_ = false;
    // Records the use of a slot by the last request if this request delivered no chunk; on_chunk()
    // recorded the others.
    const auto& m = e.result.metrics;
    if (m.requests > m.chunks) guard_.record_use(m.slot, clock::now());
    started_ = clock::now();
    terminal_.print(format_reply_end(style(), e));
}

void replay_text_view::on_server_failed(const fault_event& e) {
    terminal_.print_error("tandem replay: " + format_server_fault(e));
}

void replay_text_view::on_run_finished(const replay_summary& s) {
    terminal_.print(format_summary(style(), s));
}

std::string replay_text_view::describe_activity() const {
    using seconds = std::chrono::duration<double>;
    const auto now = clock::now();
    const auto text = [&]() -> std::string {
        if (running_ && now < spoken_) return "speaking";
        if (user_speaks_) return "the user is speaking";
        const seconds guard = guard_.remaining_delay(now);
        // With several servers, the server of the next request, and so its guard, is unknown.
        if (!running_ || servers_ > 1 || guard.count() <= 0) return "waiting for the server";
        return fmt::format("waiting {:.1f} s for the reuse guard", guard.count());
    };
    return fmt::format("{:>7.1f}s  {}", seconds(now - started_).count(), text());
}

}  // namespace tandem::command
