#include "text_view.hpp"

#include <fmt/format.h>

namespace tandem::command {

text_view::text_view(terminal& t, text_style style, int slots_wanted)
    : terminal_(t), style_(style), slots_wanted_(slots_wanted) {}

text_style text_view::style() const {
    auto current = style_;
    current.width = terminal_.out_width();
    return current;
}

void text_view::server_ready(const server_props& props) {
    terminal_.print(server_lines(style(), props, slots_wanted_));
}

void text_view::started(const start_event& e) {
    running_ = true;
    started_ = spoken_ = clock::now();
    terminal_.print(start_lines(style(), e));
}

void text_view::chunk_came(const chunk_event& e) {
    using std::chrono::duration_cast;
    const std::chrono::duration<double, std::milli> speech(e.speech_ms);
    spoken_ = clock::now() + duration_cast<clock::duration>(speech);
    terminal_.print(chunk_lines(style(), e));
}

void text_view::ended(const end_event& e) {
    running_ = false;
    terminal_.print(end_lines(style(), e));
}

void text_view::failed(const fault_event& e) {
    terminal_.print_error("tandem replay: " + fault_text(e));
}

void text_view::finished(const replay_summary& s) {
    terminal_.print(summary_lines(style(), s));
}

std::string text_view::doing() const {
    if (!running_) return {};
    const auto now = clock::now();
    const std::chrono::duration<double> since = now - started_;
    return fmt::format("{:>7.1f}s  {}", since.count(),
                       now < spoken_ ? "speaking" : "waiting for the server");
}

}  // namespace tandem::command
