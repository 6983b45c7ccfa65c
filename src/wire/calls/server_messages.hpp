#pragma once

#include "wire/json/token_event.hpp"

#include "tandem/config.hpp"
#include "tandem/error.hpp"
#include "tandem/server.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Bodies of requests to llama-server other than /completion, and what its answers to them say.
// A decoder gives no error, and fills in `out`, or gives one and fills in `diag`.
namespace tandem::wire {

struct answer {
    int http_status = 0;
    std::string_view body;
};

/// GET /health.
error_code decode_health(answer a, diagnostics& diag);

/// GET /props. A router, which has no slots of its own, is errc::not_supported.
error_code decode_props(answer a, server_props& out, diagnostics& diag);

/// GET /slots.
error_code decode_slots(answer a, std::vector<slot_state>& out, diagnostics& diag);

/// POST /tokenize, as a prompt: special tokens are parsed, BOS is added. The text must be valid
/// UTF-8, as in all requests.
std::string tokenize_body(std::string_view text);
/// As the text that follows ids in a prompt: special tokens are parsed, no BOS is added. One that
/// starts with a special token has the ids that it has in the whole prompt.
std::string tokenize_tail_body(std::string_view text);
/// For each text alone, as plain text; `separator` follows each one's tokens in the answer.
std::string tokenize_pieces_body(std::span<const std::string> texts, token_id separator);
/// POST /detokenize.
std::string detokenize_body(std::span<const token_id> ids);
error_code decode_tokens(answer a, std::vector<token_id>& out, diagnostics& diag);

/// POST /apply-template, in the words of OpenAI's API.
/// `tools` is a list of functions as JSON, `template_options` an object; or empty.
std::string apply_template_body(std::span<const chat_message> messages, std::string_view tools = {},
                                std::string_view template_options = {});
error_code decode_prompt(answer a, std::string& out, diagnostics& diag);
/// Of /detokenize.
error_code decode_text(answer a, std::string& out, diagnostics& diag);

/// GET /lora-adapters.
error_code decode_adapters(answer a, std::vector<server_adapter>& out, diagnostics& diag);
/// POST /lora-adapters, and `lora` of a completion: those that are not in the list do not count.
/// Ids that the server does not have are ignored there silently.
std::string adapter_list(std::span<const adapter_scale> adapters);
error_code decode_adapters_set(answer a, diagnostics& diag);

/// POST this path, without a body, to empty a slot's cache.
std::string slot_erase_path(int slot);
/// `erased` is the number of tokens.
error_code decode_slot_erased(answer a, int& erased, diagnostics& diag);

/// POST these paths with `slot_file_body()`, to save what a slot holds as a file of the server and
/// to restore it. See refuse_file_name().
std::string slot_save_path(int slot);
std::string slot_restore_path(int slot);
std::string slot_file_body(std::string_view file);
error_code decode_slot_saved(answer a, slot_file_result& out, diagnostics& diag);
error_code decode_slot_restored(answer a, slot_file_result& out, diagnostics& diag);

}  // namespace tandem::wire
