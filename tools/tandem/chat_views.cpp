#include "chat_views.hpp"

#include "chat_lines.hpp"
#include "color.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem::command {

void chat_text_view::listening() {
    has_prompt_ = style_.is_prompting;
    if (has_prompt_) terminal_.print(painted(style_.color, paint::bold, "> "));
}

void chat_text_view::input_ended() {
    if (std::exchange(has_prompt_, false)) terminal_.print("\n");
}

void chat_text_view::show(const std::string& text) {
    terminal_.print(text);
    has_prompt_ = false;
    in_line_ = in_line_ || !text.empty();
}

void chat_text_view::end_line() {
    if (std::exchange(in_line_, false)) terminal_.print("\n");
    glue_.clear();
}

void chat_text_view::began(const spoken_chunk& c) {
    show(running_text(c.chunk.text, glue_));
}

void chat_text_view::passed_over(int, const chunk& c) {
    show(painted(style_.color, paint::dim, running_text(c.text, glue_)));
}

void chat_text_view::ended(const spoken_end& e) {
    if (e.interrupted)
        show((in_line_ ? " " : "") + painted(style_.color, paint::yellow, interrupted_text(e)));
    end_line();
    if (e.result.error) fault(error_text(e.result.error, e.result.diagnostics, e.hint));
    if (!style_.is_quiet && e.timing)
        terminal_.print(painted(style_.color, paint::dim, "  " + timing_text(*e.timing)) + "\n");
}

void chat_text_view::note(std::string_view text) {
    if (!style_.is_quiet) terminal_.print_error(fmt::format("tandem chat: {}", text));
}

void chat_text_view::fault(std::string_view text) {
    end_line();
    terminal_.print_error(fmt::format("tandem chat: {}", text));
}

void chat_json_view::began(const spoken_chunk& c) {
    terminal_.print(json_line(c));
}

void chat_json_view::passed_over(int turn, const chunk& c) {
    began({.turn = turn, .chunk = c});
}

void chat_json_view::ended(const spoken_end& e) {
    terminal_.print(json_line(e));
}

void chat_json_view::note(std::string_view text) {
    terminal_.print_error(fmt::format("tandem chat: {}", text));
}

void chat_json_view::fault(std::string_view text) {
    note(text);
}

}  // namespace tandem::command
