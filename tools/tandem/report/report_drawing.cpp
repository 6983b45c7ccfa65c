#include "report/report_drawing.hpp"

#include "base/format_count.hpp"
#include "report/report_files.hpp"
#include "run/replay_text.hpp"
#include "text/markup.hpp"
#include "text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace tandem::command {
namespace {

using bar_kind = report_bar::kind;
using mark_kind = report_mark::kind;
using out_text = std::back_insert_iterator<std::string>;

// Width reserved for a column of text, which is more than most letters need.
constexpr int pixels_of_column = 7;

// Vertical position of a bar in its lane, and its height.
struct bar_shape {
    int y = 0;
    int height = 0;
};

constexpr bar_shape shape_of(bar_kind k) {
    switch (k) {
        case bar_kind::slot_wait:
        case bar_kind::guard_wait:
            return {11, 6};
        case bar_kind::warming:
            return {9, 10};
        case bar_kind::silence:
            return {12, 4};
        case bar_kind::dropped:
        case bar_kind::resident:
        case bar_kind::text:
        case bar_kind::peek:
            return {3, 22};
        case bar_kind::prompt:
        case bar_kind::generation:
        case bar_kind::speech:
            break;
    }
    return {5, 18};
}

struct legend_entry {
    bar_kind kind;
    std::string_view words;
    int width;  // of swatch and words, in pixels
};

constexpr std::array legend{
    legend_entry{bar_kind::guard_wait, "guard wait", 110},
    legend_entry{bar_kind::slot_wait, "slot wait", 100},
    legend_entry{bar_kind::prompt, "prompt", 88},
    legend_entry{bar_kind::generation, "generation", 112},
    legend_entry{bar_kind::peek, "peek", 72},
    legend_entry{bar_kind::warming, "warming", 100},
    legend_entry{bar_kind::speech, "speech", 88},
    legend_entry{bar_kind::silence, "silence", 86},
};

struct mark_entry {
    mark_kind kind;
    std::string_view words;
    int width;
};

constexpr std::array mark_legend{
    mark_entry{mark_kind::cut, "cut", 60},
    mark_entry{mark_kind::lost, "server lost", 108},
    mark_entry{mark_kind::retry, "resumes", 90},
    mark_entry{mark_kind::interrupt, "interrupt", 96},
};

constexpr std::string_view mark_path(mark_kind k) {
    switch (k) {
        case mark_kind::cut:
            return "M0,3V25M-3,3H3M-3,25H3";
        case mark_kind::lost:
            return "M-6,8L6,20M6,8L-6,20";
        case mark_kind::retry:
            return "M0,7L9,14L0,21Z";
        case mark_kind::interrupt:
            return "M-5,4H5V14H-5ZM0,14V25";
        case mark_kind::end:
            break;
    }
    return "M0,3V25";
}

/// Converts times to percentages of the width, with a margin at the end.
class time_scale {
 public:
    explicit time_scale(double duration_ms) : whole_(std::max(duration_ms, 1e-3) * 1.01) {}
    std::string at(double ms) const { return fmt::format("{:.4f}%", 100 * ms / whole_); }
    std::string width(double from, double to) const { return at(to - from); }
    double share(double from, double to) const { return (to - from) / whole_; }

