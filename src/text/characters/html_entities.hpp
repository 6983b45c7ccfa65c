#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem::text {

/// An HTML character reference, such as `&amp;` or `&#39;`.
struct html_entity {
    std::size_t bytes = 0;  ///< 0: no entity
    std::string text{};     ///< the characters that it denotes; a plain space for any kind of space
};

/// The entity at the start of `text`, if it is one that occurs in prose. Unknown names are not
/// entities.
html_entity parse_leading_entity(std::string_view text);

}  // namespace tandem::text
