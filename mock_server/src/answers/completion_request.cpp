#include "answers/completion_request.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace tandem::mock {
namespace {

using nlohmann::json;

// Like the server, treats null as absent.
const json* find_field(const json& body, const char* name) {
    const auto found = body.find(name);
    return found == body.end() || found->is_null() ? nullptr : &*found;
}

[[noreturn]] void bad_field(const std::string& name, const std::string& why) {
    throw std::invalid_argument("Field '" + name + "': " + why);
}

template <typename T>
void read(const json& body, const char* name, T& value) {
    const json* field = find_field(body, name);
    if (!field) return;
    try {
        field->get_to(value);
    } catch (const json::exception& e) {
        bad_field(name, e.what());
    }
}

void read_in_range(const json& body, const char* name, int& value, int low, int high) {
    if (!find_field(body, name)) return;
    double wanted = 0;
    read(body, name, wanted);
    if (wanted < low || wanted > high) {
        bad_field(name, "Value must be between " + std::to_string(low) +
                            " <= value <= " + std::to_string(high) + ", but got " +
                            std::to_string(static_cast<long long>(wanted)));
    }
    value = static_cast<int>(wanted);
}

constexpr int no_limit = std::numeric_limits<int>::max();

void read_n_predict(const json& body, completion_request& r) {
    for (const char* name : {"n_predict", "max_completion_tokens", "max_tokens"}) {
        if (!find_field(body, name)) continue;
        read_in_range(body, name, r.n_predict, -1, no_limit);
        return;
    }
}

// Like the server, ignores an id that is not a number, and keeps the default.
void read_id_slot(const json& body, completion_request& r) {
    const json* field = find_field(body, "id_slot");
    if (field && field->is_number()) r.id_slot = field->get<int>();
}

void read_stop(const json& body, completion_request& r) {
    const json* field = find_field(body, "stop");
    if (!field) return;
    if (field->is_string()) {
        r.stop = {field->get<std::string>()};
    } else if (field->is_array()) {
        read(body, "stop", r.stop);
    }
    std::erase(r.stop, "");
}

// Ignores a bias that is too small to force its token.
void read_logit_bias(const json& body, completion_request& r) {
    constexpr double decisive = 100;
    const json* field = find_field(body, "logit_bias");
    if (!field || !field->is_array()) return;
    for (const auto& entry : *field) {
        if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number_integer()) continue;
        const auto id = entry[0].get<std::int64_t>();
        if (is_token(id) && entry[1].is_number() && entry[1].get<double>() >= decisive)
            r.forced_token = static_cast<token_id>(id);
    }
}

void read_lora(const json& body, completion_request& r) {
    const json* field = find_field(body, "lora");
    if (!field) return;
    if (!field->is_array())
        bad_field("lora", "Error: 'lora' must be an array of objects with 'id' and 'scale' fields");
    if (!field->empty()) r.lora = field->dump();
}

void read_ping_interval(const json& body, completion_request& r) {
    if (!find_field(body, "sse_ping_interval")) return;
    int seconds = 0;
    read_in_range(body, "sse_ping_interval", seconds, -1, no_limit);
    r.sse_ping_interval = seconds;
}

void read_sampling(const json& body, completion_request& r) {
    read(body, "temperature", r.temperature);
    read(body, "top_p", r.top_p);
    read(body, "top_k", r.top_k);
    std::int64_t seed = r.seed;
    read(body, "seed", seed);
    r.seed = static_cast<std::uint32_t>(seed);
}

// Rejects requests for several completions, which the mock does not support.
void refuse_several(const json& body) {
    int n = 1;
    read_in_range(body, "n_cmpl", n, 1, 1);
    read_in_range(body, "n", n, 1, 1);
}

void read_fault(const json& body, completion_request& r) {
    if (!find_field(body, "mock_fault")) return;
    std::string text;
    read(body, "mock_fault", text);
    r.mock_fault = parse_fault(text);
}

bool all_numbers(const json& prompt) {
    return std::all_of(prompt.begin(), prompt.end(), [](const json& p) { return p.is_number(); });
}

