#include "gateway/refused_fields.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

/// Null and false always change nothing; `harmless` is another such value, as JSON.
struct unhonoured_field {
    const char* name;
    const char* harmless = "null";
};

constexpr unhonoured_field unhonoured_fields[] = {
    // of OpenAI's API
    {"function_call", R"("none")"},
    {"reasoning_effort"},
    {"top_logprobs", "0"},
    {"verbosity"},
    {"web_search_options"},
    // of llama-server, with its own default
    {"chat_template_kwargs", "{}"},
    {"dry_allowed_length", "2"},
    {"dry_base", "1.75"},
    {"dry_multiplier", "0"},
    {"dry_penalty_last_n", "-1"},
    {"dry_sequence_breakers"},
    {"dynatemp_exponent", "1"},
    {"dynatemp_range", "0"},
    {"ignore_eos"},
    {"logit_bias", "{}"},
    {"mirostat", "0"},
    {"mirostat_eta", "0.1"},
    {"mirostat_tau", "5"},
    {"samplers"},
    {"top_n_sigma", "-1"},
    {"typical_p", "1"},
    {"xtc_probability", "0"},
    {"xtc_threshold", "0.1"},
};

bool changes_nothing(const json& value, const unhonoured_field& field) {
    if (value == false || value == json::parse(field.harmless)) return true;
    // llama-server has a list of pairs where OpenAI has an object.
    return std::string_view(field.name) == "logit_bias" && value == json::array();
}

}  // namespace

bool refuse_unhonoured(field_reader& fields, const json& body) {
    for (const auto& field : unhonoured_fields) {
        const auto* value = field_reader::find(body, field.name);
        if (value && !changes_nothing(*value, field))
            return fields.unsupported(field.name, "is not supported; leave it out");
    }
    return true;
}

}  // namespace tandem::gateway
