#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace tandem::command {

/// What was read when a line was asked for.
struct read_line {
    enum class kind { line, too_long, end };
    kind what = kind::end;
    std::string text{};
    /// In the input, from 1.
    int number = 0;
    /// When its newline was read.
    time_point at{};
    /// Why reading ended, in words; empty at the end of the input.
    std::string fault{};
    /// What a line may have.
    std::size_t max_bytes = 0;
};

/// Where lines come from, for an event loop.
class line_source {
 public:
    static constexpr std::size_t max_line_bytes = std::size_t{64} << 10;

    line_source() = default;
    virtual ~line_source() = default;
    line_source(const line_source&) = delete;
    line_source& operator=(const line_source&) = delete;

    /// Who gets the lines; before next().
    virtual void on_line(std::function<void(read_line)> f) = 0;
    /// Asks for one line, which comes later.
    virtual void next() = 0;
};

}  // namespace tandem::command
