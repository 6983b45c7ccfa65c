#pragma once

#include "recording/expectation.hpp"

#include "tandem/config.hpp"
#include "tandem/duration.hpp"
#include "tandem/server.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// A line of a prompt file: a request for one reply or, with `turns`, for several replies in
/// sequence.
struct dialogue {
    std::string id{};
    /// Line of the file, from 1; 0 without a file.
    std::size_t line = 0;
    /// If set, sent verbatim; otherwise, the chat template is applied.
    std::optional<std::string> prompt{};
    /// If there are `turns`, contains at most a system message.
    std::vector<chat_message> messages{};
    /// The user message of each turn.
    std::vector<std::string> turns{};
    std::optional<int> max_tokens{};
    /// Like generation_options::tools; empty = the tools of the run.
    std::string tools{};
    /// Results by function name, in the order of the function's calls; each list has at least one.
    /// If a reply calls functions, these results answer the calls, and another reply follows.
    std::map<std::string, std::vector<std::string>> results{};
    /// Interrupts each reply this long after its start.
    std::optional<duration> interrupt_after{};
    /// Key: the turn, from 0.
    std::map<int, expectation> expected{};

    int replies() const noexcept { return turns.empty() ? 1 : static_cast<int>(turns.size()); }
};

/// Returns `common`, overridden by the options of the dialogue.
generation_options get_generation_options(const dialogue& d, generation_options common);

/// Returns the message that a turn (from 0) answers, or the raw prompt as a message.
chat_message get_turn_prompt(const dialogue& d, int turn);

/// Returns the name of a run (from 0) of a dialogue: "p1", or "p1#2" if there are several `runs`.
std::string run_id(const std::string& dialogue_id, int run, int runs);

/// Returns the raw prompts as dialogues, followed by the user messages, each after the system
/// prompt unless that is empty.
std::vector<dialogue> make_dialogues(const std::vector<std::string>& prompts,
                                     const std::vector<std::string>& user_messages,
                                     const std::string& system = {});

/// Hands out the `results` of a dialogue during one run of it.
class canned_results {
 public:
    /// `d` must outlive this object.
    explicit canned_results(const dialogue& d) : dialogue_(d) {}

    /// Returns the result of the next call of this function. Repeats the last result.
    std::string next_result(const std::string& function);

 private:
    const dialogue& dialogue_;
    std::map<std::string, std::size_t> used_;
};

}  // namespace tandem::command
