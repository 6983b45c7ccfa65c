#pragma once

#include "chat/chat_view.hpp"

#include "tandem/error.hpp"

#include <climits>

#include <string>
#include <string_view>

// Pure functions that format the text output and the JSON lines of `tandem chat`.
namespace tandem::command {

/// Where text continues: at `column` of a line that is `width` columns wide.
struct text_position {
    int width = INT_MAX;
    int column = 0;
};

/// Formats text that continues a line: removes terminal control sequences, wraps at words and keeps
/// line breaks. `pending_space` is the trailing white space of the previous text; the function
/// replaces it with the trailing white space of `text`.
std::string wrap_continued_text(std::string_view text, std::string& pending_space,
                                text_position place = {});

/// Formats a message that is not part of the conversation, wrapped for a terminal of `width`
/// columns.
std::string format_notice(std::string_view text, int width = INT_MAX);

/// Formats an error as "connect_failed: what to do about it".
std::string error_text(const error_code& ec, const diagnostics& d, const std::string& hint = {});
/// Returns `text` as indented lines.
std::string indented_lines(std::string_view text, int width = INT_MAX);
/// Formats the latency as "voice to voice 512 ms: slot wait 0.2 ms, first token 31 ms, …". Parts of
/// zero length are omitted.
std::string format_timing(const spoken_timing& t);
/// Returns the note that follows the text of an interrupted reply.
std::string format_interruption(const spoken_reply_end& e);
/// Return the notes about a function that a reply called, and about its result.
std::string format_function_call(const tool_call& call);
std::string format_function_result(const function_result& r);

std::string json_line(const spoken_chunk& s);
std::string json_line(const spoken_reply_end& e);
std::string json_line(spoken_reply_number where, const function_result& r);
/// An error of the whole chat.
std::string server_error_line(const fault_event& e);

}  // namespace tandem::command
