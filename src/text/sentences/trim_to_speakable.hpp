#pragma once

#include <string>
#include <string_view>

namespace tandem::text {

/// Strips `speech` of surrounding white space and of leading marks that close earlier text: ". Have
/// a nice day" becomes "Have a nice day", but ".5" and ".NET" stay. Empty if no letter, number or
/// symbol remains.
std::string trim_to_speakable(std::string_view speech);

}  // namespace tandem::text
