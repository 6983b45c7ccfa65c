#include "gateway/request_body.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

/// Counts what the parser reads; false stops it. Objects are counted one by one, too: the parser
/// compares each key with those before it.
class body_counter {
 public:
    bool null() { return count(); }
    bool boolean(bool) { return count(); }
    bool number_integer(std::int64_t) { return count(); }
    bool number_unsigned(std::uint64_t) { return count(); }
    bool number_float(double, const std::string&) { return count(); }
    bool string(std::string&) { return count(); }
    bool binary(json::binary_t&) { return count(); }
    bool key(std::string&) {
        if (++keys_.back() > max_object_keys)
            return stop(fmt::format("has an object of more than {} keys", max_object_keys));
        return count();
    }
    bool start_object(std::size_t) { return open(); }
    bool end_object() { return close(); }
    bool start_array(std::size_t) { return open(); }
    bool end_array() { return close(); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
        return stop(fmt::format("is not valid JSON near byte {}", position));
    }

    std::string fault() && { return std::move(fault_); }

 private:
    bool stop(std::string why) {
        fault_ = std::move(why);
        return false;
    }
    bool count() {
        if (++values_ <= max_body_values) return true;
        return stop(fmt::format("has more than {} values and keys", max_body_values));
    }
    bool open() {
        keys_.push_back(0);
        if (keys_.size() <= static_cast<std::size_t>(max_body_depth)) return count();
        return stop(fmt::format("is nested deeper than {} levels", max_body_depth));
    }
    bool close() {
        keys_.pop_back();
        return true;
    }

    /// Of each object, or list, that is open.
    std::vector<std::size_t> keys_;
    std::size_t values_ = 0;
    std::string fault_;
};

api_error refused(int status, const std::string& why) {
    return {
        .status = status, .type = "invalid_request_error", .message = "the request's body " + why};
}

}  // namespace

std::optional<api_error> parse_body(std::string_view body, std::size_t max_bytes, json& out) {
    if (body.size() > max_bytes)
        return refused(
            413, fmt::format("has {} bytes; at most {} are possible", body.size(), max_bytes));
    // The parser takes a NUL byte for the end; JSON has none.
    if (body.find('\0') != body.npos) return refused(400, "is not JSON: it has a NUL byte");
    body_counter counter;
    if (!json::sax_parse(body, &counter)) return refused(400, std::move(counter).fault());
    auto read = json::parse(body, nullptr, false);
    if (!read.is_object()) return refused(400, "is no JSON object");
    out = std::move(read);
    return std::nullopt;
}

}  // namespace tandem::gateway
