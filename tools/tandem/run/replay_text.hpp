#pragma once

#include "run/replay_events.hpp"
#include "run/replay_totals.hpp"

#include "tandem/server.hpp"

#include <string>
#include <string_view>

// Formats the timeline of `tandem replay` as text. Pure; each function returns complete lines.
namespace tandem::command {

/// The end of the note that figures of a playback come from the recording.
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

/// Formats the source of a playback; `source` is the result of describe_recording_source().
std::string format_recording_source(const text_style& style, std::string_view source);
/// Formats the lines that describe a server.
std::string format_server(const text_style& style, std::string_view url, const server_props& props,
                          int slots_wanted);
/// Returns the column headings, if there is room for them.
std::string format_column_headings(const text_style& style);
std::string format_reply_start(const text_style& style, const start_event& e);
std::string format_chunk(const text_style& style, const chunk_event& e);
std::string format_reply_end(const text_style& style, const end_event& e);
std::string format_summary(const text_style& style, const replay_summary& s);

/// Formats a fault as "http://llama:8080: connect_failed: what to do about it".
std::string format_server_fault(const fault_event& e);
/// Returns "850 ms", "12.4 s" or "3 min 20 s".
std::string format_elapsed(double ms);

}  // namespace tandem::command
