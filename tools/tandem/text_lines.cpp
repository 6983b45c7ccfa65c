#include "text_lines.hpp"

#include "display_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tandem::command {
namespace {

constexpr int chunk_columns = 33;  // in front of a chunk's text
constexpr int note_columns = 10;   // in front of the lines that are no chunks
constexpr int bar_columns = 30;
constexpr int least_text_columns = 20;

namespace paint {
constexpr const char* bold = "\x1b[1m";
constexpr const char* dim = "\x1b[2m";
constexpr const char* red = "\x1b[31m";
constexpr const char* green = "\x1b[32m";
constexpr const char* yellow = "\x1b[33m";
}  // namespace paint

std::string painted(const text_style& style, const char* color, std::string_view text) {
    return style.color ? fmt::format("{}{}\x1b[0m", color, text) : std::string(text);
}

std::string filled(std::string text, int columns) {
    return text +
           std::string(static_cast<std::size_t>(std::max(0, columns - columns_of(text))), ' ');
}

std::string quoted(std::string_view text, int columns) {
    return fmt::format("«{}»", shortened(text, columns));
}

// What stands in front of a line of a reply.
std::string prefix(const text_style& style, const turn_name& name) {
    if (style.name_columns == 0) return {};
    const auto text = filled(shortened(name_text(name), style.name_columns), style.name_columns);
    return painted(style, paint::bold, text) + "  ";
}

int text_columns(const text_style& style, int indent) {
    const int names = style.name_columns > 0 ? style.name_columns + 2 : 0;
    return std::max(least_text_columns, style.width - names - indent);
}

std::string at(double ms) {
    return fmt::format("{:>7.2f}s  ", ms / 1000);
}

// `text` beside `head`, which is as wide as `indent`; further lines below it.
std::string block(const text_style& style, const turn_name& name, const std::string& head,
                  int indent, std::string_view text, const char* color = nullptr) {
    std::string result;
    auto lines = wrapped(text, text_columns(style, indent));
    if (lines.empty()) lines.emplace_back();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto blank = std::string(static_cast<std::size_t>(indent), ' ');
        result += prefix(style, name) + (i == 0 ? painted(style, paint::dim, head) : blank);
        result += (color ? painted(style, color, lines[i]) : lines[i]) + '\n';
    }
    return result;
}

std::string row(const char* name, const std::string& value) {
    return fmt::format("  {:<15}{}\n", name, value);
}

std::string repeated(const char* text, long count) {
    std::string result;
    for (long i = 0; i < count; ++i) result += text;
    return result;
}

// Where the time of a reply went, as far as there is something to tell.
std::string bar_lines(const text_style& style, const end_event& e) {
    const double guard = e.result.metrics.guard_wait_ms;
    if (e.speech_ms <= 0 && guard <= 0) return {};
    const double server = std::max(0.0, e.gap_ms - guard);
    const double all = server + guard + e.speech_ms;
    const auto cells = [&](double ms) {
        return ms > 0 ? std::max(1L, std::lround(ms / all * bar_columns)) : 0L;
    };
    const long waiting = cells(server);
    const long guarded = cells(guard);
    const long spoken = e.speech_ms > 0 ? std::max(1L, bar_columns - waiting - guarded) : 0;
    const auto bar = painted(style, paint::green, repeated("█", waiting)) +
                     painted(style, paint::yellow, repeated("▒", guarded)) +
                     painted(style, paint::dim, repeated("░", spoken));
    auto legend = fmt::format("█ {} waiting", time_text(server));
    if (guard > 0) legend += fmt::format("  ▒ {} guard", time_text(guard));
    if (e.speech_ms > 0) legend += fmt::format("  ░ {} speech", time_text(e.speech_ms));
    const auto blank = std::string(note_columns, ' ');
    if (columns_of(legend) <= text_columns(style, note_columns) - bar_columns - 2)
        return fmt::format("{}{}{}  {}\n", prefix(style, e.where), blank, bar, legend);
    return fmt::format("{}{}{}\n", prefix(style, e.where), blank, bar) +
           block(style, e.where, blank, note_columns, legend);
}

std::string outcome(const end_event& e) {
    const auto& u = e.result.usage;
    const auto& m = e.result.metrics;
    auto text = fmt::format("{} · {} tokens in {} chunk{}", to_string(e.result.finish_reason),
                            u.generated, m.chunks, m.chunks == 1 ? "" : "s");
    if (m.first_chunk_ms >= 0) text += " · first after " + time_text(m.first_chunk_ms);
    return text + fmt::format(" · cache hit {:.0f} %", u.cache_hit_ratio() * 100);
}

std::string words_of(const error_code& ec, const diagnostics& d) {
    const auto words = d.to_string();
    return fmt::format("{}: {}", error_name(ec), words.empty() ? ec.message() : words);
}

}  // namespace

std::string name_text(const turn_name& name) {
    return name.turn == 0 ? std::string(name.id) : fmt::format("{}.{}", name.id, name.turn);
}

