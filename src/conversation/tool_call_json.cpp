#include "conversation/tool_call_json.hpp"

#include "wire/json/json_text.hpp"

namespace tandem::wire {

std::string format_tool_call(const tool_call& call) {
    std::string text = R"({"name": )";
    append_string(call.name, text);
    text += R"(, "arguments": )";
    if (call.arguments.empty())
        text += "{}";
    else if (json::accept(call.arguments))
        text += call.arguments;
    else
        append_string(call.arguments, text);
    return text + "}";
}

}  // namespace tandem::wire