void read_prompt(const json& body, bool add_bos, completion_request& r) {
    const json& prompt = body.at("prompt");
    const bool one_of_many = prompt.is_array() && prompt.size() == 1 && prompt[0].is_string();
    const json& wanted = one_of_many ? prompt[0] : prompt;
    if (wanted.is_array() && wanted.empty()) {
        throw std::invalid_argument("\"prompt\" must not be empty");
    }
    r.prompt_as_ids = wanted.is_array() && all_numbers(wanted);
    if (wanted.is_array() && !r.prompt_as_ids &&
        std::none_of(wanted.begin(), wanted.end(), [](const json& p) { return p.is_number(); })) {
        throw std::invalid_argument("arrays of several prompts are not supported here");
    }
    r.prompt = tokenize_content(wanted, add_bos, true);
}

// Number of unclosed parentheses outside of quotes and character classes.
std::ptrdiff_t open_brackets(std::string_view grammar) {
    std::ptrdiff_t open = 0;
    char end_of_text = '\0';
    for (std::size_t i = 0; i < grammar.size(); ++i) {
        const char c = grammar[i];
        if (end_of_text != '\0') {
            if (c == '\\')
                ++i;
            else if (c == end_of_text)
                end_of_text = '\0';
        } else if (c == '"') {
            end_of_text = '"';
        } else if (c == '[') {
            end_of_text = ']';
        } else {
            open += (c == '(') - (c == ')');
        }
    }
    return open;
}

// Does not interpret grammars; only rejects those without a root rule or with unbalanced
// parentheses.
void check_grammar(const json& body) {
    std::string grammar;
    read(body, "grammar", grammar);
    const bool is_one =
        grammar.find("root ::=") != std::string::npos && open_brackets(grammar) == 0;
    if (!grammar.empty() && !is_one)
        throw std::invalid_argument("Failed to initialize samplers: failed to parse grammar");
}

completion_request parse_body(const std::string& text, bool add_bos) {
    const json body = json::parse(text);
    completion_request r;
    read_prompt(body, add_bos, r);
    read(body, "stream", r.stream);
    read(body, "cache_prompt", r.cache_prompt);
    read(body, "timings_per_token", r.timings_per_token);
    read(body, "return_progress", r.return_progress);
    read(body, "return_tokens", r.return_tokens);
    read(body, "ignore_eos", r.ignore_eos);
    read(body, "response_fields", r.response_fields);
    read(body, "preserved_tokens", r.preserved_tokens);
    read_n_predict(body, r);
    read_id_slot(body, r);
    read_stop(body, r);
    read_logit_bias(body, r);
    read_lora(body, r);
    check_grammar(body);
    read_ping_interval(body, r);
    read_sampling(body, r);
    refuse_several(body);
    read_fault(body, r);
    return r;
}

token_id checked_token(const json& id) {
    if (!id.is_number_integer() || !is_token(id.get<std::int64_t>())) {
        throw std::invalid_argument("Prompt contains invalid tokens");
    }
    return id.get<token_id>();
}

void append_string(std::vector<token_id>& out, const json& text, bool add_bos, bool special) {
    const std::vector<token_id> tokens = tokenize(text.get_ref<const std::string&>(), special);
    if (add_bos) out.push_back(bos_token);
    out.insert(out.end(), tokens.begin(), tokens.end());
}

}  // namespace

std::vector<token_id> tokenize_content(const json& content, bool add_bos, bool parse_special) {
    std::vector<token_id> out;
    if (content.is_string()) {
        const bool empty = content.get_ref<const std::string&>().empty();
        append_string(out, content, add_bos && !empty, parse_special);
        return out;
    }
    if (!content.is_array()) {
        throw std::invalid_argument(
            "\"prompt\" elements must be a string, a list of tokens, a JSON object containing a "
            "prompt string, or a list of mixed strings & tokens.");
    }
    for (const json& part : content) {
        if (part.is_string()) {
            append_string(out, part, add_bos && out.empty(), parse_special);
        } else {
            out.push_back(checked_token(part));
        }
    }
    return out;
}

std::variant<completion_request, api_error> parse_completion_request(const std::string& body,
                                                                     bool add_bos) {
    try {
        return parse_body(body, add_bos);
    } catch (const std::exception& e) {
        return make_error(400, e.what());
    }
}

}  // namespace tandem::mock
