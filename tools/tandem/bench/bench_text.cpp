#include "bench/bench_text.hpp"

#include "base/format_count.hpp"
#include "bench/capacity_search.hpp"
#include "terminal/color.hpp"
#include "text/terminal_text.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::command {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;
constexpr int max_message_columns = 300;

std::string bench_row(const char* name, const std::string& value) {
    return fmt::format("  {:<14}{}\n", name, value);
}

std::string load_text(const bench_setup& s) {
    if (s.rate <= 0) return "closed loop";
    return fmt::format("{:g} new turns a second ({})", s.rate, s.is_even ? "even" : "Poisson");
}

std::string voice_text(const bench_setup& s) {
    return s.words_per_minute > 0 ? fmt::format("voice of {:g} words a minute", s.words_per_minute)
                                  : "no voice";
}

std::string users_text(const user_speech_rules& users) {
    std::string text = "speak";
    if (users.partials)
        text +=
            fmt::format(", partial transcripts every {}", format_latency(to_ms(*users.partials)));
    if (users.eager)
        text += fmt::format(", drafts {} before the end", format_latency(to_ms(*users.eager)));
    if (users.revise > 0) text += fmt::format(", {:g} % revised", 100 * users.revise);
    return text;
}

std::string setting_rows(const bench_setup& s) {
    std::string text;
    if (s.users.is_enabled()) text += bench_row("users", users_text(s.users));
    text += bench_row("consumers", fmt::format("{}, pacing {}", voice_text(s), s.pacing));
    if (s.mock_slots > 0) {
        const auto pace = s.mock_tokens_per_second > 0
                              ? fmt::format("{:g} tokens a second", s.mock_tokens_per_second)
                              : "unlimited tokens per second";
        return text + bench_row("server", fmt::format("mock in this process, {} of {}",
                                                      format_count(s.mock_slots, "slot"), pace));
    }
    for (const auto& url : s.servers) text += bench_row("server", url);
    return text + bench_row("slots", fmt::format("{} of each server, reuse guard {}",
                                                 s.slots > 0 ? fmt::format("{}", s.slots) : "all",
                                                 s.reuse_guard));
}

std::string setting_lines(const bench_setup& s, bool color) {
    const auto head =
        fmt::format("{} at once, {}", format_count(s.concurrency, "conversation"), load_text(s));
    return colorize(color, paint::bold, head) + '\n' + setting_rows(s);
}

std::string reply_text(const bench_report& r) {
    const auto& f = r.figures;
    auto text = fmt::format("{} in {:.1f} s:", format_count(f.replies, "reply"), r.cost.seconds);
    const char* before = " ";
    for (const auto& [count, name] :
         std::array{std::pair{f.complete, "complete"}, std::pair{f.failed, "failed"},
                    std::pair{f.interrupted, "interrupted"}, std::pair{f.stopped, "stopped"},
                    std::pair{r.missed, "turns not started"}})
        if (count > 0) text += fmt::format("{}{} {}", std::exchange(before, ", "), count, name);
    if (f.replies == 0 && r.missed == 0) text += " none";
    return r.was_stopped ? text + "; stopped early" : text;
}

// Pads the text itself, because fmt counts "µs" (3 bytes) as 2 columns only in UTF-8 locales.
std::string cell(double ms, int width = 11) {
    const auto text = ms < 0 ? "-" : format_latency(ms);
    return std::string(static_cast<std::size_t>(std::max(1, width - count_columns(text))), ' ') +
           text;
}

std::string latency_row(const char* name, const latency_stats& f) {
    if (f.count == 0) return {};
    return fmt::format("  {:<14}{}{}{}{}{:>11}\n", name, cell(f.p50), cell(f.p90), cell(f.p99),
                       cell(f.max), f.count);
}

std::string latency_table(const bench_report& r, bool color) {
    const auto& f = r.figures;
    std::string rows;
    if (r.setting.rate > 0) rows += latency_row("begun late", f.late);
    rows += latency_row("first token", f.first_token);
    rows += latency_row("first chunk", f.first_chunk);
    rows += latency_row("gap", f.gap);
    rows += latency_row("hand-over", f.hand_over);
    rows += latency_row("cut to close", f.cut_to_close);
    rows += latency_row("cut to idle", f.cut_to_idle);
    rows += latency_row("slot wait", f.queue_wait);
    rows += latency_row("guard wait", f.guard_wait);
    if (rows.empty()) return {};
    const auto head =
        fmt::format("  {:<14}{:>11}{:>11}{:>11}{:>11}{:>11}", "", "p50", "p90", "p99", "max", "n");
    return '\n' + colorize(color, paint::dim, head) + '\n' + rows + '\n';
}

std::string memory_text(const bench_report& r) {
    const auto& c = r.cost;
    auto text =
        fmt::format("{:.1f} MiB, {:.1f} MiB before", static_cast<double>(c.rss_peak) / mebibyte,
                    static_cast<double>(c.rss_before) / mebibyte);
    if (c.peak_streams > 0)
        text += fmt::format("; {:.0f} KiB a stream of {} at once{}",
                            static_cast<double>(r.bytes_per_stream()) / 1024.0, c.peak_streams,
                            r.setting.mock_slots > 0 ? ", including the mock server" : "");
    return text;
}

