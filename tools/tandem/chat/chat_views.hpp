#pragma once

#include "chat/chat_text.hpp"
#include "chat/chat_view.hpp"
#include "run/replay_text.hpp"
#include "terminal/color.hpp"
#include "terminal/terminal.hpp"

#include <string>
#include <string_view>

namespace tandem::command {

class line_editor;

/// Formats a message for stderr, wrapped if stderr is a terminal.
std::string wrap_for_stderr(const terminal& t, std::string_view text);

/// The human-readable view: shows the text of each chunk when its sound begins.
class chat_text_view final : public chat_view {
 public:
    struct style {
        bool color = false;
        /// Whether to print a prompt for each line.
        bool is_prompting = false;
        bool is_quiet = false;
        /// An editor that shows its own prompt, or nullptr.
        line_editor* editor = nullptr;
    };
    chat_text_view(terminal& t, style s) : terminal_(t), style_(s) {}

    void on_listening() override;
    void on_line_accepted(std::string_view line) override;
    void on_input_ended() override;
    void on_chunk_started(const spoken_chunk& c) override { show(c.chunk.text); }
    void on_chunk_skipped(const spoken_chunk& c) override { show(c.chunk.text, paint::dim); }
    void on_reply_ended(const spoken_reply_end& e) override;
    void on_function_ended(spoken_reply_number where, const function_result& r) override;
    void on_server_failed(const fault_event& e) override { show_error(format_server_fault(e)); }
    void show_note(std::string_view text) override {
        if (!style_.is_quiet) terminal_.print_error(wrap_for_stderr(terminal_, text));
    }
    void show_error(std::string_view text) override;

 private:
    void show(std::string_view text, const char* color = nullptr);
    void end_line();

    terminal& terminal_;
    style style_;
    std::string pending_space_;
    bool has_prompt_ = false;  // and nothing followed it yet
};

/// Prints one JSON object per line to stdout, and notes and errors to stderr.
class chat_json_view final : public chat_view {
 public:
    explicit chat_json_view(terminal& t) : terminal_(t) {}

    void on_listening() override {}
    void on_line_accepted(std::string_view) override {}
    void on_input_ended() override {}
    void on_chunk_started(const spoken_chunk& c) override { terminal_.print(json_line(c)); }
    void on_chunk_skipped(const spoken_chunk& c) override { on_chunk_started(c); }
    void on_reply_ended(const spoken_reply_end& e) override { terminal_.print(json_line(e)); }
    void on_function_ended(spoken_reply_number where, const function_result& r) override {
        terminal_.print(json_line(where, r));
    }
    void on_server_failed(const fault_event& e) override;
    void show_note(std::string_view text) override {
        terminal_.print_error(wrap_for_stderr(terminal_, text));
    }
    void show_error(std::string_view text) override { show_note(text); }

 private:
    terminal& terminal_;
};

}  // namespace tandem::command
