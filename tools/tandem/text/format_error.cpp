#include "text/format_error.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

struct renaming {
    std::string_view field;  // part of the library's message that names a field
    std::string_view flag;
};

constexpr std::array renamings{
    renaming{"set api_key to the one ",
             "use --api-key-file FILE or TANDEM_API_KEY to pass the one "},
    renaming{"start llama-server, or check host and port",
             "start llama-server, or set --url or TANDEM_URL to its URL"},
    renaming{"set ca_file to ", "set --ca-file to "},
    renaming{"set proxy to \"none\"", "set --proxy to none"},
    renaming{"set max_tokens to ", "set --max-tokens to "},
};

}  // namespace

std::string format_error(const error_code& ec, const diagnostics& d, std::string_view hint) {
    auto words = d.to_string();
    if (words.empty()) words = ec.message();
    words = replace_field_names(std::move(words));
    if (!hint.empty()) words.append("; ").append(hint);
    return words;
}

std::string replace_field_names(std::string message) {
    for (const auto& r : renamings)
        if (const auto at = message.find(r.field); at != message.npos)
            message.replace(at, r.field.size(), r.flag);
    return message;
}

}  // namespace tandem::command
