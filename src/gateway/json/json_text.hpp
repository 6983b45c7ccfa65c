#pragma once

#include "wire/json/dump_json.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

// Internal to the gateway.
namespace tandem::gateway {

using wire::dump_json;

/// null if the text is empty.
nlohmann::ordered_json text_or_null(const std::string& text);

/// The text, at most `most` bytes of complete characters, followed by `mark` if it is truncated.
std::string truncate_text(std::string_view text, std::size_t most, std::string_view mark = "…");

/// Rounded to microseconds; further digits are noise.
double round_to_microseconds(double ms) noexcept;

}  // namespace tandem::gateway
