#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

// The tags in a prompt that a chat template rendered. Pure.
namespace tandem::server {

/// Maximum number of preserved tokens, and maximum size of each in bytes.
inline constexpr std::size_t max_preserved_tokens = 32;
inline constexpr std::size_t max_preserved_bytes = 64;

/// The tag at the start of `text`: <…> without white space, [UPPER_CASE], or ]<]name[>[. Empty if
/// there is none.
std::string_view parse_leading_tag(std::string_view text) noexcept;

/// The distinct tags in `text`, up to a limit.
std::vector<std::string_view> find_tags(std::string_view text);

bool contains(const std::vector<std::string_view>& tags, std::string_view tag) noexcept;

}  // namespace tandem::server
