#pragma once

#include "gateway/json/api_error.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// For the sources of this room that read requests.
namespace tandem::gateway {

/// "messages[2]" and "role" to "messages[2].role".
std::string path_of(std::string_view at, std::string_view key);
/// "messages" and 2 to "messages[2]".
std::string path_of(std::string_view at, std::size_t index);

/// Reads members of a request's objects strictly by their types, and keeps the first fault with its
/// path. null counts as absent, and what is absent changes nothing. The functions are false once
/// there is a fault. `at` is the path of the object; empty for the body itself.
class field_reader {
 public:
    using json = nlohmann::ordered_json;

    /// The member; none if it is absent.
    static const json* find(const json& object, std::string_view key);

    bool read(const json& object, std::string_view at, const char* key, std::string& out);
    bool read(const json& object, std::string_view at, const char* key, bool& out);
    bool read(const json& object, std::string_view at, const char* key, double& out);
    /// A whole number, which may be written as 1.0; one that is out of range becomes the nearest.
    bool read(const json& object, std::string_view at, const char* key, std::int64_t& out);
    template <class T>
    bool read(const json& object, std::string_view at, const char* key, std::optional<T>& out) {
        T value{};
        if (!find(object, key)) return true;
        if (!read(object, at, key, value)) return false;
        out = value;
        return true;
    }
    /// A text that must be there.
    bool require(const json& object, std::string_view at, const char* key, std::string& out);

    // The faults: each of status 400 and with a code that OpenAI's API has for it.
    bool not_a(const json& value, std::string path, std::string_view expected);
    bool missing(std::string path);
    bool invalid(std::string path, const std::string& words);
    bool unsupported(std::string path, const std::string& words);

    api_error fault() && { return std::move(fault_); }

 private:
    bool fail(const char* code, std::string path, std::string message);

    api_error fault_;
};

}  // namespace tandem::gateway
