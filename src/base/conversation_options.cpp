#include "tandem/conversation_options.hpp"

namespace tandem {
inline namespace v0 {

std::string_view to_string(history_policy p) noexcept {
    switch (p) {
        case history_policy::heard:
            return "heard";
        case history_policy::handed_over:
            return "handed_over";
        case history_policy::full:
            return "full";
        case history_policy::none:
            return "none";
    }
    return {};
}

}  // namespace v0
}  // namespace tandem
