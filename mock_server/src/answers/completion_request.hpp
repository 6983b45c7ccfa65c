#pragma once

#include "answers/api_error.hpp"
#include "answers/tokenizer.hpp"
#include "tandem_mock/fault.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tandem::mock {

/// Body of POST /completion: the fields that the mock supports.
struct completion_request {
    std::vector<token_id> prompt;
    bool prompt_as_ids = false;
    bool stream = false;
    bool cache_prompt = true;
    bool timings_per_token = false;
    bool return_progress = false;
    bool return_tokens = false;
    bool ignore_eos = false;
    int n_predict = -1;
    int id_slot = -1;
    std::optional<int> sse_ping_interval;  // seconds
    /// A list as in POST /lora-adapters; empty = the server's scales.
    std::string lora;
    std::vector<std::string> stop;
    std::vector<std::string> response_fields;
    /// Special tokens to show in the text.
    std::vector<std::string> preserved_tokens;
    /// The token that is sampled each time because of its bias.
    std::optional<token_id> forced_token;
    /// Only for POST /v1/chat/completions: the beginning of the reply, which the generated text
    /// continues, and the tools whose calls are parsed in the whole reply.
    std::optional<std::string> text_to_parse;
    std::vector<std::string> tools;
    double temperature = 0.8;
    double top_p = 0.95;
    int top_k = 40;
    std::uint32_t seed = 0xFFFFFFFF;
    std::optional<fault> mock_fault;
};

std::variant<completion_request, api_error> parse_completion_request(const std::string& body,
                                                                     bool add_bos);

/// Tokens of a string, or of an array of strings and ids. With `add_bos`, content that begins with
/// a string gets a BOS token. Throws std::invalid_argument or a JSON exception.
std::vector<token_id> tokenize_content(const nlohmann::json& content, bool add_bos,
                                       bool parse_special);

}  // namespace tandem::mock
