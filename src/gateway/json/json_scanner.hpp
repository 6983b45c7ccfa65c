#pragma once

#include <string_view>
#include <utility>

namespace tandem::gateway {

/// Finds the end of a JSON text byte by byte, tracking only strings and brackets. Other content is
/// not validated, except that characters which never occur in JSON are rejected.
class json_scanner {
 public:
    enum class result {
        going,
        closed,  ///< the outermost bracket was closed
        broken,  ///< not a prefix of a JSON text
    };

    result step(char c) noexcept {
        if (in_string_) return step_in_string(c);
        if (!can_stand_outside(c)) return result::broken;
        in_string_ = c == '"';
        if (c == '{' || c == '[') return ++depth_ > max_depth ? result::broken : result::going;
        if (c == '}' || c == ']') return --depth_ == 0 ? result::closed : result::going;
        return result::going;
    }

    /// Number of open brackets; negative after an unmatched closing bracket.
    int depth() const noexcept { return depth_; }
    bool in_string() const noexcept { return in_string_; }

 private:
    static constexpr int max_depth = 64;

    static bool can_stand_outside(char c) noexcept {
        return std::string_view("{}[]:,\"0123456789+-.eEtrufalsn \t\r\n").find(c) !=
               std::string_view::npos;
    }
    result step_in_string(char c) noexcept {
        if (std::exchange(is_escaped_, false)) return result::going;
        is_escaped_ = c == '\\';
        in_string_ = c != '"';
        return result::going;
    }

    int depth_ = 0;
    bool in_string_ = false;
    bool is_escaped_ = false;
};

}  // namespace tandem::gateway
