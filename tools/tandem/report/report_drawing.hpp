#pragma once

#include "report/report_bars.hpp"

#include <string>
#include <string_view>

// Draws the timeline of a reply. Pure. Times are percentages of the width, so that changing the
// width zooms the drawing without scaling the text.
namespace tandem::command {

/// Lane height, and height of the axis above the first lane, in pixels.
inline constexpr int report_lane_height = 28;
inline constexpr int report_axis_height = 22;

int drawing_height(const report_bars& b) noexcept;
/// Returns the axis, lanes, bars and marks for an <svg> of drawing_height(). A `width` of 0 means a
/// page, where the width is variable. Labels that do not fit into their bars end with "…".
std::string draw_timeline(const report_bars& b, int width = 0);
/// Returns the legend as list items, each with an <svg> of a bar and its meaning.
std::string legend_items();

/// Returns a self-contained SVG file: the drawing with lane names, headings and a legend. `head`
/// describes the run. Text that does not fit ends with "…"; its title contains the full text.
std::string make_svg_file(const report_reply& r, std::string_view head);

/// Return the displayed name, like format_reply_name(reply_name). The short form has at most 40
/// columns.
std::string format_reply_name(const report_reply& r);
std::string format_short_reply_name(const report_reply& r);
/// Returns a summary such as "eos · first token 12 ms · …".
std::string format_reply_facts(const report_reply& r);

}  // namespace tandem::command
