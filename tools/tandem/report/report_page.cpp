#include "report/report_page.hpp"

#include "base/format_count.hpp"
#include "report/report_drawing.hpp"
#include "report/report_files.hpp"
#include "report/report_overview.hpp"
#include "report/report_residents.hpp"
#include "text/characters/white_space.hpp"
#include "text/markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string_view>

namespace tandem::command {
namespace {

using page_text = std::back_insert_iterator<std::string>;

// Number of replies that are initially expanded.
constexpr std::size_t initially_open = 12;

constexpr std::string_view page_head =
    R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tandem replay</title>
)";

std::string ms_cell_text(double ms) {
    return ms < 0 ? "–" : fmt::format("{:.1f}", ms);
}

// dir="auto" keeps right-to-left text from affecting its surroundings.
std::string text_cell(std::string_view text) {
    return fmt::format(R"(<td class="text" dir="auto">{}</td>)", escape_markup(text));
}

std::string number_cell(const std::string& number) {
    return fmt::format(R"(<td class="number">{}</td>)", number);
}
std::string number_cell(std::int64_t number) {
    return number_cell(std::to_string(number));
}

void write_heads(page_text out, std::initializer_list<std::string_view> heads) {
    for (const auto head : heads) fmt::format_to(out, "<th scope=\"col\">{}</th>", head);
}

// Begins a table that can be scrolled if it is too wide.
void open_wide(page_text out, std::string_view name) {
    fmt::format_to(
        out, "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"><table", name);
}

void write_settings(page_text out, const report_run& run) {
    fmt::format_to(out, "<header>\n<h1>tandem replay</h1>\n<dl class=\"settings\">\n");
    for (const auto& [name, value] : run.settings)
        fmt::format_to(out, "<div><dt>{}</dt><dd>{}</dd></div>\n", escape_markup(name),
                       escape_markup(value));
    fmt::format_to(out, "</dl>\n</header>\n");
}

void write_unchecked(page_text out, const replay_summary& s) {
    if (s.unchecked_turns == 0) return;
    fmt::format_to(out, "<p class=\"fault\">{} of {} with expectations {} not checked.</p>\n",
                   s.unchecked_turns, format_count(s.checked_turns + s.unchecked_turns, "turn"),
                   s.unchecked_turns == 1 ? "was" : "were");
}

void write_broken(page_text out, const report_broken_turn& turn, const broken_expectation& b) {
    const auto line = turn.outcome.line == 0 ? "–" : std::to_string(turn.outcome.line);
    fmt::format_to(out, "<tr><th scope=\"row\">{}</th>{}{}<td>{}</td>{}{}</tr>\n",
                   escape_markup(turn.reply), number_cell(line), number_cell(turn.outcome.turn),
                   escape_markup(b.name), text_cell(b.expected), text_cell(b.got));
}

void write_broken_turns(page_text out, const report_run& run) {
    if (run.broken_turns.empty()) return;
    open_wide(out, "Failed expectations");
    fmt::format_to(out, ">\n<caption>Failed expectations, in {} of {}</caption>\n<thead><tr>",
                   run.summary.broken_turns,
                   format_count(run.summary.checked_turns, "checked turn"));
    write_heads(out, {"reply", "line", "turn", "expectation", "expected", "got"});
    fmt::format_to(out, "</tr></thead>\n<tbody>\n");
    for (const auto& turn : run.broken_turns)
        for (const auto& b : turn.outcome.broken) write_broken(out, turn, b);
    fmt::format_to(out, "</tbody>\n</table></div>\n");
    if (const auto more = run.summary.broken_turns - std::ssize(run.broken_turns); more > 0)
        fmt::format_to(out, "<p class=\"fault\">{} with failed expectations not shown.</p>\n",
                       format_count(more, "more turn"));
}

// `left_out`: number of omitted replies.
void write_faults(page_text out, const report_run& run, std::size_t left_out) {
    if (left_out == 0 && run.replies.empty())
        fmt::format_to(out, "<p class=\"fault\">{}</p>\n",
                       run.faults.empty()
                           ? "The run ended before any reply."
                           : "No reply was requested because no server is available:");
    for (const auto& fault : run.faults)
        fmt::format_to(out, "<p class=\"fault\">{}</p>\n", escape_markup(fault));
    if (left_out > 0)
        fmt::format_to(out,
                       "<p class=\"fault\">{} more replies ended and are not shown: a report keeps "
                       "the first {}, up to {} MiB. The figures below include all.</p>\n",
                       left_out, max_report_replies, max_report_bytes >> 20);
}

// --- figures of the run

void write_spread(page_text out, std::string_view name, const percentiles& s) {
    fmt::format_to(out, "<tr><th scope=\"row\">{}</th>{}{}{}</tr>\n", name,
                   number_cell(ms_cell_text(s.p50)), number_cell(ms_cell_text(s.p90)),
                   number_cell(ms_cell_text(s.max)));
}

void write_latencies(page_text out, const replay_summary& s) {
    fmt::format_to(out, "<table>\n<caption>Latency, ms</caption>\n<thead><tr><td></td>");
    write_heads(out, {"p50", "p90", "max"});
    fmt::format_to(out, "</tr></thead>\n<tbody>\n");
    write_spread(out, "first token", s.first_token_ms);
    write_spread(out, "first chunk", s.first_chunk_ms);
    write_spread(out, "gap before a later chunk", s.gap_ms);
    write_spread(out, "slot wait of a reply", s.slot_wait_ms);
    write_spread(out, "guard wait of a reply", s.guard_part_ms);
    fmt::format_to(out, "</tbody>\n</table>\n");
}

template <class Value>
void write_row(page_text out, std::string_view name, const Value& value) {
    fmt::format_to(out, "<tr><th scope=\"row\">{}</th>{}</tr>\n", name, number_cell(value));
}

void write_tokens(page_text out, const replay_summary& s) {
    fmt::format_to(out, "<table>\n<caption>Tokens</caption>\n<tbody>\n");
    write_row(out, "of prompts, cached", s.cached);
    write_row(out, "of prompts, evaluated", s.evaluated);
    write_row(out, "cached share", fmt::format("{:.0f} %", 100 * s.cache_hit_ratio()));
    write_row(out, "warmed while the voice spoke", s.warmed);
    write_row(out, "generated", s.generated);
    write_row(out, "handed over", s.handed_over);
    write_row(out, "heard", s.heard);
    write_row(out, "wasted", s.wasted);
    fmt::format_to(out, "</tbody>\n</table>\n");
}

void write_counts(page_text out, const replay_summary& s) {
    fmt::format_to(out, "<table>\n<caption>Replies</caption>\n<tbody>\n");
    write_row(out, "complete", s.complete);
    write_row(out, "interrupted", s.interrupted);
    write_row(out, "failed", s.failed);
    write_row(out, "not started", s.not_started);
    write_row(out, "chunks", s.chunks);
    write_row(out, "cuts", s.cuts);
    write_row(out, "guard waits", s.guard_waits);
    write_row(out, "retries", s.retries);
    fmt::format_to(out, "</tbody>\n</table>\n");
}

void write_slot(page_text out, const server_stats& server, const slot_stats& slot) {
    fmt::format_to(out, "<tr>{}{}{}{}{}{}{}</tr>\n", text_cell(server.url),
                   number_cell(format_slot(slot.slot)), number_cell(slot.requests),
                   number_cell(slot.chunks), number_cell(slot.cached), number_cell(slot.evaluated),
                   number_cell(fmt::format("{:.0f} %", 100 * slot.cache_hit_ratio())));
}

void write_slots(page_text out, const replay_summary& s) {
    const auto has_slots = [](const server_stats& server) { return !server.slots.empty(); };
    if (std::ranges::none_of(s.servers, has_slots)) return;
    open_wide(out, "Slots");
    fmt::format_to(out, ">\n<caption>Slots</caption>\n<thead><tr>");
    write_heads(out,
                {"server", "slot", "requests", "chunks", "cached", "evaluated", "cached share"});
    fmt::format_to(out, "</tr></thead>\n<tbody>\n");
    for (const auto& server : s.servers)
        for (const auto& slot : server.slots) write_slot(out, server, slot);
    fmt::format_to(out, "</tbody>\n</table></div>\n");
}

void write_overview_row(page_text out, const report_reply& r, std::size_t number) {
    const auto& m = r.result.metrics;
    const auto& u = r.result.usage;
    const double longest_gap_ms = m.chunks > 1 ? m.longest_gap_ms : -1;
    fmt::format_to(out, "<tr><th scope=\"row\"><a href=\"#r{}\">{}</a></th>", number,
                   escape_markup(format_reply_name(r)));
    for (const double ms : {r.start_ms, first_token_ms(r.result), m.first_chunk_ms, longest_gap_ms,
                            m.slot_wait_ms, m.guard_wait_ms, m.total_ms})
        fmt::format_to(out, "{}", number_cell(ms_cell_text(ms)));
    for (const int count :
         {u.cached, u.evaluated, u.generated, u.heard, u.wasted, m.chunks, m.retries})
        fmt::format_to(out, "{}", number_cell(count));
    fmt::format_to(out, "<td>{}</td></tr>\n", to_string(r.result.finish_reason));
}

void write_overview(page_text out, std::string_view rows) {
    open_wide(out, "Replies");
    fmt::format_to(out, ">\n<caption>Each reply: times in ms, then tokens</caption>\n<thead><tr>");
    write_heads(out, {"reply", "began", "first token", "first chunk", "longest gap", "slot wait",
                      "guard wait", "in all", "cached", "evaluated", "generated", "heard", "wasted",
                      "chunks", "retries", "end"});
    fmt::format_to(out, "</tr></thead>\n<tbody>\n{}</tbody>\n</table></div>\n", rows);
}

// --- a reply

void write_time_line(page_text out, const report_bars& bars, std::string_view name,
                     std::string_view facts) {
    fmt::format_to(out, "<div class=\"time-line\"><ul class=\"lanes\" aria-hidden=\"true\">");
    for (const auto& lane : bars.lanes)
        fmt::format_to(out, "<li title=\"{0}\">{0}</li>", escape_markup(lane));
    fmt::format_to(out,
                   "</ul><div class=\"track\" tabindex=\"0\" role=\"group\" aria-label=\"Timeline "
                   "of {0}\" data-ms=\"{1:.3f}\">\n<svg width=\"100%\" height=\"{2}\" role=\"img\" "
                   "aria-label=\"{0}: {3}\">\n{4}</svg>\n</div></div>\n",
                   escape_markup(name), bars.duration_ms, drawing_height(bars),
                   escape_markup(facts), draw_timeline(bars));
}

// Writes nothing for a single reply, whose own timeline shows the whole run.
void write_run_line(page_text out, std::span<const report_reply> replies) {
    if (replies.size() < 2) return;
    fmt::format_to(out, "<div class=\"reply\">\n<h3>All of the run</h3>\n");
    write_time_line(out, make_overview(replies), "the run", "all slots, and the voices");
    const auto residents = make_slot_resident_bars(replies);
    if (!residents.bars.empty()) {
        fmt::format_to(out, "<h3>Whose text each slot holds</h3>\n");
        write_time_line(out, residents, "the slots", "the dialogue whose text each slot holds");
    }
    fmt::format_to(out, "</div>\n");
}

void write_chunk(page_text out, const chunk& c) {
    fmt::format_to(out, "<tr>{}<td>{}</td>{}{}{}{}{}{}", number_cell(c.id.seq),
                   to_string(c.boundary), number_cell(c.tokens),
                   number_cell(ms_cell_text(c.id.seq > 0 ? c.metrics.gap_ms : -1)),
                   number_cell(ms_cell_text(c.metrics.guard_wait_ms)),
                   number_cell(format_slot(c.metrics.slot)), number_cell(c.metrics.cached),
                   number_cell(c.metrics.evaluated));
    fmt::format_to(out, "{}", text_cell(c.text));
    if (text::trim_white_space(c.speech) == text::trim_white_space(c.text))
        fmt::format_to(out, "<td class=\"same\">the same</td></tr>\n");
    else
        fmt::format_to(out, "{}</tr>\n", text_cell(c.speech));
}

void write_chunks(page_text out, const report_reply& r) {
    if (r.chunks.empty()) return;
    open_wide(out, "Chunks");
    fmt::format_to(out, " class=\"chunks\">\n<thead><tr>");
    write_heads(out, {"chunk", "ends at", "tokens", "gap ms", "guard ms", "slot", "cached",
                      "evaluated", "text", "speech"});
    fmt::format_to(out, "</tr></thead>\n<tbody>\n");
    for (const auto& c : r.chunks) write_chunk(out, c);
    fmt::format_to(out, "</tbody>\n</table></div>\n");
}

void write_text(page_text out, std::string_view name, std::string_view text) {
    if (text.empty()) return;
    fmt::format_to(out, "<div><dt>{}</dt><dd class=\"text\" dir=\"auto\">{}</dd></div>\n", name,
                   escape_markup(text));
}

void write_reply(page_text out, const report_reply& r, const report_bars& bars,
                 std::size_t number) {
    fmt::format_to(out,
                   "<details class=\"reply\" id=\"r{}\"{}>\n<summary><h3>{}</h3> "
                   "<span class=\"facts\">{}</span></summary>\n",
                   number, number < initially_open ? " open" : "",
                   escape_markup(format_reply_name(r)), escape_markup(format_reply_facts(r)));
    if (!r.fault.empty())
        fmt::format_to(out, "<p class=\"fault\">{}</p>\n", escape_markup(r.fault));
    fmt::format_to(out, "<dl class=\"texts\">\n");
    write_text(out, "asked", r.prompt);
    fmt::format_to(out, "</dl>\n");
    write_time_line(out, bars, format_reply_name(r), format_reply_facts(r));
    write_chunks(out, r);
    fmt::format_to(out, "<dl class=\"texts\">\n");
    write_text(out, "reasoning", r.result.reasoning);
    write_text(out, "read, but not handed over", r.result.unspoken_text);
    fmt::format_to(out, "</dl>\n</details>\n");
}

/// The parts of the page that describe replies.
struct included_replies {
    std::string rows{};
    std::string sections{};
    /// Number of included replies, which are the first ones of the run.
    std::size_t count = 0;
};

// Includes replies up to the size limit, which also covers the two drawings of the whole run,
// because they repeat the bars of the replies.
included_replies include_replies(const std::vector<report_reply>& replies) {
    constexpr std::size_t max_repeated_bars = 1000;
    included_replies included;
    std::size_t of_bars = 0;
    for (const auto& r : replies) {
        const auto bars = make_bars(r);
        const auto rows = included.rows.size(), sections = included.sections.size();
        write_overview_row(page_text(included.rows), r, included.count);
        write_reply(page_text(included.sections), r, bars, included.count);
        of_bars += (bars.bars.size() + bars.marks.size()) * max_repeated_bars;
        if (included.rows.size() + included.sections.size() + of_bars > max_report_bytes) {
            included.rows.resize(rows);
            included.sections.resize(sections);
            break;
        }
        ++included.count;
    }
    return included;
}

void write_replies(page_text out, const report_run& run, const included_replies& included) {
    fmt::format_to(out,
                   "<section aria-labelledby=\"lines\">\n"
                   "<h2 id=\"lines\">Timelines</h2>\n"
                   "<p class=\"how\" hidden>Zoom with <kbd>Ctrl</kbd> and the wheel, or "
                   "<kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd>; drag or <kbd>←</kbd> <kbd>→</kbd> to "
                   "pan; <kbd>N</kbd> and <kbd>P</kbd> step through the events.</p>\n"
                   "<ul class=\"legend\">{}</ul>\n",
                   legend_items());
    write_run_line(out, std::span(run.replies).first(included.count));
    fmt::format_to(out, "{}</section>\n", included.sections);
}

void write_figures(page_text out, const report_run& run) {
    fmt::format_to(out, "<section class=\"figures\" aria-label=\"Figures\">\n");
    if (!run.replies.empty()) {
        write_latencies(out, run.summary);
        write_tokens(out, run.summary);
    }
    write_counts(out, run.summary);
    fmt::format_to(out, "</section>\n");
}

}  // namespace

std::string report_page(const report_run& run) {
    const auto included = include_replies(run.replies);
    std::string text(page_head);
    const page_text out(text);
    fmt::format_to(out, "<style>\n{}{}{}</style>\n</head>\n<body>\n",
                   report_file_text("colors.css"), report_file_text("drawing.css"),
                   report_file_text("report.css"));
    write_settings(out, run);
    fmt::format_to(out, "<main>\n");
    write_unchecked(out, run.summary);
    write_broken_turns(out, run);
    write_faults(out, run,
                 static_cast<std::size_t>(run.left_out) + run.replies.size() - included.count);
    write_figures(out, run);
    write_slots(out, run.summary);
    if (included.count > 0) {
        write_overview(out, included.rows);
        write_replies(out, run, included);
    }
    fmt::format_to(out, "</main>\n<script>\n{}</script>\n</body>\n</html>\n",
                   report_file_text("report.js"));
    return text;
}

}  // namespace tandem::command