 private:
    double whole_;
};

// Returns a step of 1, 2 or 5 times a power of ten, for about eight ticks.
double tick_step(double duration_ms) {
    const double wanted = std::max(duration_ms, 1e-3) / 8;
    const double power = std::pow(10, std::floor(std::log10(wanted)));
    for (const double times : {1.0, 2.0, 5.0})
        if (times * power >= wanted) return times * power;
    return 10 * power;
}

std::string tick_text(double ms, double duration_ms) {
    return duration_ms < 2000 ? fmt::format("{:g} ms", ms) : fmt::format("{:g} s", ms / 1000);
}

void draw_axis(out_text out, const report_bars& b, const time_scale& scale) {
    constexpr int parts = 5;
    const double step = tick_step(b.duration_ms) / parts;
    const int bottom = drawing_height(b);
    const auto count = static_cast<int>(b.duration_ms / step);
    for (int i = 0; i <= count; ++i) {
        const auto x = scale.at(i * step);
        const auto* const kind = i % parts == 0 ? "tick" : "tick minor";
        fmt::format_to(out,
                       R"(<g class="{0}"><line x1="{1}" x2="{1}" y1="16" y2="{2}"/>)"
                       R"(<text x="{1}" dx="3" y="13">{3}</text></g>)",
                       kind, x, bottom, tick_text(i * step, b.duration_ms));
    }
}

int top_of(int lane) {
    return report_axis_height + lane * report_lane_height;
}

void draw_lanes(out_text out, const report_bars& b) {
    for (int lane = 1; lane <= static_cast<int>(b.lanes.size()); ++lane)
        fmt::format_to(out, R"(<line class="lane" x1="0" x2="100%" y1="{0}" y2="{0}"/>)",
                       top_of(lane));
}

// Uses HTML, because a browser truncates HTML text with an ellipsis at any zoom level. The number
// at the start of the label is never truncated.
void draw_page_label(out_text out, const report_bar& bar, const time_scale& scale, int top) {
    const std::string_view label = bar.label;
    const auto number = label.substr(0, label.find(' '));
    fmt::format_to(out,
                   R"(<foreignObject class="label" x="{}" y="{}" width="{}" height="22">)"
                   R"(<div><span>{}</span><span>{}</span></div></foreignObject>)",
                   scale.at(bar.from_ms), top, scale.width(bar.from_ms, bar.to_ms),
                   escape_markup(number), escape_markup(label.substr(number.size())));
}

// For a drawing of a fixed width. The leading number is shown in full or not at all.
void draw_file_label(out_text out, const report_bar& bar, const time_scale& scale, int top,
                     int width) {
    constexpr int indent = 5;
    const double room = width * scale.share(bar.from_ms, bar.to_ms) - 2 * indent;
    const int columns = static_cast<int>(room / pixels_of_column);
    if (columns <= static_cast<int>(bar.label.find(' '))) return;
    fmt::format_to(out,
                   R"(<svg class="label" x="{}" y="{}" width="{}" height="22">)"
                   R"(<text x="{}" y="15">{}</text></svg>)",
                   scale.at(bar.from_ms), top, scale.width(bar.from_ms, bar.to_ms), indent,
                   escape_markup(truncate_to_width(bar.label, columns)));
}

void draw_label(out_text out, const report_bar& bar, const time_scale& scale, int top, int width) {
    if (bar.label.empty()) return;
    if (width == 0)
        draw_page_label(out, bar, scale, top);
    else
        draw_file_label(out, bar, scale, top, width);
}

void draw_bar(out_text out, const report_bar& bar, const time_scale& scale, int width) {
    const auto shape = shape_of(bar.what);
    const int top = top_of(bar.lane) + shape.y;
    const auto hue = bar.hue < 0 ? std::string() : fmt::format(" hue-{}", bar.hue);
    fmt::format_to(out,
                   R"(<g class="bar {}{}"><title>{}</title>)"
                   R"(<rect x="{}" y="{}" width="{}" height="{}"/>)",
                   to_string(bar.what), hue, escape_markup(bar.words), scale.at(bar.from_ms), top,
                   scale.width(bar.from_ms, bar.to_ms), shape.height);
    draw_label(out, bar, scale, top, width);
    fmt::format_to(out, "</g>\n");
}

void draw_mark(out_text out, const report_mark& m, const time_scale& scale) {
    fmt::format_to(out,
                   R"(<svg class="mark {}" x="{}" y="{}" width="1" height="{}" overflow="visible">)"
                   R"(<title>{}</title><path d="{}"/></svg>)"
                   "\n",
                   to_string(m.what), scale.at(m.at_ms), top_of(m.lane), report_lane_height,
                   escape_markup(m.words), mark_path(m.what));
}

std::string swatch_of(bar_kind k) {
    const auto shape = shape_of(k);
    const int width = k == bar_kind::peek ? 3 : 20;
    return fmt::format(R"(<g class="bar {}"><rect x="2" y="{}" width="{}" height="{}"/></g>)",
                       to_string(k), shape.y, width, shape.height);
}

std::string swatch_of(mark_kind k) {
    return fmt::format(R"svg(<g class="mark {}" transform="translate(12)"><path d="{}"/></g>)svg",
                       to_string(k), mark_path(k));
}

template <class Entry>
void draw_legend(out_text out, const Entry& entry, int& x, int y) {
    fmt::format_to(out,
                   R"svg(<g transform="translate({} {})">{}<text x="28" y="18">{}</text></g>)svg",
                   x, y, swatch_of(entry.kind), entry.words);
    x += entry.width;
}

// Maximum columns of texts in a drawing file. The name and the head share a line.
constexpr int columns_for_name = 40, columns_for_head = 100, columns_for_facts = 160,
              columns_for_lane = 36;

// Returns the content of a <text>, with the full text as its <title> if it was shortened.
std::string with_title(std::string_view fit, std::string_view whole) {
    auto markup = escape_markup(fit);
    if (fit != whole) markup += fmt::format("<title>{}</title>", escape_markup(whole));
    return markup;
}

std::string fitted(std::string_view text, int columns) {
    return with_title(truncate_to_width(text, columns), text);
}

// Returns the width for the longest lane name.
int gutter_of(const report_bars& b) {
    constexpr int least = 70;
    int longest = 0;
    for (const auto& name : b.lanes) longest = std::max(longest, count_columns(name));
    return std::max(std::min(longest, columns_for_lane) * pixels_of_column + 28, least);
}

void draw_names(out_text out, const report_bars& b, int gutter) {
    for (std::size_t i = 0; i < b.lanes.size(); ++i)
        fmt::format_to(out, R"(<text class="name" text-anchor="end" x="{}" y="{}">{}</text>)",
                       gutter - 10, top_of(static_cast<int>(i)) + 18,
                       fitted(b.lanes[i], columns_for_lane));
}

}  // namespace

