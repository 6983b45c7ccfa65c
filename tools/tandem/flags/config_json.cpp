#include "flags/config_json.hpp"

#include "wire/json/json_path.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <type_traits>

namespace tandem::command {
namespace {

using nlohmann::json;

bool is_text(const json& value) {
    return value.is_string();
}

bool is_pair(const json& value) {
    if (!value.is_array() || value.size() != 2) return false;
    // A pair becomes one string, in which the first white space separates the parts. So the first
    // part must contain none.
    return is_text(value[0]) && is_text(value[1]) &&
           value[0].get_ref<const std::string&>().find_first_of(" \t\n") == std::string::npos;
}

// Returns true for a URL, and for an object with a URL and an optional model.
bool is_server(const json& value) {
    if (is_text(value)) return true;
    if (!value.is_object() || !value.contains("url")) return false;
    return std::ranges::all_of(value.items(), [](const auto& member) {
        return (member.key() == "url" || member.key() == "model") && is_text(member.value());
    });
}

// Returns the form used on the command line: NAME=URL.
std::string server_text(const json& value) {
    if (is_text(value)) return value.get<std::string>();
    const auto model = value.value("model", "");
    return model.empty() ? value.value("url", "") : model + '=' + value.value("url", "");
}

std::string text_of(const json& value) {
    if (is_pair(value)) return value[0].get<std::string>() + ' ' + value[1].get<std::string>();
    return value.is_string() ? value.get<std::string>() : value.dump();
}

bool is_word_list(const json& v) {
    return v.is_object() && std::ranges::all_of(v.items(), [](const auto& member) {
               return is_text(member.value()) && member.key().find('=') == std::string::npos;
           });
}

template <class Field>
constexpr bool is_optional_number = false;
template <class Number>
constexpr bool is_optional_number<std::optional<Number>> = std::is_arithmetic_v<Number>;

// Returns what a value of this field must be, or nullptr if the type matches.
template <class Field>
const char* type_fault(const Field&, const json& v) {
    if constexpr (std::is_same_v<Field, bool>)
        return v.is_boolean() ? nullptr : "must be true or false";
    else if constexpr (std::is_same_v<Field, duration>)
        return v.is_string() || v.is_number() ? nullptr : "must be a time such as \"250ms\" or 2.5";
    else if constexpr (std::is_same_v<Field, std::optional<duration>>)
        return v.is_string() || v.is_number()
                   ? nullptr
                   : "must be a time such as \"250ms\" or 2.5, or \"auto\"";
    else if constexpr (std::is_arithmetic_v<Field> || is_optional_number<Field>)
        return v.is_number() ? nullptr : "must be a number";
    else if constexpr (std::is_same_v<Field, std::vector<std::string>>)
        return v.is_array() && std::all_of(v.begin(), v.end(), is_text)
                   ? nullptr
                   : "must be a list of strings";
    else if constexpr (std::is_same_v<Field, std::vector<tag_pair>>)
        return v == "none" || (v.is_array() && std::all_of(v.begin(), v.end(), is_pair))
                   ? nullptr
                   : "must be a list of pairs without spaces, such as [[\"<think>\", "
                     "\"</think>\"]]";
    else if constexpr (std::is_same_v<Field, speech_replacements>)
        return is_word_list(v)
                   ? nullptr
                   : "must be an object such as {\"Dr.\": \"Doctor\"}, without = in a word";
    else
        return v.is_string() ? nullptr : "must be a string";
}

class object_reader {
 public:
    explicit object_reader(const std::string& file) : file_(file) {}

    void read(const std::string& name, const json& value) {
        if (name == "servers") return read_servers(value);
        bool known = false;
        for_each_field(fields_, [&](const field_info& f, const auto& field) {
            if (name != f.name) return;
            known = true;
            read_field(name, value, type_fault(field, value));
        });
        if (!known) result.faults.push_back(fmt::format("{}: unknown field {}", file_, name));
    }

    config_json result;

 private:
    // Each entry becomes a "url" setting, like a repeated flag.
    void read_servers(const json& value) {
        const auto origin = fmt::format("{}: servers", file_);
        if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_server))
            return result.faults.push_back(fmt::format(
                "{} must be a list of strings, or of {{\"url\": …, \"model\": …}}", origin));
        for (const auto& server : value)
            result.settings.push_back({origin, "url", server_text(server)});
    }
    void read_field(const std::string& name, const json& value, const char* fault) {
        const auto origin = fmt::format("{}: {}", file_, name);
        if (fault) return result.faults.push_back(fmt::format("{} {}", origin, fault));
        if (value.is_object()) return read_words(origin, name, value);
        if (!value.is_array()) return result.settings.push_back({origin, name, text_of(value)});
        if (value.empty() && name == "reasoning_tags")
            result.settings.push_back({origin, name, "none"});
        for (const auto& item : value) result.settings.push_back({origin, name, text_of(item)});
    }
    void read_words(const std::string& origin, const std::string& name, const json& words) {
        if (words.empty()) result.settings.push_back({origin, name, "none"});
        for (const auto& [word, spoken] : words.items())
            result.settings.push_back({origin, name, word + '=' + spoken.get<std::string>()});
    }

    const std::string& file_;
    const config fields_{};
};

// `byte` is 1-based. If the text ends too early, `byte` is past its end; returns the line of the
// last character then.
std::string place_of(std::size_t byte, std::string_view text) {
    const auto end = text.find_last_not_of(" \t\r\n") + 1;
    const auto before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, end));
    return fmt::format("line {}", std::ranges::count(before, '\n') + 1);
}

}  // namespace

config_json read_config_json(const std::string& file, std::string_view text) try {
    object_reader reader(file);
    const auto object = json::parse(text);
    if (!object.is_object()) return {{}, {fmt::format("{}: not a JSON object", file)}};
    if (const auto field = wire::find_duplicate_field(text))
        return {{}, {fmt::format("{}: {} is given twice", file, *field)}};
    for (const auto& [name, value] : object.items()) reader.read(name, value);
    if (object.contains("servers") && object.contains("url"))
        reader.result.faults.push_back(
            fmt::format("{}: url and servers are both given; use only one of them", file));
    return std::move(reader.result);
} catch (const json::parse_error& e) {
    return {{}, {fmt::format("{}: {} is not valid JSON", file, place_of(e.byte, text))}};
} catch (const json::exception&) {
    return {{}, {fmt::format("{}: a number is too large", file)}};
}

}  // namespace tandem::command
