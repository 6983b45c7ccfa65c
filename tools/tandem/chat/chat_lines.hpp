#pragma once

#include "chat/chat_view.hpp"

#include "tandem/error.hpp"

#include <climits>

#include <string>
#include <string_view>

// What `tandem chat` shows to people, and its JSON lines: pure text.
namespace tandem::command {

/// Where a text continues: after `column` columns of a line that has `width`.
struct text_place {
    int width = INT_MAX;
    int column = 0;
};

/// Text that continues a line, without what could steer the terminal, and wrapped at words; its
/// line breaks stay. `glue` is the white space that the text before left open, and then what this
/// one leaves.
std::string running_text(std::string_view text, std::string& glue, text_place place = {});

/// What `tandem chat` tells beside the conversation, wrapped for a terminal of `width` columns.
std::string told_lines(std::string_view text, int width = INT_MAX);

/// "connect_failed: what to do about it"
std::string error_text(const error_code& ec, const diagnostics& d, const std::string& hint = {});
/// Lines with `text`, indented.
std::string indented_lines(std::string_view text, int width = INT_MAX);
/// "voice to voice 512 ms: slot wait 0.2 ms, first token 31 ms, …", without parts of no time.
std::string timing_text(const spoken_timing& t);
/// What an interrupted reply has after its text.
std::string interrupted_text(const spoken_end& e);

std::string json_line(const spoken_chunk& s);
std::string json_line(const spoken_end& e);

}  // namespace tandem::command
