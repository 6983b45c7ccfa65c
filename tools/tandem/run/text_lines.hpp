#pragma once

#include "run/replay_events.hpp"
#include "run/replay_totals.hpp"

#include "tandem/server.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// The time line that `tandem replay` shows to people: pure text, each function gives whole lines.
namespace tandem::command {

/// What is said of the figures of a recording that is played.
inline constexpr std::string_view recorded_figures =
    "of slots, caches and latency are the recording's";

struct text_style {
    int width = 80;
    bool color = false;
    /// Columns of a reply's name in front of its lines; 0 = replies come one after the other, and
    /// have a line with their name on top.
    int name_columns = 0;
    /// Which server a reply had is told.
    bool tells_servers = false;
    /// Servers are those of a recording.
    bool is_played = false;
};

/// Which recording is played, instead of servers: `source` as of source_text().
std::string played_lines(const text_style& style, std::string_view source);
/// What a server is.
std::string server_lines(const text_style& style, std::string_view url, const server_props& props,
                         int slots_wanted);
/// The heads of the columns, where there is room for them.
std::string head_lines(const text_style& style);
std::string start_lines(const text_style& style, const start_event& e);
std::string chunk_lines(const text_style& style, const chunk_event& e);
std::string end_lines(const text_style& style, const end_event& e);
std::string summary_lines(const text_style& style, const replay_summary& s);

/// "connect_failed: what to do about it"
std::string fault_text(const text_style& style, const fault_event& e);
/// "1 token", "2 tokens".
std::string counted(std::int64_t n, std::string_view what);
/// "850 ms", "12.4 s", "3 min 20 s".
std::string time_text(double ms);

}  // namespace tandem::command
