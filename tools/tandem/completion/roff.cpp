#include "completion/roff.hpp"

#include <algorithm>

namespace tandem::command::roff {
namespace {

std::vector<std::string_view> parts_of(std::string_view plain, std::string_view separator) {
    std::vector<std::string_view> parts;
    while (!plain.empty()) {
        const auto end = std::min(plain.find(separator), plain.size());
        if (end > 0 || separator.size() == 1) parts.push_back(plain.substr(0, end));
        plain.remove_prefix(std::min(plain.size(), end + separator.size()));
    }
    return parts;
}

// So that it can be copied from the page into a shell: roff makes typographic ones of some.
std::string_view escape_of(char c) {
    switch (c) {
        case '\\':
            return "\\e";
        case '-':
            return "\\-";
        case '\'':
            return "\\(aq";
        case '`':
            return "\\(ga";
        case '^':
            return "\\(ha";
        case '~':
            return "\\(ti";
        default:
            return {};
    }
}

}  // namespace

std::string text(std::string_view plain) {
    std::string result;
    bool at_start = true;
    for (const char c : plain) {
        if (at_start && (c == '.' || c == '\'')) result += "\\&";
        const auto escape = escape_of(c);
        if (escape.empty())
            result += c;
        else
            result += escape;
        at_start = c == '\n';
    }
    return result;
}

std::string bold(std::string_view plain) {
    return "\\fB" + text(plain) + "\\fR";
}

std::string italic(std::string_view plain) {
    return "\\fI" + text(plain) + "\\fR";
}

std::string block(std::string_view plain) {
    return ".nf\n" + text(plain) + "\n.fi\n";
}

std::string paragraph(std::string_view plain) {
    std::string result;
    bool kept = false;
    for (const auto line : lines_of(plain)) {
        if (const bool keep = line.starts_with("  "); keep != kept) {
            result += keep ? ".nf\n" : ".fi\n";
            kept = keep;
        }
        result += text(line) + '\n';
    }
    return kept ? result + ".fi\n" : result;
}

std::vector<std::string_view> lines_of(std::string_view plain) {
    return parts_of(plain, "\n");
}

std::vector<std::string_view> paragraphs_of(std::string_view plain) {
    return parts_of(plain, "\n\n");
}

}  // namespace tandem::command::roff
