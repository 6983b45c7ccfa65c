#pragma once

#include "chat_view.hpp"
#include "terminal.hpp"

#include <string>

namespace tandem::command {

/// The chat as people read it: each chunk's text appears when its sound begins.
class chat_text_view final : public chat_view {
 public:
    struct style {
        bool color = false;
        /// The user is asked for lines.
        bool is_prompting = false;
        bool is_quiet = false;
    };
    chat_text_view(terminal& t, style s) : terminal_(t), style_(s) {}

    void listening() override;
    void input_ended() override;
    void began(const spoken_chunk& c) override;
    void passed_over(int turn, const chunk& c) override;
    void ended(const spoken_end& e) override;
    void note(std::string_view text) override;
    void fault(std::string_view text) override;

 private:
    void show(const std::string& text);
    void end_line();

    terminal& terminal_;
    style style_;
    std::string glue_;
    bool in_line_ = false;
    bool has_prompt_ = false;  // which nothing was typed behind yet
};

/// One JSON object a line, for programs; notes are on stderr.
class chat_json_view final : public chat_view {
 public:
    explicit chat_json_view(terminal& t) : terminal_(t) {}

    void listening() override {}
    void input_ended() override {}
    void began(const spoken_chunk& c) override;
    void passed_over(int turn, const chunk& c) override;
    void ended(const spoken_end& e) override;
    void note(std::string_view text) override;
    void fault(std::string_view text) override;

 private:
    terminal& terminal_;
};

}  // namespace tandem::command