std::string prompt_text(const bench_stats& f) {
    const auto all = f.cached + f.evaluated;
    if (all == 0) return "none";
    return fmt::format("{}, {:.0f} % of them cached", format_count(all, "token"),
                       100.0 * static_cast<double>(f.cached) / static_cast<double>(all));
}

// Returns each code with the message of its first error.
std::string error_lines(const bench_stats& f, bool color) {
    std::string lines;
    for (const auto& [code, count] : f.errors) {
        auto text = fmt::format("  {:>6}  {}", count, code);
        const auto message = f.messages.find(code);
        if (message != f.messages.end() && !message->second.empty())
            text += ": " + truncate_to_width(message->second, max_message_columns);
        lines += colorize(color, paint::red, text) + '\n';
    }
    return lines;
}

std::string processor_text(const bench_report& r) {
    const auto token = r.figures.generated > 0
                           ? fmt::format("{:.1f} µs a token; ", r.cpu_us_per_token())
                           : std::string();
    return fmt::format("{}the loop {:.0f} % busy", token, 100 * r.loop_load());
}

std::string cost_rows(const bench_report& r) {
    const auto& f = r.figures;
    auto text = bench_row("throughput", fmt::format("{:.1f} replies/s, {:.0f} tokens/s",
                                                    r.replies_per_second(), r.tokens_per_second()));
    text += bench_row("tokens", fmt::format("{} generated, {} wasted, in {}", f.generated, f.wasted,
                                            format_count(f.chunks, "chunk")));
    text += bench_row("prompts", prompt_text(f));
    if (f.prefilled > 0)
        text += bench_row("heard early", format_count(f.prefilled, "token") + " evaluated");
    if (f.drafted > 0 || f.draft_wasted > 0)
        text += bench_row("drafts", fmt::format("{} used, {} wasted",
                                                format_count(f.drafted, "token"), f.draft_wasted));
    text += bench_row("requests", fmt::format("{}, {} cut, {}", f.requests, f.cuts,
                                              format_count(f.retries, "retry")));
    text += bench_row("processor", processor_text(r));
    text += bench_row("memory", memory_text(r));
    return text + bench_row("measuring",
                            fmt::format("{:.1f} MiB of that",
                                        static_cast<double>(r.cost.measuring_bytes) / mebibyte));
}

std::string callers_text(int callers) {
    return format_count(callers, "caller");
}

std::string found_text(const capacity_report& r) {
    if (r.steps.empty()) return "no step has ended";
    if (r.was_given_up) return "given up, as every turn of a step failed";
    if (r.callers == 0)
        return fmt::format("not even {} within the limits", callers_text(r.over.value_or(0)));
    const auto text = callers_text(r.callers) + " within the limits";
    if (r.over) return fmt::format("{}, {} not", text, *r.over);
    return r.callers < capacity_search::max_callers ? text : text + ", and more are not tried";
}

std::string arithmetic_text(const capacity_report& r) {
    if (!r.over) return "unknown, as no step was over the limits";
    if (r.callers_by_arithmetic() <= 0) return "unknown, as nothing was spoken";
    const int callers = static_cast<int>(r.callers_by_arithmetic());
    return fmt::format("{}: {:.1f} tokens/s at most, {:.2f} tokens/s for a listener",
                       callers == 0 ? "not even 1 caller" : callers_text(callers),
                       r.tokens_per_second(), r.listener_tokens_per_second());
}

}  // namespace

std::string format_latency(double ms) {
    if (ms < 0.9995) return fmt::format("{:.0f} µs", ms * 1e3);
    if (ms < 9.995) return fmt::format("{:.2f} ms", ms);
    if (ms < 99.95) return fmt::format("{:.1f} ms", ms);
    if (ms < 999.5) return fmt::format("{:.0f} ms", ms);
    return fmt::format("{:.2f} s", ms / 1e3);
}

std::string format_bench_report(const bench_report& r, bool color) {
    auto text = setting_lines(r.setting, color);
    text += '\n' + colorize(color, paint::bold, reply_text(r)) + '\n';
    text += error_lines(r.figures, color);
    return text + latency_table(r, color) + cost_rows(r);
}

std::string format_capacity_head(const capacity_report& r, bool color) {
    const auto head = fmt::format(
        "Number of callers, steps of {}: first chunk p95 at most {}, gap p99 {}",
        to_string(r.step_time), to_string(r.limits.first_chunk), to_string(r.limits.gap));
    const auto columns = fmt::format("  {:>7}{:>17}{:>11}{:>11}", "callers", "first chunk p95",
                                     "gap p99", "tokens/s");
    return colorize(color, paint::bold, head) + '\n' + setting_rows(r.setting) + '\n' +
           colorize(color, paint::dim, columns) + '\n';
}

std::string format_capacity_step(const capacity_step& s, const latency_limits& limits, bool color) {
    const auto exceeded = s.describe_exceeded(limits);
    return fmt::format("  {:>7}{}{}{:>11.1f}  {}\n", s.callers, cell(s.first_chunk_p95, 17),
                       cell(s.gap_p99), s.tokens_per_second(),
                       exceeded.empty() ? "ok" : colorize(color, paint::red, "over: " + exceeded));
}

std::string format_capacity_report(const capacity_report& r, bool color) {
    const auto found = found_text(r) + (r.was_stopped ? "; stopped early" : "");
    return '\n' + colorize(color, paint::bold, found) + '\n' + error_lines(r.figures, color) +
           bench_row("by arithmetic", arithmetic_text(r));
}

}  // namespace tandem::command
