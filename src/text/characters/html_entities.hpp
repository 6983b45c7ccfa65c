#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem::text {

/// A character reference of HTML, such as `&amp;` or `&#39;`.
struct html_entity {
    std::size_t bytes = 0;  ///< 0: there is none
    std::string text{};     ///< what it stands for; a space for every kind of space
};

/// The one that `text` starts with, if it is among those that prose has. Unknown names are none.
html_entity first_entity(std::string_view text);

}  // namespace tandem::text
