#include "wire/json/json_limits.hpp"

#include "text/characters/utf8.hpp"
#include "wire/json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tandem::wire {
namespace {

/// Counts the values of a text while the parser reads it; returning false stops the parser.
class json_counter {
 public:
    explicit json_counter(const json_limits& limits) : limits_(limits) {}

    bool null() { return count(); }
    bool boolean(bool) { return count(); }
    bool number_integer(std::int64_t) { return count(); }
    bool number_unsigned(std::uint64_t) { return count(); }
    bool number_float(double, const std::string&) { return count(); }
    bool string(std::string&) { return count(); }
    bool binary(json::binary_t&) { return count(); }
    bool key(std::string&) {
        return ++keys_.back() <= limits_.keys ? count() : stop(json_fault::too_many_keys);
    }
    bool start_object(std::size_t) {
        keys_.push_back(0);
        return open();
    }
    bool end_object() {
        keys_.pop_back();
        return close();
    }
    bool start_array(std::size_t) { return open(); }
    bool end_array() { return close(); }
    bool parse_error(std::size_t position, const std::string&, const json::exception&) {
        position_ = position;
        return stop(json_fault::not_json);
    }

    json_fault fault() const noexcept { return fault_; }
    /// Position of the byte at which the text stops being JSON; the first byte is 1.
    std::size_t position() const noexcept { return position_; }

 private:
    bool stop(json_fault why) noexcept {
        fault_ = why;
        return false;
    }
    bool count() noexcept {
        return ++values_ <= limits_.values || stop(json_fault::too_many_values);
    }
    bool open() noexcept {
        return ++depth_ <= limits_.depth ? count() : stop(json_fault::too_deep);
    }
    bool close() noexcept {
        --depth_;
        return true;
    }

    const json_limits& limits_;
    int depth_ = 0;
    std::size_t values_ = 0;
    std::vector<std::size_t> keys_;  // the number of keys of each open object
    std::size_t position_ = 0;
    json_fault fault_ = json_fault::none;
};

/// Distinguishes the brackets of JSON text from those inside its strings.
class bracket_reader {
 public:
    /// 1 for an opening bracket, -1 for a closing one.
    int step(char c) noexcept {
        if (std::exchange(is_escaped_, false)) return 0;
        if (c == '"') in_string_ = !in_string_;
        is_escaped_ = in_string_ && c == '\\';
        if (in_string_) return 0;
        return c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    }

 private:
    bool in_string_ = false;
    bool is_escaped_ = false;
};

}  // namespace

json_fault check_json(std::string_view text, const json_limits& limits) {
    // JSON contains no NUL byte, but the parser would treat one as the end of the text.
    if (text.find('\0') != text.npos) return json_fault::not_json;
    json_counter counter(limits);
    json::sax_parse(text, &counter);
    return counter.fault();
}

std::string describe_json_fault(std::string_view text, const json_limits& limits) {
    if (text.find('\0') != text.npos) return "is not JSON: it has a NUL byte";
    json_counter counter(limits);
    json::sax_parse(text, &counter);
    switch (counter.fault()) {
        case json_fault::not_json:
            return fmt::format("is not valid JSON near byte {}", counter.position());
        case json_fault::too_deep:
            return fmt::format("is nested deeper than {} levels", limits.depth);
        case json_fault::too_many_values:
            return fmt::format("has more than {} values and keys", limits.values);
        case json_fault::too_many_keys:
            return fmt::format("has an object of more than {} keys", limits.keys);
        case json_fault::none:
            break;
    }
    return {};
}

std::string describe_text_fault(std::string_view text, std::size_t max_bytes,
                                const json_limits& limits) {
    if (text.size() > max_bytes)
        return fmt::format("has {} bytes; the maximum is {}", text.size(), max_bytes);
    if (const auto bad = text::find_invalid_utf8(text); bad != text.npos)
        return fmt::format("is not valid UTF-8 at byte {}", bad);
    return describe_json_fault(text, limits);
}

std::string prune_deep_json(std::string_view text, int deepest) {
    std::string out;
    bracket_reader brackets;
    int depth = 0;
    for (const char c : text) {
        const int step = brackets.step(c);
        const int before = std::exchange(depth, depth + step);
        if (step > 0 && before == deepest) out += "null";
        if (std::max(before, depth) <= deepest) out += c;
    }
    return out;
}

}  // namespace tandem::wire
