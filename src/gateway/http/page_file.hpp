#pragma once

#include <span>
#include <string_view>
#include <utility>

// The page at `/`, which is built in: the files of src/gateway/http/page. Pure.
namespace tandem::gateway {

struct page_file {
    /// As in /assets/{name}; "index.html" is the page itself.
    std::string_view name;
    std::string_view content_type;
    /// With its quotation marks.
    std::string_view etag;
    std::string_view text;
};

std::span<const page_file> page_files() noexcept;

const page_file& page_index() noexcept;
/// None of that name: null.
const page_file* find_asset(std::string_view name) noexcept;

/// The client has this very file: it said so in If-None-Match.
bool has_file(std::string_view if_none_match, const page_file& file) noexcept;

using header_field = std::pair<std::string_view, std::string_view>;

/// Lets the page load what the gateway serves, and nothing else.
inline constexpr std::string_view page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace tandem::gateway
