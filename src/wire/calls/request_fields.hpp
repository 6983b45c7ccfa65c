#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

// Fields of requests that callers may add as members of a JSON object. What tandem itself sends is
// none of them.
namespace tandem::wire {

struct field_fault {
    /// As in "samplers[2]".
    std::string path;
    /// What follows the path: "must be true or false".
    std::string words;
};

/// The names that generation_options::sampling may have.
std::span<const std::string_view> sampling_names() noexcept;
/// Those of generation_options::template_options.
std::span<const std::string_view> template_names() noexcept;

/// The first fault of such an object; none of an empty text.
std::optional<field_fault> sampling_fault(std::string_view object);
std::optional<field_fault> template_fault(std::string_view object);

}  // namespace tandem::wire
