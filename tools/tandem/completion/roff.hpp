#pragma once

#include <string>
#include <string_view>
#include <vector>

// The language of man's pages.
namespace tandem::command::roff {

/// `plain`, whose characters mean themselves, also at the start of a line.
std::string text(std::string_view plain);
std::string bold(std::string_view plain);
std::string italic(std::string_view plain);

/// Lines that stay as they are.
std::string block(std::string_view plain);
/// Lines that are filled; those that begin with two spaces stay as they are.
std::string paragraph(std::string_view plain);

std::vector<std::string_view> lines_of(std::string_view plain);
/// What is parted by empty lines.
std::vector<std::string_view> paragraphs_of(std::string_view plain);

}  // namespace tandem::command::roff