int drawing_height(const report_bars& b) noexcept {
    return report_axis_height + static_cast<int>(b.lanes.size()) * report_lane_height;
}

std::string draw_timeline(const report_bars& b, int width) {
    std::string text;
    const out_text out(text);
    const time_scale scale(b.duration_ms);
    draw_axis(out, b, scale);
    draw_lanes(out, b);
    for (const auto& bar : b.bars) draw_bar(out, bar, scale, width);
    for (const auto& mark : b.marks) draw_mark(out, mark, scale);
    return text;
}

std::string legend_items() {
    std::string text;
    const auto add = [&](const auto& entry) {
        text += fmt::format(R"(<li><svg width="24" height="28" aria-hidden="true">{}</svg>{}</li>)",
                            swatch_of(entry.kind), entry.words);
    };
    for (const auto& entry : legend) add(entry);
    for (const auto& entry : mark_legend) add(entry);
    return text;
}

std::string make_svg_file(const report_reply& r, std::string_view head) {
    constexpr int width = 1200, above = 60, below = 44, margin = 16;
    const auto bars = make_bars(r);
    const int height = drawing_height(bars), gutter = gutter_of(bars);
    std::string text;
    const out_text out(text);
    fmt::format_to(
        out,
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">)"
        "\n<title>{2}</title>\n<style>{3}{4}</style>\n"
        R"(<rect class="ground" width="100%" height="100%"/>)",
        width, above + height + below, escape_markup(format_reply_name(r)),
        report_file_text("colors.css"), report_file_text("drawing.css"));
    fmt::format_to(out,
                   R"(<text class="head" x="{0}" y="26">{1}</text><text x="{0}" y="46">{2}</text>)"
                   R"(<text text-anchor="end" x="{3}" y="26">{4}</text>)"
                   "\n",
                   margin, with_title(format_short_reply_name(r), format_reply_name(r)),
                   fitted(format_reply_facts(r), columns_for_facts), width - margin,
                   fitted(head, columns_for_head));
    fmt::format_to(out, R"svg(<g transform="translate(0 {})">)svg", above);
    draw_names(out, bars, gutter);
    const int line = width - gutter - margin;
    fmt::format_to(out, R"(<svg x="{}" width="{}" height="{}">{}</svg></g>)", gutter, line, height,
                   draw_timeline(bars, line));
    int x = margin;
    for (const auto& entry : legend) draw_legend(out, entry, x, above + height + 8);
    for (const auto& entry : mark_legend) draw_legend(out, entry, x, above + height + 8);
    return text + "</svg>\n";
}

std::string format_reply_name(const report_reply& r) {
    return format_reply_name(reply_name{r.id, r.reply});
}

// Shortens only the id, so that the number at the end stays visible.
std::string format_short_reply_name(const report_reply& r) {
    const auto number = format_reply_name(r).substr(r.id.size());
    return truncate_to_width(r.id, columns_for_name - static_cast<int>(number.size())) + number;
}

std::string format_reply_facts(const report_reply& r) {
    const auto& m = r.result.metrics;
    std::string text(to_string(r.result.finish_reason));
    const auto add = [&](const char* name, double ms) {
        if (ms >= 0) text += fmt::format(" · {} {}", name, format_elapsed(ms));
    };
    add("first token", first_token_ms(r.result));
    add("first chunk", m.first_chunk_ms);
    if (m.chunks > 1) add("longest gap", m.longest_gap_ms);
    add("in all", m.total_ms);
    text += fmt::format(" · {} · {:.0f} % of prompts cached", format_count(m.chunks, "chunk"),
                        100 * r.result.usage.cache_hit_ratio());
    if (m.retries > 0) text += " · " + format_count(m.retries, "retry");
    if (const auto n = r.result.dropped_events; n > 0)
        text += " · the timeline lacks " + format_count(n, "event");
    return text;
}

}  // namespace tandem::command
