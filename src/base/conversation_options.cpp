#include "tandem/conversation_options.hpp"

#include "base/enum_names.hpp"

namespace tandem {
inline namespace v0 {

std::string_view to_string(history_policy p) noexcept {
    return find_enum_name({"heard", "handed_over", "full", "none"}, p);
}

}  // namespace v0
}  // namespace tandem
