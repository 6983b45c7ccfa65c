#include "tandem/server.hpp"

#include <fmt/format.h>

namespace tandem {
inline namespace v0 {

std::string slots_warning(const server_props& props, int slots_wanted) {
    if (props.total_slots >= slots_wanted) return {};
    return fmt::format(
        "slots is {}, but the server has {}: using {}; start llama-server with "
        "--parallel {}",
        slots_wanted, props.total_slots, props.total_slots, slots_wanted);
}

}  // namespace v0
}  // namespace tandem
