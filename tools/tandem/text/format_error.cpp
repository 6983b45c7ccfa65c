#include "text/format_error.hpp"

#include <array>
#include <string_view>

namespace tandem::command {
namespace {

struct renaming {
    errc code;
    std::string_view field;  // as in the library's message
    std::string_view flag;
};

constexpr std::array renamings{
    renaming{errc::unauthorized, "set api_key to the one ",
             "use --api-key-file FILE or TANDEM_API_KEY to pass the one "},
    renaming{errc::prompt_too_long, "set max_tokens to ", "set --max-tokens to "},
};

}  // namespace

std::string format_error(const error_code& ec, const diagnostics& d) {
    auto words = d.to_string();
    if (words.empty()) words = ec.message();
    for (const auto& r : renamings)
        if (const auto at = words.find(r.field); ec == r.code && at != words.npos)
            words.replace(at, r.field.size(), r.flag);
    return words;
}

}  // namespace tandem::command
