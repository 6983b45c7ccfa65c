#include "run/call_object.hpp"

namespace tandem::command {

json_object call_object(const tool_call& call) {
    json_object out;
    out.field("id", call.id).field("name", call.name).field("arguments", call.arguments);
    return out;
}

}  // namespace tandem::command
