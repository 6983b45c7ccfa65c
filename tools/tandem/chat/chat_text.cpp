#include "chat/chat_text.hpp"

#include "run/call_json.hpp"
#include "run/replay_text.hpp"
#include "text/format_error.hpp"
#include "text/json_object.hpp"
#include "text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::command {
namespace {

constexpr std::string_view white = " \t\r\n";
constexpr int max_heard_columns = 60;
constexpr int max_result_columns = 200;

// Shortens the white space between two texts: to at most two line breaks if it contains any,
// otherwise to one space.
std::string joint_of(std::string_view space) {
    const auto breaks = std::ranges::count(space, '\n');
    if (breaks > 0)
        return std::string(std::min<std::size_t>(static_cast<std::size_t>(breaks), 2), '\n');
    return space.empty() ? "" : " ";
}

std::string spaced(std::string_view name) {
    std::string text(name);
    std::ranges::replace(text, '_', ' ');
    return text;
}

// Shortens `text` to its last words, on one line.
std::string last_words(const std::string& text) {
    if (count_columns(text) <= max_heard_columns) return truncate_to_width(text, max_heard_columns);
    auto lines = wrap_text(text, max_heard_columns);
    return "…" + lines.back();
}

// Returns `head` followed by `text`; continuation lines are indented.
std::string lines_of(std::string_view head, std::string_view text, int width) {
    auto result = std::string(head);
    if (width == INT_MAX) return result += text;
    constexpr int indent = 4;
    const auto column = static_cast<int>(head.size());
    const char* between = "";
    for (const auto& line : wrap_text(text, width - indent, column - indent))
        result += std::exchange(between, "\n    ") + line;
    return result;
}

std::string_view outcome_name(function_result::outcome how) {
    // Indexed by function_result::outcome.
    constexpr std::array<std::string_view, 3> names{"returned", "failed", "interrupted"};
    return names.at(static_cast<std::size_t>(how));
}

std::string timing_object(const spoken_timing& t) {
    json_object parts;
    for_each_part(t, [&](const char* name, duration part) { parts.field(name, part); });
    return json_object{}.field("total_ms", t.total()).raw("parts_ms", parts.finish()).finish();
}

}  // namespace

std::string wrap_continued_text(std::string_view text, std::string& pending_space,
                                text_position place) {
    const auto first = text.find_first_not_of(white);
    if (first == text.npos) {
        pending_space = joint_of(pending_space + std::string(text));
        return {};
    }
    const auto last = text.find_last_not_of(white) + 1;
    const auto joint = joint_of(pending_space + std::string(text.substr(0, first)));
    auto words = joint + std::string(text.substr(first, last - first));
    // wrap_text() would drop a space at the start of a line, so this function adds the space.
    std::string shown = place.column == 0 && joint == " " ? joint : "";
    words.erase(0, shown.size());
    const auto lines = wrap_text(words, place.width, place.column + static_cast<int>(shown.size()));
    for (std::size_t i = 0; i < lines.size(); ++i) shown += (i > 0 ? "\n" : "") + lines[i];
    pending_space = text.substr(last);
    return shown;
}

std::string format_notice(std::string_view text, int width) {
    return lines_of("tandem chat: ", text, width);
}

std::string indented_lines(std::string_view text, int width) {
    return lines_of("  ", text, width);
}

std::string error_text(const error_code& ec, const diagnostics& d, const std::string& hint) {
    return format_server_fault({.error = ec, .diagnostics = d, .hint = hint});
}

std::string format_timing(const spoken_timing& t) {
    auto text = fmt::format("voice to voice {}", format_elapsed(to_ms(t.total())));
    const char* before = ": ";
    for_each_part(t, [&](const char* name, duration part) {
        if (part > duration{})
            text += fmt::format("{}{} {}", std::exchange(before, ", "), spaced(name),
                                format_elapsed(to_ms(part)));
    });
    return text;
}

std::string format_interruption(const spoken_reply_end& e) {
    if (e.kept.empty()) return "[interrupted, nothing was heard]";
    return fmt::format("[interrupted, heard up to \"{}\"]", last_words(e.kept));
}

std::string format_function_call(const tool_call& call) {
    return fmt::format("[calls {} {}]", call.name, call.arguments);
}

std::string format_function_result(const function_result& r) {
    if (r.how == function_result::outcome::interrupted)
        return fmt::format("[{} was interrupted]", r.call.name);
    return fmt::format("[{}: {}]", r.call.name, truncate_to_width(r.content, max_result_columns));
}

std::string json_line(const spoken_chunk& s) {
    return json_object{}
        .field("event", "chunk")
        .field("turn", s.where.turn)
        .field("reply", s.where.reply)
        .field("seq", s.chunk.id.seq)
        .field("text", s.chunk.text)
        .field("speech", s.chunk.speech)
        .field("boundary", to_string(s.chunk.boundary))
        .field("at_ms", s.at)
        .field("sound_ms", s.length)
        .field("has_sound", s.has_sound)
        .field("synthesis_ms", s.synthesis)
        .field("silence_ms", s.silence)
        .line();
}

std::string json_line(const spoken_reply_end& e) {
    json_object out;
    out.field("event", "end")
        .field("turn", e.where.turn)
        .field("reply", e.where.reply)
        .field("finish_reason", to_string(e.result.finish_reason))
        .field("interrupted", e.interrupted)
        .field("text", e.result.text)
        .field("history", e.kept)
        .field("chunks", e.result.metrics.chunks);
    if (!e.result.calls.empty()) out.raw("calls", json_list(e.result.calls, call_json));
    out.raw("voice_to_voice", e.timing ? timing_object(*e.timing) : "null");
    if (e.result.error)
        out.field("code", error_name(e.result.error))
            .field("message", format_error(e.result.error, e.result.diagnostics, e.hint));
    return out.line();
}

std::string server_error_line(const fault_event& e) {
    return json_object{}
        .field("event", "error")
        .raw("turn", "null")
        .raw("reply", "null")
        .field("server", e.server)
        .field("code", error_name(e.error))
        .field("message", format_error(e.error, e.diagnostics, e.hint))
        .line();
}

std::string json_line(spoken_reply_number where, const function_result& r) {
    return json_object{}
        .field("event", "result")
        .field("turn", where.turn)
        .field("reply", where.reply)
        .field("id", r.call.id)
        .field("name", r.call.name)
        .field("outcome", outcome_name(r.how))
        .field("content", r.content)
        .field("ms", r.took)
        .line();
}

}  // namespace tandem::command
