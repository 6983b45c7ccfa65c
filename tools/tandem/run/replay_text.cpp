#include "run/replay_text.hpp"

#include "base/format_count.hpp"
#include "run/server_table.hpp"
#include "terminal/color.hpp"
#include "text/format_error.hpp"
#include "text/terminal_text.hpp"
#include "text/url_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace tandem::command {
namespace {

constexpr int chunk_columns = 33;  // width of the columns before the text of a chunk
constexpr int note_columns = 10;   // width of the columns before other texts
constexpr int bar_columns = 30;
constexpr int min_text_columns = 20;
constexpr int max_broken_columns = 400;
constexpr double min_wait_ms = 1;  // shorter waits for a slot are not shown

std::string quoted(std::string_view text, int columns) {
    return fmt::format("«{}»", truncate_to_width(text, columns));
}

// Returns the name column of a line.
std::string prefix(const text_style& style, const reply_name& name) {
    if (style.name_columns == 0) return {};
    const auto text = pad_to_columns(truncate_to_width(format_reply_name(name), style.name_columns),
                                     style.name_columns);
    return colorize(style.color, paint::bold, text) + "  ";
}

int text_columns(const text_style& style, int indent) {
    const int names = style.name_columns > 0 ? style.name_columns + 2 : 0;
    return std::max(min_text_columns, style.width - names - indent);
}

// Returns true if the line has room for the columns before the text of a chunk.
bool has_columns(const text_style& style) {
    const int names = style.name_columns > 0 ? style.name_columns + 2 : 0;
    return style.width - names >= chunk_columns + min_text_columns;
}

std::string at(double ms) {
    return fmt::format("{:>7.2f}s  ", ms / 1000);
}

// Prints `text` to the right of `head`, which is `indent` columns wide; further lines are indented.
std::string block(const text_style& style, const reply_name& name, const std::string& head,
                  int indent, std::string_view text, const char* color = nullptr) {
    std::string result;
    auto lines = wrap_text(text, text_columns(style, indent));
    if (lines.empty()) lines.emplace_back();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto blank = std::string(static_cast<std::size_t>(indent), ' ');
        result += prefix(style, name) + (i == 0 ? colorize(style.color, paint::dim, head) : blank);
        result += (color ? colorize(style.color, color, lines[i]) : lines[i]) + '\n';
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

// Returns the total time that the requests waited for a slot, including the reuse guard.
double slot_wait_ms(const reply_result& r) {
    using kind = timeline_event::kind;
    std::int64_t sum = 0;
    std::int64_t since = -1;
    for (const auto& e : r.timeline) {
        if (e.what == kind::slot_wait) since = e.at_ns;
        if (since < 0 || (e.what != kind::request && e.what != kind::end)) continue;
        sum += e.at_ns - std::exchange(since, -1);
    }
    return static_cast<double>(sum) / 1e6;
}

// A part of a reply's duration.
struct time_part {
    double ms;
    const char* cell;
    const char* name;
    const char* color;
    long cells = 0;
};

// Returns the parts of a reply's duration; empty if the reply waited only for the server.
std::vector<time_part> time_parts(const end_event& e) {
    const double guard = e.result.metrics.guard_wait_ms;
    const double wait = slot_wait_ms(e.result) - guard;
    const double queue = wait >= min_wait_ms ? wait : 0;
    if (e.speech_ms <= 0 && guard <= 0 && queue <= 0) return {};
    std::vector<time_part> parts{{e.gap_ms - guard - queue, "█", "server", paint::green},
                                 {queue, "▓", "for a free slot", paint::yellow},
                                 {guard, "▒", "guard", paint::yellow},
                                 {e.speech_ms, "░", "speech", paint::dim}};
    std::erase_if(parts, [](const time_part& p) { return p.ms <= 0; });
    return parts;
}

// Assigns a proportional number of cells to each part, at least one. The longest part absorbs the
// rounding error.
void share_cells(std::vector<time_part>& parts) {
    double all = 0;
    for (const auto& p : parts) all += p.ms;
    long left = bar_columns;
    for (auto& p : parts) {
        p.cells = std::max(1L, std::lround(p.ms / all * bar_columns));
        left -= p.cells;
    }
    std::ranges::max_element(parts, {}, &time_part::ms)->cells += left;
}

std::string bar_lines(const text_style& style, const end_event& e) {
    auto parts = time_parts(e);
    if (parts.empty()) return {};
    share_cells(parts);
    std::string bar;
    std::string legend;
    for (const auto& p : parts) {
        bar += colorize(style.color, p.color, repeated(p.cell, p.cells));
        legend += fmt::format("{}{} {} {}", legend.empty() ? "" : "  ", p.cell,
                              format_elapsed(p.ms), p.name);
    }
    const auto blank = std::string(note_columns, ' ');
    if (count_columns(legend) <= text_columns(style, note_columns) - bar_columns - 2)
        return fmt::format("{}{}{}  {}\n", prefix(style, e.where), blank, bar, legend);
    return fmt::format("{}{}{}\n", prefix(style, e.where), blank, bar) +
           block(style, e.where, blank, note_columns, legend);
}

// Returns when servers of the reply failed; empty if none did.
std::string loss_text(const reply_result& r) {
    const auto first =
        std::ranges::find(r.timeline, timeline_event::kind::lost, &timeline_event::what);
    if (r.metrics.retries == 0 || first == r.timeline.end()) return {};
    const auto after = format_elapsed(static_cast<double>(first->at_ns) / 1e6);
    return r.metrics.retries == 1
               ? fmt::format(" · server lost after {}", after)
               : fmt::format(" · server lost {} times, first after {}", r.metrics.retries, after);
}

std::string outcome(const end_event& e) {
    const auto& u = e.result.usage;
    const auto& m = e.result.metrics;
    auto text = fmt::format("{} · {} in {}", to_string(e.result.finish_reason),
                            format_count(u.generated, "token"), format_count(m.chunks, "chunk"));
    if (m.first_chunk_ms >= 0) text += " · first after " + format_elapsed(m.first_chunk_ms);
    if (u.drafted > 0) text += fmt::format(" · {} drafted", u.drafted);
    if (u.draft_wasted > 0) text += fmt::format(" · {} drafted in vain", u.draft_wasted);
    return text + fmt::format(" · cache hit {:.0f} %", u.cache_hit_ratio() * 100) +
           loss_text(e.result);
}

// Returns "a, then b" if another server continued the reply after a failure.
std::string servers_text(const end_event& e) {
    if (e.result.servers.size() < 2) return std::string(e.server);
    std::string text;
    for (const auto& url : e.result.servers)
        text += (text.empty() ? "" : ", then ") + redact_url(url);
    // `servers` lists each server once, but the reply may have returned to an earlier server.
    if (redact_url(e.result.servers.back()) != e.server) text += fmt::format(", then {}", e.server);
    return text;
}

std::string words_of(const error_code& ec, const diagnostics& d, std::string_view hint = {}) {
    return fmt::format("{}: {}", error_name(ec), format_error(ec, d, hint));
}

std::string call_lines(const text_style& style, const end_event& e) {
    std::string text;
    const auto blank = std::string(note_columns, ' ');
    for (const auto& call : e.result.calls)
        text += block(style, e.where, blank, note_columns,
                      fmt::format("calls {} {}", call.name, call.arguments), paint::yellow);
    return text;
}

std::string reply_end_lines(const text_style& style, const end_event& e) {
    const auto head = at(e.result.metrics.total_ms);
    const auto calls = call_lines(style, e);
    auto text = outcome(e);
    if (style.shows_servers && !e.server.empty()) text += fmt::format(" · at {}", servers_text(e));
    if (e.result.finish_reason != finish_reason::error)
        return calls +
               block(style, e.where, head, note_columns, text,
                     e.result.finish_reason == finish_reason::interrupted ? paint::yellow
                                                                          : paint::green) +
               bar_lines(style, e);
    return calls + block(style, e.where, head, note_columns, text, paint::red) +
           block(style, e.where, std::string(note_columns, ' '), note_columns,
                 words_of(e.result.error, e.result.diagnostics, e.hint), paint::red);
}

// One line for each expectation that is not met.
std::string broken_lines(const text_style& style, const end_event& e) {
    std::string text;
    if (!e.checked) return text;
    const auto blank = std::string(note_columns, ' ');
    for (const auto& b : e.checked->broken)
        text += block(style, e.where, blank, note_columns,
                      fmt::format("{}: {}", format_place(*e.checked),
                                  truncate_to_width(describe(b), max_broken_columns)),
                      paint::red);
    return text;
}

// Returns "3 replies: 1 complete, 2 failed".
std::string counts_text(const replay_summary& s) {
    auto text = format_count(s.replies, "reply") + ":";
    const char* before = " ";
    for (const auto& [count, name] : std::array{
             std::pair{s.complete, "complete"}, std::pair{s.failed, "failed"},
             std::pair{s.interrupted, "interrupted"}, std::pair{s.not_started, "not started"}})
        if (count > 0) text += fmt::format("{}{} {}", std::exchange(before, ", "), count, name);
    return text;
}

std::string spread_text(const percentiles& s) {
    if (s.p50 == s.max) return format_elapsed(s.max);
    return fmt::format("p50 {}, p90 {}, max {}", format_elapsed(s.p50), format_elapsed(s.p90),
                       format_elapsed(s.max));
}

std::string guard_waits_text(const replay_summary& s) {
    if (s.guard_waits == 0) return "none";
    return fmt::format("{}, {}{}", s.guard_waits, format_elapsed(s.guard_wait_ms),
                       s.guard_waits == 1 ? "" : " together");
}

std::string expectations_text(const replay_summary& s) {
    auto text = fmt::format("{}, {} broken", format_count(s.checked_turns, "turn"), s.broken_turns);
    return s.unchecked_turns == 0 ? text : text + fmt::format(", {} unchecked", s.unchecked_turns);
}

// Returns the usage of servers and slots, if the library chose among them.
std::string server_rows(const text_style& style, const replay_summary& s) {
    const auto& c = s.conversations;
    if (c.count == 0 && s.servers.size() < 2) return {};
    std::string text;
    if (s.slot_wait_ms.max >= 0) text += row("slot waits", spread_text(s.slot_wait_ms));
    if (c.count > 0)
        text += row("conversations",
                    fmt::format("{}, {}, {}, {}", c.count, format_count(c.turns, "turn"),
                                format_count(c.trims, "trim"), format_count(c.moves, "move")));
    return text + server_table(s.servers, style.width);
}

}  // namespace

std::string format_reply_name(const reply_name& name) {
    return name.reply == 0 ? std::string(name.id) : fmt::format("{}.{}", name.id, name.reply);
}

std::string format_elapsed(double ms) {
    if (ms < 10) return fmt::format("{:.1f} ms", ms);
    if (ms < 1000) return fmt::format("{:.0f} ms", ms);
    if (ms < 10'000) return fmt::format("{:.2f} s", ms / 1e3);
    if (ms < 60'000) return fmt::format("{:.1f} s", ms / 1e3);
    const auto seconds = std::lround(ms / 1e3);
    return fmt::format("{} min {} s", seconds / 60, seconds % 60);
}

std::string format_recording_source(const text_style& style, std::string_view source) {
    std::string text;
    for (const auto& line :
         wrap_text(fmt::format("from {}; figures {}", source, recorded_figures), style.width))
        text += colorize(style.color, paint::dim, line) + '\n';
    return text;
}

std::string format_server(const text_style& style, std::string_view url, const server_props& props,
                          int slots_wanted) {
    const auto model = props.model.substr(props.model.rfind('/') + 1);
    auto text =
        fmt::format("llama-server {}, model {}, {} of {}",
                    props.build_info.empty() ? "of unknown build" : props.build_info,
                    model.empty() ? "unnamed" : model, format_count(props.total_slots, "slot"),
                    format_count(props.context_per_slot, "token"));
    if (style.is_playback) text = "recorded from " + text;
    if (style.shows_servers) text = fmt::format("{}: {}", url, text);
    auto result = colorize(style.color, paint::dim, truncate_to_width(text, style.width)) + '\n';
    if (const auto warning = slots_warning(props, slots_wanted); !warning.empty())
        result += colorize(style.color, paint::yellow, warning) + '\n';
    return result;
}

std::string format_column_headings(const text_style& style) {
    if (style.name_columns > 0 || !has_columns(style)) return {};
    return colorize(style.color, paint::dim, "    time  slot       cached+new") + '\n';
}

std::string format_reply_start(const text_style& style, const start_event& e) {
    const auto name = format_reply_name(e.where);
    if (style.name_columns > 0)
        return prefix(style, e.where) +
               colorize(style.color, paint::dim, quoted(e.prompt, text_columns(style, 2))) + '\n';
    const int left = std::max(min_text_columns, style.width - count_columns(name) - 4);
    return fmt::format("\n{}  {}\n",
                       colorize(style.color, paint::bold, truncate_to_width(name, style.width)),
                       colorize(style.color, paint::dim, quoted(e.prompt, left)));
}

std::string format_chunk(const text_style& style, const chunk_event& e) {
    const auto& c = e.chunk;
    std::string result;
    if (c.metrics.guard_wait_ms >= min_wait_ms)
        result = block(style, e.where, at(e.at_ms), note_columns,
                       fmt::format("waited {} for the reuse guard of slot {}",
                                   format_elapsed(c.metrics.guard_wait_ms), c.metrics.slot),
                       paint::yellow);
    // Leading white space only separates the chunk from the previous one.
    std::string_view text = c.text;
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    if (!has_columns(style)) return result + block(style, e.where, at(e.at_ms), note_columns, text);
    const auto slot =
        fmt::format("{}{}", format_slot(c.metrics.slot), c.metrics.slot_reused ? " reused" : "");
    const auto tokens = fmt::format("{}+{}", c.metrics.cached, c.metrics.evaluated);
    const auto head = fmt::format("{}{:<9}{:>12}  ", at(e.at_ms), slot, tokens);
    return result + block(style, e.where, head, chunk_columns, text);
}

std::string format_reply_end(const text_style& style, const end_event& e) {
    return reply_end_lines(style, e) + broken_lines(style, e);
}

std::string format_server_fault(const fault_event& e) {
    const auto words = words_of(e.error, e.diagnostics, e.hint);
    return e.server.empty() ? words : fmt::format("{}: {}", e.server, words);
}

std::string format_summary(const text_style& style, const replay_summary& s) {
    auto text = fmt::format("\n{}\n", colorize(style.color, paint::bold, counts_text(s)));
    if (s.replies == s.not_started) return text;
    if (s.first_chunk_ms.max >= 0) text += row("first chunk", spread_text(s.first_chunk_ms));
    if (s.gap_ms.max >= 0)
        text += row("next chunks", spread_text(s.gap_ms) + " after the continue");
    text += row("chunks", fmt::format("{}", s.chunks));
    if (s.calls > 0) text += row("calls", fmt::format("{}", s.calls));
    if (s.checked_turns + s.unchecked_turns > 0) text += row("expectations", expectations_text(s));
    text += row("tokens", fmt::format("{} generated, {} wasted", s.generated, s.wasted));
    text += row("prompt cache",
                fmt::format("hit {:.0f} % ({} cached, {} evaluated)", s.cache_hit_ratio() * 100,
                            format_count(s.cached, "token"), s.evaluated));
    if (s.prefilled > 0)
        text += row("heard early", format_count(s.prefilled, "token") + " evaluated");
    if (s.drafted > 0 || s.draft_wasted > 0)
        text += row("drafts", fmt::format("{} used, {} wasted", format_count(s.drafted, "token"),
                                          s.draft_wasted));
    if (s.warmed > 0) text += row("prefilled", format_count(s.warmed, "token"));
    text += row("guard waits", guard_waits_text(s));
    if (s.lost_servers > 0)
        text += row("lost servers",
                    fmt::format("{} in {}", s.retries, format_count(s.lost_servers, "reply")));
    text += server_rows(style, s);
    return text + row("time", fmt::format("{}, processor {} ({:.1f} µs a token)",
                                          format_elapsed(s.total_ms), format_elapsed(s.cpu_ms),
                                          s.cpu_us_per_token()));
}

}  // namespace tandem::command
