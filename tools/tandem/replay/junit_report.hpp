#pragma once

#include "replay/junit_text.hpp"
#include "run/replay_view.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// Collects the checked turns of a run and writes them as JUnit XML. Does nothing if the path is
/// empty.
class junit_report final : public replay_view {
 public:
    /// `input`: the file of the dialogues. `expectations`: the number of turns with expectations.
    junit_report(std::string path, std::string input, int expectations);

    /// Checks before the run whether the file can be written. Returns the error, or an empty
    /// string.
    std::string fault() const;
    /// Writes the file at the end. Returns the error, or an empty string.
    std::string write() const;

    void on_reply_ended(const end_event& e) override;

 private:
    std::string path_;
    std::string input_;
    int expectations_;
    std::vector<junit_case> cases_;
};

}  // namespace tandem::command
