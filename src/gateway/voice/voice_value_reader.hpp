#pragma once

#include "base/enum_names.hpp"
#include "gateway/json/field_reader.hpp"
#include "gateway/voice/voice_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// Values in the client's messages. Internal to the parser.
namespace tandem::gateway {

/// Moves values from JSON to their targets, by type. On the first fault, a function stores it in
/// fault_ and returns false. `Reader` adds overloads of read_value() for types that need additional
/// checks.
template <class Reader>
class voice_value_reader {
 public:
    // Keeps the order of members, because models write the properties of a schema in that order.
    using json = nlohmann::ordered_json;

    bool read_value(json& v, const std::string& at, std::string& out) {
        if (!v.is_string()) return fail_type(v, at, "a string");
        out = std::move(v.get_ref<std::string&>());
        return true;
    }
    bool read_value(json& v, const std::string& at, bool& out) {
        if (!v.is_boolean()) return fail_type(v, at, "true or false");
        out = v.get<bool>();
        return true;
    }
    bool read_value(json& v, const std::string& at, double& out) {
        if (!v.is_number()) return fail_type(v, at, "a number");
        out = v.get<double>();
        return true;
    }
    bool read_value(json& v, const std::string& at, std::uint64_t& out) {
        make_integer(v);
        if (!v.is_number_unsigned()) return fail_number(v, at, "a whole number of at least 0");
        out = v.get<std::uint64_t>();
        return true;
    }
    bool read_value(json& v, const std::string& at, std::int64_t& out) {
        constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
        make_integer(v);
        if (!v.is_number_integer()) return fail_number(v, at, "a whole number");
        if (v.is_number_unsigned() && v.get<std::uint64_t>() > most)
            return fail(at, "is too large");
        out = v.get<std::int64_t>();
        return true;
    }
    bool read_value(json& v, const std::string& at, int& out) {
        std::int64_t wide = 0;
        if (!read_value(v, at, wide)) return false;
        out = static_cast<int>(wide);
        return out == wide || fail(at, fmt::format("is {}, which is out of range", wide));
    }
    bool read_value(json& v, const std::string& at, duration& out) {
        double ms = 0;
        if (!read_value(v, at, ms)) return false;
        if (!(ms >= 0 && ms <= max_ms))
            return fail(at, fmt::format("is {}; it must be 0 to {} ms", ms, max_ms));
        out = duration(std::llround(ms * 1e6));
        return true;
    }
    template <class Enum>
    requires std::is_enum_v<Enum>
    bool read_value(json& v, const std::string& at, Enum& out) {
        std::string name;
        if (!read_value(v, at, name)) return false;
        const auto found = parse_enum<Enum>(name);
        out = found.value_or(out);
        return found || fail(at, fmt::format("is {}; it must be one of {}", show_text(name),
                                             list_enum_names<Enum>(", ")));
    }
    template <class T>
    bool read_value(json& v, const std::string& at, std::optional<T>& out) {
        return self().read_value(v, at, out.emplace());
    }
    template <class T>
    bool read_value(json& v, const std::string& at, std::vector<T>& out) {
        if (!v.is_array()) return fail_type(v, at, "a list");
        out.resize(v.size());
        for (std::size_t i = 0; i < out.size(); ++i)
            if (!self().read_value(v[i], fmt::format("{}[{}]", at, i), out[i])) return false;
        return true;
    }
    bool read_value(json& v, const std::string& at, speech_replacements& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        for (auto& [word, spoken] : v.items())
            if (!self().read_value(spoken, append_path(at, word.c_str()), out[word])) return false;
        return true;
    }
    template <class T>
    requires std::is_class_v<T>
    bool read_value(json& v, const std::string& at, T& out) { return read_members(v, at, out); }

 protected:
    bool fail(const std::string& at, std::string_view what) {
        fault_ = make_invalid_value_error(at, what);
        return false;
    }
    bool fail_type(const json& v, const std::string& at, const char* expected) {
        return fail(at, fmt::format("is of type {}, but must be {}", v.type_name(), expected));
    }
    bool fail_number(const json& v, const std::string& at, const char* expected) {
        if (!v.is_number()) return fail_type(v, at, expected);
        return fail(at, fmt::format("is {}; it must be {}", v.dump(), expected));
    }
    static std::string show_text(const std::string& text) {
        constexpr std::size_t max_shown = 64;
        return text.size() <= max_shown ? json(text).dump()
                                        : fmt::format("a text of {} bytes", text.size());
    }
    bool require(bool is_right, const std::string& at, std::string_view what) {
        return is_right || fail(at, what);
    }
    static json* find(json& object, const char* key) {
        const auto found = object.find(key);
        return found == object.end() || found->is_null() ? nullptr : &*found;
    }
    bool require_member(json& object, const std::string& at, const char* key) {
        return find(object, key) || fail(append_path(at, key), "is missing");
    }
    template <class T>
    bool read_member(json& object, const std::string& at, const char* key, T& out) {
        auto* found = find(object, key);
        return !found || self().read_value(*found, append_path(at, key), out);
    }
    template <class T>
    bool read_members(json& v, const std::string& at, T& out) {
        if (!v.is_object()) return fail_type(v, at, "an object");
        bool is_read = true;
        for_each_voice_field(out, [&](const char* name, auto& field) {
            is_read = is_read && read_member(v, at, name, field);
        });
        return is_read;
    }

    api_error fault_;

 private:
    static constexpr double max_ms = 24 * 3600 * 1000.0;

    // Python writes a whole number as 7.0 if the number was computed as a float.
    static void make_integer(json& v) {
        constexpr double most = 1ULL << 53;
        if (!v.is_number_float()) return;
        const auto number = v.get<double>();
        if (number >= 0 && number <= most && std::floor(number) == number)
            v = static_cast<std::uint64_t>(number);
    }

    Reader& self() noexcept { return static_cast<Reader&>(*this); }
};

}  // namespace tandem::gateway
