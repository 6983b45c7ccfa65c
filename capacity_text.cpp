#include "bench/capacity_text.hpp"

#include "bench/bench_text.hpp"
#include "terminal/color.hpp"

#include <fmt/format.h>

namespace tandem::command {
namespace {

std::string capacity_cell(double ms) {
    return ms < 0 ? fmt::format("{:>11}", "-") : format_latency_cell(ms);
}

std::string red_if(bool is_over, const std::string& cell, bool color) {
    return colorize(color && is_over, paint::red, cell);
}

std::string callers_text(int count) {
    return fmt::format("{} {}", count, count == 1 ? "caller" : "callers");
}

// A stopped run knows only that these callers were carried.
std::string capacity_line(const bench_report& r) {
    const auto& c = *r.capacity;
    if (r.was_stopped || !c.is_bounded)
        return fmt::format("at least {}{}", callers_text(c.callers),
                           r.was_stopped ? "; stopped early" : "");
    return callers_text(c.callers);
}

std::string calculation_text(const capacity_report& c) {
    if (c.tokens_per_word <= 0) return "unknown, as no reply had text";
    return fmt::format("{} = {:.0f} tokens/s / {:.2f} ({:g} words a minute, {:.2f} tokens a word)",
                       callers_text(static_cast<int>(c.calculated_callers())),
                       c.tokens_per_second(), c.tokens_per_listener(), c.words_per_minute,
                       c.tokens_per_word);
}

}  // namespace

std::string format_capacity_head(const bench_setup& setting, const capacity_report& plan,
                                 bool color) {
    const auto head = fmt::format("Callers for whom first chunk p95 <= {}, gap p99 <= {}",
                                  format_latency(to_ms(plan.limits.first_chunk)),
                                  format_latency(to_ms(plan.limits.gap)));
    const auto columns = fmt::format("  {:>7}{:>11}{:>11}{:>11}{:>11}{:>8}{:>10}", "callers",
                                     "first p50", "p95", "p99", "gap p99", "failed", "tokens/s");
    return colorize(color, paint::bold, head) + '\n' + format_setting_rows(setting) +
           fmt::format("  {:<14}{:g} s each\n\n", "steps", to_ms(plan.step_time) / 1000) +
           colorize(color, paint::dim, columns) + '\n';
}

std::string format_capacity_step(const capacity_step& s, const capacity_limits& limits,
                                 bool color) {
    const bool is_late = s.first_chunk_p95 > to_ms(limits.first_chunk);
    return fmt::format(
        "  {:>7}{}{}{}{}{}{:>10.0f}\n", s.callers, capacity_cell(s.first_chunk_p50),
        red_if(is_late, capacity_cell(s.first_chunk_p95), color), capacity_cell(s.first_chunk_p99),
        red_if(s.gap_p99 > to_ms(limits.gap), capacity_cell(s.gap_p99), color),
        red_if(s.failed > 0, fmt::format("{:>8}", s.failed), color), s.tokens_per_second);
}

std::string format_capacity_result(const bench_report& r, bool color) {
    auto text = '\n' + format_error_lines(r.figures, color);
    text += colorize(color, paint::bold, fmt::format("  {:<14}{}", "capacity", capacity_line(r)));
    return text + fmt::format("\n  {:<14}{}\n", "calculated", calculation_text(*r.capacity));
}

}  // namespace tandem::command
