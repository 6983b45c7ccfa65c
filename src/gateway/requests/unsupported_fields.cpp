#include "gateway/requests/unsupported_fields.hpp"

#include <nlohmann/json.hpp>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

/// Null and false never have an effect; `harmless` is a further such value, as JSON.
struct unhonoured_field {
    const char* name;
    const char* harmless = "null";
};

constexpr unhonoured_field unhonoured_fields[] = {
    {"function_call", R"("none")"},
    {"top_logprobs", "0"},
    {"verbosity"},
    {"web_search_options"},
};

bool changes_nothing(const json& value, const unhonoured_field& field) {
    return value == false || value == json::parse(field.harmless);
}

}  // namespace

bool reject_unsupported_fields(field_reader& fields, const json& body) {
    for (const auto& field : unhonoured_fields) {
        const auto* value = field_reader::find(body, field.name);
        if (value && !changes_nothing(*value, field))
            return fields.unsupported(field.name, "is not supported; leave it out");
    }
    return true;
}

}  // namespace tandem::gateway
