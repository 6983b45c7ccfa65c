#include "line_input/line_history.hpp"

namespace tandem::command {

void line_history::add(const std::string& line) {
    if (!line.empty() && (entered_.empty() || entered_.front() != line)) entered_.push_front(line);
    if (entered_.size() > max_lines) entered_.pop_back();
    shown_ = entered_;
    shown_.emplace_front();
    at_ = 0;
}

const std::string* line_history::later(const std::string& shown) {
    return at_ == 0 ? nullptr : move(shown, at_ - 1);
}

const std::string* line_history::move(const std::string& shown, std::size_t to) {
    if (to >= shown_.size()) return nullptr;
    shown_[at_] = shown;
    at_ = to;
    return &shown_[at_];
}

}  // namespace tandem::command
