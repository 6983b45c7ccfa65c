#pragma once

#include "report/report_bars.hpp"

#include <string>
#include <string_view>

// Draws the time line of a reply. Pure. Times are percentages of the width, so that a reader zooms
// by setting that alone, and texts keep their size.
namespace tandem::command {

/// Pixels from lane to lane, and above the first one.
inline constexpr int report_lane_height = 28;
inline constexpr int report_axis_height = 22;

int drawing_height(const report_bars& b) noexcept;
/// The axis, lanes, bars and marks, for an <svg> of that height, and of `width` pixels; 0: of any
/// width, on a page. Labels that have no room in their bars end with "…".
std::string drawing_of(const report_bars& b, int width = 0);
/// A bar of that kind and its meaning, for each kind that stands in a legend: <svg>s in a list.
std::string legend_items();

/// A file of its own: the drawing with names of the lanes, heads and a legend. `head` tells what
/// was run. What has no room in a line ends with "…", and is whole in a title.
std::string drawing_file(const report_reply& r, std::string_view head);

/// As name_text() has it; the short one has 40 columns at most.
std::string reply_name(const report_reply& r);
std::string short_name(const report_reply& r);
/// "eos · first token 12 ms · …".
std::string reply_facts(const report_reply& r);

}  // namespace tandem::command