std::string time_text(double ms) {
    if (ms < 10) return fmt::format("{:.1f} ms", ms);
    if (ms < 1000) return fmt::format("{:.0f} ms", ms);
    if (ms < 10'000) return fmt::format("{:.2f} s", ms / 1e3);
    if (ms < 60'000) return fmt::format("{:.1f} s", ms / 1e3);
    const auto seconds = std::lround(ms / 1e3);
    return fmt::format("{} min {} s", seconds / 60, seconds % 60);
}

std::string server_lines(const text_style& style, const server_props& props, int slots_wanted) {
    auto text = fmt::format("llama-server {}, model {}, {} slot{} of {} tokens",
                            props.build_info.empty() ? "of unknown build" : props.build_info,
                            props.model.empty() ? "unnamed" : props.model, props.total_slots,
                            props.total_slots == 1 ? "" : "s", props.context_per_slot);
    auto result = painted(style, paint::dim, shortened(text, style.width)) + '\n';
    if (const auto warning = slots_warning(props, slots_wanted); !warning.empty())
        result += painted(style, paint::yellow, warning) + '\n';
    if (style.name_columns > 0) return result;
    return result + painted(style, paint::dim, "    time  slot       cached+new") + '\n';
}

std::string start_lines(const text_style& style, const start_event& e) {
    const auto name = name_text(e.where);
    if (style.name_columns > 0)
        return prefix(style, e.where) +
               painted(style, paint::dim, quoted(e.prompt, text_columns(style, 2))) + '\n';
    const int left = std::max(least_text_columns, style.width - columns_of(name) - 4);
    return fmt::format("\n{}  {}\n", painted(style, paint::bold, shortened(name, style.width)),
                       painted(style, paint::dim, quoted(e.prompt, left)));
}

std::string chunk_lines(const text_style& style, const chunk_event& e) {
    const auto& c = e.chunk;
    std::string result;
    if (c.guard_wait_ms > 0)
        result = block(style, e.where, at(e.at_ms), note_columns,
                       fmt::format("waited {} for the reuse guard of slot {}",
                                   time_text(c.guard_wait_ms), c.slot),
                       paint::yellow);
    const auto slot = fmt::format("{}{}", c.slot, c.slot_reused ? " reused" : "");
    const auto tokens = fmt::format("{}+{}", c.cached, c.evaluated);
    const auto head = fmt::format("{}{:<9}{:>12}  ", at(e.at_ms), slot, tokens);
    // White space that starts a chunk only joins it to the one before.
    const std::string_view text = c.text;
    const auto first = std::min(text.find_first_not_of(" \n"), text.size());
    return result + block(style, e.where, head, chunk_columns, text.substr(first));
}

std::string end_lines(const text_style& style, const end_event& e) {
    const auto head = at(e.result.metrics.total_ms);
    const auto text = outcome(e);
    if (e.result.finish_reason != finish_reason::error)
        return block(style, e.where, head, note_columns, text,
                     e.result.finish_reason == finish_reason::interrupted ? paint::yellow
                                                                          : paint::green) +
               bar_lines(style, e);
    return block(style, e.where, head, note_columns, text, paint::red) +
           block(style, e.where, std::string(note_columns, ' '), note_columns,
                 words_of(e.result.error, e.result.diagnostics), paint::red);
}

std::string fault_text(const fault_event& e) {
    return words_of(e.error, e.diagnostics);
}

std::string summary_lines(const text_style& style, const replay_summary& s) {
    const auto head = fmt::format(
        "{} repl{}: {} complete, {} failed, {} interrupted, {} not started", s.replies,
        s.replies == 1 ? "y" : "ies", s.complete, s.failed, s.interrupted, s.not_started);
    auto text = fmt::format("\n{}\n", painted(style, paint::bold, head));
    if (s.replies == s.not_started) return text;
    text += row("chunks", fmt::format("{}", s.chunks));
    text += row("tokens", fmt::format("{} generated, {} wasted", s.generated, s.wasted));
    text += row("prompt tokens", fmt::format("{} cached, {} evaluated (hit {:.0f} %)", s.cached,
                                             s.evaluated, s.cache_hit_ratio() * 100));
    if (s.first_chunk_p50_ms >= 0)
        text += row("first chunk",
                    fmt::format("p50 {}, p90 {}, max {}", time_text(s.first_chunk_p50_ms),
                                time_text(s.first_chunk_p90_ms), time_text(s.first_chunk_max_ms)));
    text += row("guard waits", s.guard_waits == 0 ? "none"
                                                  : fmt::format("{}, {} together", s.guard_waits,
                                                                time_text(s.guard_wait_ms)));
    return text +
           row("time", fmt::format("{}, processor {} ({:.1f} µs a token)", time_text(s.total_ms),
                                   time_text(s.cpu_ms), s.cpu_us_per_token()));
}

}  // namespace tandem::command
