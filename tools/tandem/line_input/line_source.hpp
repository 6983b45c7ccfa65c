#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace tandem::command {

struct line_read_result {
    enum class kind { line, too_long, end };
    kind what = kind::end;
    std::string text{};
    /// Line number in the input, from 1.
    int number = 0;
    /// When the line was read.
    time_point at{};
    /// Why reading failed; empty at the end of the input.
    std::string fault{};
    /// The maximum length of a line.
    std::size_t max_bytes = 0;
};

/// A source of lines for an event loop.
class line_source {
 public:
    static constexpr std::size_t max_line_bytes = std::size_t{64} << 10;

    line_source() = default;
    virtual ~line_source() = default;
    line_source(const line_source&) = delete;
    line_source& operator=(const line_source&) = delete;

    /// Sets the handler that receives the lines. Must be called before request_line().
    virtual void on_line(std::function<void(line_read_result)> f) = 0;
    /// Sets a handler that receives the line being typed whenever it changes. Has no effect if the
    /// source delivers only whole lines.
    virtual void on_change(std::function<void(const std::string&)>) {}
    /// Requests one line, which is delivered later.
    virtual void request_line() = 0;
};

}  // namespace tandem::command
