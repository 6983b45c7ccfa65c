#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem::wire {

/// Reads a call while it is generated under make_call_schema().
class tool_call_reader {
 public:
    struct piece {
        /// The name of the function; empty after the first piece.
        std::string name{};
        /// The next part of the arguments, which are JSON.
        std::string_view arguments{};
    };

    /// Reads the whole text so far, and returns what is new in it: nothing until the arguments
    /// begin. The piece refers to the text.
    piece read(std::string_view text);

 private:
    void read_argument(char c) noexcept;

    std::size_t read_ = 0;
    std::size_t depth_ = 0;
    bool is_quoted_ = false;
    bool is_escaped_ = false;
    bool has_ended_ = false;
};

}  // namespace tandem::wire
