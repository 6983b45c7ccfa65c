#pragma once

#include "run/replay_events.hpp"
#include "run/replay_totals.hpp"

#include "tandem/server.hpp"

#include <string>
#include <string_view>

// Formats the timeline of `tandem replay` as text. Pure; each function returns complete lines.
namespace tandem::command {

/// A note on the figures of a playback.
inline constexpr std::string_view recorded_figures =
    "of slots, caches and latency are the recording's";

struct text_style {
    int width = 80;
    bool color = false;
    /// Width of the name column. 0 = replies run one at a time, each with its name on a separate
    /// line.
    int name_columns = 0;
    bool shows_servers = false;
    /// Whether the servers are those of a recording.
    bool is_playback = false;
};

/// Describes the recording that is played; `source` is the result of source_text().
std::string played_lines(const text_style& style, std::string_view source);
/// Describes a server.
std::string server_lines(const text_style& style, std::string_view url, const server_props& props,
                         int slots_wanted);
/// Returns the column headings, if there is room for them.
std::string head_lines(const text_style& style);
std::string start_lines(const text_style& style, const start_event& e);
std::string chunk_lines(const text_style& style, const chunk_event& e);
std::string end_lines(const text_style& style, const end_event& e);
std::string summary_lines(const text_style& style, const replay_summary& s);

/// Formats a fault as "http://llama:8080: connect_failed: what to do about it".
std::string fault_text(const fault_event& e);
/// Returns "850 ms", "12.4 s" or "3 min 20 s".
std::string format_elapsed(double ms);

}  // namespace tandem::command
