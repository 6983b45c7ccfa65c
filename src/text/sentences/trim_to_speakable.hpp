#pragma once

#include <string_view>

namespace tandem::text {

/// The part of `speech` without surrounding white space and leading marks that close earlier text:
/// ". Have a nice day" becomes "Have a nice day", but ".5" and ".NET" stay. Empty if no letter,
/// number or symbol remains.
std::string_view trim_to_speakable(std::string_view speech) noexcept;

}  // namespace tandem::text
