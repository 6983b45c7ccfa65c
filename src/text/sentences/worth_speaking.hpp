#pragma once

#include <string>
#include <string_view>

namespace tandem::text {

/// `speech` without white space around it, and without marks at its start that close what was said
/// before: ". Have a nice day" is "Have a nice day", but ".5" and ".NET" stay. Empty if there is no
/// letter, number or symbol to say.
std::string worth_speaking(std::string_view speech);

}  // namespace tandem::text
