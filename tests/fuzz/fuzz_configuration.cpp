#include "flags/config_flags.hpp"
#include "flags/config_layers.hpp"
#include "flags/flag_parsing.hpp"
#include "fuzzing.hpp"
#include "text/characters/utf8.hpp"

#include "tandem/config_fields.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <type_traits>
#include <vector>

// A configuration is either loaded with valid values or refused with faults. The values survive
// writing and reading. No fault contains the key.
namespace {

using namespace tandem;

constexpr const char* key = "kEy-4711-zebra";

bool shows_key(const std::vector<std::string>& texts) {
    for (const auto& text : texts)
        if (text.find(key) != std::string::npos) return true;
    return false;
}

template <class Field>
constexpr bool is_one_word =
    std::is_arithmetic_v<Field> || std::is_enum_v<Field> || std::is_same_v<Field, duration> ||
    std::is_same_v<Field, std::optional<duration>>;

/// Numbers, times and choices have the same value after writing and reading.
void require_rewritable(const config& c, std::string_view input) {
    config again;
    for_each_field(c, [&]<class Field>(const field_info& f, const Field&) {
        if constexpr (is_one_word<Field>) {
            // Each check searches all fields, so only fields that occur in the input are checked.
            if (input.find(f.name) == input.npos) return;
            const auto text = field_text(c, f.name);
            fuzzing::require(!set_field(again, f.name, text));
            fuzzing::require(field_text(again, f.name) == text);
        }
    });
}

/// With several URLs, `url` may be at fault, because only the code that uses the URLs checks each
/// of them.
void require_in_range(const config& c, std::size_t urls) {
    for (const auto& fault : check(c)) fuzzing::require(fault.field == "url" && urls > 1);
}

/// Checks the configuration and the faults that `input` gave.
void require_sound(const config& c, const std::vector<std::string>& faults, std::size_t urls,
                   std::string_view input) {
    fuzzing::require(!shows_key(faults));
    for (const auto& fault : faults) fuzzing::require(!fault.empty());
    if (!faults.empty()) return;
    require_in_range(c, urls);
    require_rewritable(c, input);
}

/// Calls `use` for each line "name=value". Ignores lines without "=".
template <class Use>
void for_each_pair(std::string_view text, Use use) {
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        const auto sign = line.find('=');
        if (sign != line.npos)
            use(std::string(line.substr(0, sign)), std::string(line.substr(sign + 1)));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
}

command::environment variables_of(std::string_view text) {
    command::environment all{{"TANDEM_API_KEY", key}};
    for_each_pair(text, [&](const std::string& name, const std::string& value) {
        // An environment value ends at its first zero. The input cannot change the key.
        if (const auto variable = command::variable_name(name); variable != "TANDEM_API_KEY")
            all[variable] = value.c_str();
    });
    return all;
}

void read_file_and_variables(std::string_view input) {
    const auto json = input.substr(0, input.find('\f'));
    const auto text = input.substr(std::min(json.size() + 1, input.size()));
    command::config_layers layers;
    layers.add_file("f", json);
    layers.add_environment(variables_of(text));
    const auto faults = layers.faults();
    require_sound(layers.result(), faults, layers.servers().size(), input);
    if (faults.empty()) fuzzing::require(layers.result().server.api_key == key);
}

void read_flags(std::string_view text) {
    CLI::App app;
    command::config_flags flags;
    flags.add_to(app);
    const config defaults;
    std::vector<std::string> arguments{"--api-key=" + std::string(key)};
    for_each_pair(text, [&](const std::string& name, const std::string& value) {
        for_each_field(defaults, [&](const field_info& f, const auto&) {
            if (name == f.name && name != "api_key")
                arguments.push_back(command::flag_name(name) + '=' + value);
        });
    });
    if (!command::describe_empty_values(app, arguments).empty()) return;
    try {
        app.parse(std::move(arguments));
    } catch (const CLI::ParseError&) {
        return;
    }
    if (!command::find_flags_taken_as_values(app).empty()) return;
    std::vector<std::string> faults;
    const auto loaded = flags.load({}, faults);
    require_sound(loaded.value, faults, loaded.urls.size(), text);
    if (faults.empty()) fuzzing::require(loaded.value.server.api_key == key);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    if (in.rest().find(key) != std::string_view::npos) return 0;
    // Setting up about fifty flags is slow, so only some inputs are read as flags.
    const bool as_flags = in.number(15) == 0;
    as_flags ? read_flags(in.rest()) : read_file_and_variables(in.rest());
    return 0;
}
