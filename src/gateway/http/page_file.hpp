#pragma once

#include <span>
#include <string_view>
#include <utility>

// The embedded page at `/`: the files of src/gateway/http/page. Pure.
namespace tandem::gateway {

struct page_file {
    /// Name in /assets/{name}; "index.html" is the page itself.
    std::string_view name;
    std::string_view content_type;
    /// The value for the header ETag, with its quotation marks.
    std::string_view etag;
    std::string_view text;
};

std::span<const page_file> page_files() noexcept;

const page_file& index_page() noexcept;
/// Returns nullptr if there is no such asset.
const page_file* find_asset(std::string_view name) noexcept;

/// Whether the client's cached copy is current, according to If-None-Match.
bool matches_etag(std::string_view if_none_match, const page_file& file) noexcept;

using header_field = std::pair<std::string_view, std::string_view>;

/// Content-Security-Policy that restricts the page to resources of the gateway.
inline constexpr std::string_view page_content_security_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace tandem::gateway
