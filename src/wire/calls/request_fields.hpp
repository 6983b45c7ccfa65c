#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

// Request fields that callers may add as members of a JSON object. Excludes the fields that tandem
// sends itself.
namespace tandem::wire {

struct field_fault {
    /// For example "samplers[2]".
    std::string path;
    /// Follows the path in a message: "must be true or false".
    std::string words;
};

/// The names allowed in generation_options::sampling.
std::span<const std::string_view> sampling_field_names() noexcept;
/// The names allowed in generation_options::template_options.
std::span<const std::string_view> template_field_names() noexcept;

/// The first fault of an object of such fields; nullopt if it has none, or the string is empty.
std::optional<field_fault> check_sampling_fields(std::string_view object);
std::optional<field_fault> check_template_fields(std::string_view object);

}  // namespace tandem::wire
