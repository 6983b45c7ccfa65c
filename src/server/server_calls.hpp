#pragma once

#include "base/failure.hpp"
#include "server/call_runner.hpp"
#include "wire/calls/server_messages.hpp"

#include "tandem/server.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::server {

/// Typed calls to a llama-server other than /completion. Each handler is called once. The functions
/// return the id of the call, or no_call if nothing was sent. Not thread-safe.
class server_calls {
 public:
    template <class... Results>
    using handler = std::function<void(error_code, const diagnostics&, Results...)>;

    server_calls(boost::asio::any_io_executor executor, transport::http_transport& transport,
                 duration timeout)
        : timeout_(timeout), runner_(std::move(executor), transport, timeout) {}

    call_id props(handler<server_props> done);
    call_id slots(handler<std::vector<slot_state>> done);
    /// A server that does not answer within 2 s is considered unable to serve.
    call_id health(handler<> done);
    /// Checks that the server is a llama-server that accepts our key: GET /props, with the time
    /// limit of health().
    call_id verify_server_and_key(handler<> done);
    /// Tokenizes a prompt: parses special tokens and adds BOS. If the text is not valid UTF-8, this
    /// call and those below report invalid_prompt, and send nothing.
    call_id tokenize(std::string_view text, handler<std::vector<std::int32_t>> done);
    /// Tokenizes the part of a prompt whose ids are unknown: the whole prompt, or, with
    /// `follows_ids`, the text after known ids, to which no BOS is added.
    call_id tokenize_prompt_rest(std::string_view text, bool follows_ids,
                                 handler<std::vector<std::int32_t>> done);
    /// Tokenizes each text separately; `separator` follows each one.
    call_id tokenize_pieces(const std::vector<std::string>& texts, std::int32_t separator,
                            bool parse_special, handler<std::vector<std::int32_t>> done);
    /// The text of the ids, including special tokens.
    call_id detokenize(std::span<const std::int32_t> ids, handler<std::string> done);
    /// Uses the tools and template options of `o`.
    call_id apply_template(const std::vector<chat_message>& messages, const generation_options& o,
                           handler<std::string> done);
    /// Parses the text of a reply on its slot; see wire::parse_reply_body(). May take as long as
    /// `limit`, because the server may evaluate the whole text.
    call_id parse_reply(const wire::reply_to_parse& r, const generation_options& o, duration limit,
                        handler<wire::parsed_reply> done);
    /// Lets the server complete and parse a call, under its grammar for the tools; `limit` is for
    /// both.
    call_id force_call(const wire::begun_call& c, const generation_options& o, duration limit,
                       handler<wire::parsed_reply> done);
    call_id erase_slot(int slot, handler<> done);
    /// If wire::check_slot_file_name() rejects the name, the error is bad_request, and nothing is
    /// sent.
    call_id save_slot(int slot, std::string_view file, handler<slot_file_result> done);
    call_id restore_slot(int slot, std::string_view file, handler<slot_file_result> done);

    call_id adapters(handler<std::vector<server_adapter>> done);
    call_id set_adapters(std::span<const adapter_scale> adapters, handler<> done);

    /// Ends one call with `ec` if it is running.
    void cancel(call_id id, error_code ec) { runner_.cancel(id, ec); }
    /// Ends all calls with `ec`.
    void cancel(error_code ec) { runner_.cancel(ec); }

 private:
    // If anything is wrong, passes the reason to `done`, and sends nothing.
    template <class Handler>
    static bool reject_invalid(const std::optional<failure>& bad, const Handler& done);
    template <class... Results, class Decode>
    call_id call(transport::http_request request, Decode decode, handler<Results...> done,
                 std::optional<duration> limit = {});
    call_id tokenize_body(std::string body, handler<std::vector<std::int32_t>> done);

    duration timeout_;
    call_runner runner_;
};

}  // namespace tandem::server
