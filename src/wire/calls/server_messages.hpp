#pragma once

#include "wire/json/token_event.hpp"

#include "tandem/config.hpp"
#include "tandem/error.hpp"
#include "tandem/server.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Bodies of requests to llama-server other than /completion, and decoders for the answers. A
// decoder either fills `out` and returns no error, or fills `diag` and returns one.
namespace tandem::wire {

struct response_view {
    int http_status = 0;
    std::string_view body;
};

/// GET /health.
error_code decode_health(response_view a, diagnostics& diag);

/// GET /props. A router, which has no slots itself, yields errc::not_supported.
error_code decode_props(response_view a, server_props& out, diagnostics& diag);

/// GET /slots.
error_code decode_slots(response_view a, std::vector<slot_state>& out, diagnostics& diag);

/// POST /tokenize for a prompt: parses special tokens and adds BOS. The text must be valid UTF-8,
/// as in all requests.
std::string tokenize_body(std::string_view text);
/// For text that follows ids in a prompt: parses special tokens, adds no BOS. Text that starts with
/// a special token gets the same ids as within the whole prompt.
std::string tokenize_continuation_body(std::string_view text);
/// Tokenizes each text separately; `separator` follows the tokens of each text in
/// the answer.
std::string tokenize_pieces_body(std::span<const std::string> texts, token_id separator,
                                 bool parse_special = false);
/// POST /detokenize.
std::string detokenize_body(std::span<const token_id> ids);
error_code decode_tokens(response_view a, std::vector<token_id>& out, diagnostics& diag);

/// Puts the context of a turn before the words of the last user message. If there is no user
/// message, appends the context as a user message.
void insert_turn_context(std::vector<chat_message>& messages, std::string_view context);

/// POST /apply-template, in the format of OpenAI's API. `tools` is a JSON list of functions and
/// `template_options` a JSON object; both may be empty.
std::string apply_template_body(std::span<const chat_message> messages, std::string_view tools = {},
                                std::string_view template_options = {});
error_code decode_rendered_prompt(response_view a, std::string& out, diagnostics& diag);
/// The answer to /detokenize.
error_code decode_detokenized_text(response_view a, std::string& out, diagnostics& diag);

/// Maximum number of calls that are read in a reply.
inline constexpr std::size_t max_calls_of_a_reply = 128;

/// The text of a reply as the server parses it.
struct parsed_reply {
    /// The text without its tool calls, as the server trims it.
    std::string content{};
    std::vector<tool_call> calls{};
};

/// The generated text of a reply, for the server to parse.
struct reply_to_parse {
    /// The messages that the reply answers.
    std::vector<chat_message> messages{};
    std::string_view text{};
    int slot = 0;
    /// If false, the server reuses none of the slot's cache.
    bool reuse_cache = true;
    /// The model's end token.
    std::optional<token_id> end_token{};
};

/// The beginning of a call, up to the name of its function.
struct begun_call {
    /// The messages that the reply answers.
    std::vector<chat_message> messages{};
    /// The text with which the call begins; see server::template_marks.
    std::string lead{};
    int slot = 0;
    bool reuse_cache = true;  ///< as in reply_to_parse
};

/// Maximum number of tokens of a call that the server generates under its grammar for the tools.
inline constexpr int max_forced_tokens = 2048;
/// POST /v1/chat/completions that continues the call `c` under the server's grammar for the tools,
/// and parses the calls. The answer has the same format as the answer to parse_reply_body().
std::string forced_call_body(const begun_call& c, const generation_options& o);

/// POST /v1/chat/completions with max_tokens 0: the server parses the text by its chat template. On
/// the slot that holds the text, the server still evaluates one token and samples one. The sampled
/// token would become a part of the text, so the request forces it to be the model's end token.
/// Uses the tools, template options and adapters of `o`.
std::string parse_reply_body(const reply_to_parse& r, const generation_options& o);
/// For an incomplete call, the server returns the arguments so far. If these are not a JSON object,
/// the error is errc::invalid_tool_call.
error_code decode_parsed_reply(response_view a, parsed_reply& out, diagnostics& diag);
/// Like decode_parsed_reply(), for the answer to forced_call_body(). If the token limit cut off a
/// call, the error is errc::invalid_tool_call, even if the server completed its JSON.
error_code decode_forced_reply(response_view a, parsed_reply& out, diagnostics& diag);

/// GET /lora-adapters.
error_code decode_adapters(response_view a, std::vector<server_adapter>& out, diagnostics& diag);
/// POST /lora-adapters, and `lora` of a completion. Adapters missing from the list are off. The
/// server silently ignores unknown ids.
std::string encode_adapter_list(std::span<const adapter_scale> adapters);
error_code decode_set_adapters_answer(response_view a, diagnostics& diag);

/// POST this path without a body to clear a slot's cache.
std::string slot_erase_path(int slot);
/// `erased` receives the number of erased tokens.
error_code decode_slot_erased(response_view a, int& erased, diagnostics& diag);

/// POST these paths with `slot_file_body()` to save a slot's contents to a file on the server, and
/// to restore it. See check_slot_file_name().
std::string slot_save_path(int slot);
std::string slot_restore_path(int slot);
std::string slot_file_body(std::string_view file);
error_code decode_slot_saved(response_view a, slot_file_result& out, diagnostics& diag);
error_code decode_slot_restored(response_view a, slot_file_result& out, diagnostics& diag);

}  // namespace tandem::wire
