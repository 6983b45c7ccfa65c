#include "run/progress.hpp"

#include "text/terminal_text.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <utility>

namespace tandem::command {

namespace {

std::string left_text(double ms) {
    const auto seconds = std::llround(ms / 1000);
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
}

}  // namespace

std::string progress_text(const replay_totals& totals, double elapsed_ms) {
    const int ended = totals.ended();
    auto text = fmt::format("{}/{} replies", ended, totals.replies());
    if (totals.failed() > 0) text += fmt::format(", {} failed", totals.failed());
    if (ended == 0 || elapsed_ms <= 0) return text;
    const double ms_each = elapsed_ms / ended;
    return text + fmt::format(", {:.1f} a second, {} left", 1000 / ms_each,
                              left_text(ms_each * (totals.replies() - ended)));
}

progress::progress(boost::asio::io_context& ioc, terminal& t, std::function<std::string()> line)
    : terminal_(t),
      line_(std::move(line)),
      timer_(ioc, std::chrono::milliseconds(100), [this] { show(); }) {}

// A line as wide as the terminal could wrap, and would then not be erased completely.
void progress::show() {
    terminal_.show_status(truncate_to_width(line_(), terminal_.err_width() - 1));
}

void progress::stop() {
    timer_.stop();
    terminal_.show_status({});
}

}  // namespace tandem::command
