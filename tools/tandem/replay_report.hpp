#pragma once

#include "replay_command.hpp"
#include "whole_file.hpp"
#include "report_view.hpp"

#include <string>

namespace tandem::command {

/// Whether a report of that name is a drawing of one reply.
bool is_drawing(const std::string& name);

/// The report of one run, from its first event to its file.
class replay_report {
 public:
    /// `replies`: how many the run asks for.
    replay_report(const replay_options& options, int replies);

    /// Why there cannot be one, known before the run; or nothing.
    std::string fault() const;
    replay_view& view() noexcept { return view_; }
    /// At the end: why it was not written, or nothing.
    std::string write() const;

 private:
    std::string name_;
    int replies_;
    whole_file file_;
    report_view view_;
};

}  // namespace tandem::command
