#include "chat/chat_views.hpp"

#include "line_input/line_editor.hpp"

#include <climits>
#include <fmt/format.h>

#include <utility>

namespace tandem::command {
namespace {

constexpr std::string_view chat_prompt = "> ";

int out_columns(const terminal& t) {
    return t.out_is_terminal() ? t.out_width() : INT_MAX;
}

}  // namespace

std::string wrap_for_stderr(const terminal& t, std::string_view text) {
    return format_notice(text, t.err_is_terminal() ? t.err_width() : INT_MAX);
}

void chat_text_view::on_listening() {
    if (style_.editor) return style_.editor->listen(true);
    has_prompt_ = style_.is_prompting;
    // The prompt needs no line break, because the user's Enter ends its line.
    if (has_prompt_)
        terminal_.send_control_sequence(colorize(style_.color, paint::bold, chat_prompt));
}

void chat_text_view::on_line_accepted(std::string_view line) {
    if (!style_.editor) return;
    style_.editor->listen(false);
    terminal_.print(fmt::format("{}{}\n", colorize(style_.color, paint::bold, chat_prompt), line));
}

void chat_text_view::on_input_ended() {
    if (style_.editor) style_.editor->listen(false);
    if (std::exchange(has_prompt_, false)) terminal_.print("\n");
}

void chat_text_view::show(std::string_view text, const char* color) {
    const auto shown = wrap_continued_text(
        text, pending_space_, {.width = out_columns(terminal_), .column = terminal_.out_column()});
    terminal_.print(color ? colorize(style_.color, color, shown) : shown);
    has_prompt_ = false;
}

void chat_text_view::end_line() {
    if (terminal_.out_column() > 0) terminal_.print("\n");
    pending_space_.clear();
}

void chat_text_view::on_reply_ended(const spoken_reply_end& e) {
    if (e.interrupted) {
        pending_space_ = terminal_.out_column() > 0 ? " " : "";
        show(format_interruption(e), paint::yellow);
    }
    end_line();
    for (const auto& call : e.result.calls) {
        show(format_function_call(call), paint::yellow);
        end_line();
    }
    if (e.result.error) show_error(error_text(e.result.error, e.result.diagnostics, e.hint));
    if (!style_.is_quiet && e.timing)
        terminal_.print(colorize(style_.color, paint::dim,
                                 indented_lines(format_timing(*e.timing), out_columns(terminal_))) +
                        "\n");
}

void chat_text_view::on_function_ended(spoken_reply_number, const function_result& r) {
    show(format_function_result(r), paint::yellow);
    end_line();
}

void chat_text_view::show_error(std::string_view text) {
    end_line();
    terminal_.print_error(wrap_for_stderr(terminal_, text));
}

void chat_json_view::on_server_failed(const fault_event& e) {
    terminal_.print(server_error_line(e));
    show_error(format_server_fault(e));
}

}  // namespace tandem::command
