#pragma once

#include "gateway/json/api_error.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// Internal to the gateway's request parsers.
namespace tandem::gateway {

/// Joins "messages[2]" and "role" to "messages[2].role".
std::string append_path(std::string_view at, std::string_view key);
/// Joins "messages" and 2 to "messages[2]".
std::string append_path(std::string_view at, std::size_t index);

/// Reads typed members of a request's objects, and keeps the first fault with its path. Types are
/// strict. null is read as absent, and an absent member leaves `out` unchanged. Functions return
/// false on a fault. `at` is the path of the object; empty for the body itself.
class field_reader {
 public:
    using json = nlohmann::ordered_json;

    /// Returns nullptr if the member is absent.
    static const json* find(const json& object, std::string_view key);

    bool read(const json& object, std::string_view at, const char* key, std::string& out);
    bool read(const json& object, std::string_view at, const char* key, bool& out);
    bool read(const json& object, std::string_view at, const char* key, double& out);
    /// An integer, which may be written as 1.0. Values out of range are clamped.
    bool read(const json& object, std::string_view at, const char* key, std::int64_t& out);
    template <class T>
    bool read(const json& object, std::string_view at, const char* key, std::optional<T>& out) {
        T value{};
        if (!find(object, key)) return true;
        if (!read(object, at, key, value)) return false;
        out = value;
        return true;
    }
    /// A required string.
    bool read_required(const json& object, std::string_view at, const char* key, std::string& out);

    // Report a fault with status 400 and one of OpenAI's error codes.
    bool fail_wrong_type(const json& value, std::string path, std::string_view expected);
    bool fail_missing(std::string path);
    bool fail_invalid(std::string path, const std::string& words);
    bool fail_unsupported(std::string path, const std::string& words);

    api_error fault() && { return std::move(fault_); }

 private:
    bool fail(const char* code, std::string path, std::string message);

    api_error fault_;
};

}  // namespace tandem::gateway
