#pragma once

#include "base/failure.hpp"
#include "server/call_runner.hpp"

#include "tandem/server.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::server {

/// The calls of a llama-server other than /completion, typed. Each handler is called once. The
/// functions give the name of the call, or no_call if nothing was sent. Not thread-safe.
class server_calls {
 public:
    template <class... Results>
    using handler = std::function<void(error_code, const diagnostics&, Results...)>;

    server_calls(boost::asio::any_io_executor executor, transport::http_transport& transport,
                 duration timeout)
        : runner_(std::move(executor), transport, timeout) {}

    call_id props(handler<server_props> done);
    call_id slots(handler<std::vector<slot_state>> done);
    /// A server that does not answer this within 2 s is in no state to serve.
    call_id health(handler<> done);
    /// Whether it is a llama-server that takes our key: GET /props, with the limit of health().
    call_id prove(handler<> done);
    /// As a prompt: special tokens are parsed, BOS is added. Text that is not valid UTF-8 is
    /// invalid_prompt here and below, and nothing is sent.
    call_id tokenize(std::string_view text, handler<std::vector<std::int32_t>> done);
    /// As the part of a prompt that is not known: the whole, or, with `follows_ids`, what stands
    /// after known ids, to which no BOS is added.
    call_id tokenize_unknown(std::string_view text, bool follows_ids,
                             handler<std::vector<std::int32_t>> done);
    /// Each text alone and as plain text, each followed by `separator`.
    call_id tokenize_pieces(const std::vector<std::string>& texts, std::int32_t separator,
                            handler<std::vector<std::int32_t>> done);
    /// What the ids say, special tokens included.
    call_id detokenize(std::span<const std::int32_t> ids, handler<std::string> done);
    /// With the tools and the template's own options of `o`.
    call_id apply_template(const std::vector<chat_message>& messages, const generation_options& o,
                           handler<std::string> done);
    call_id erase_slot(int slot, handler<> done);
    /// A name that wire::refuse_file_name() refuses is bad_request, and nothing is sent.
    call_id save_slot(int slot, std::string_view file, handler<slot_file_result> done);
    call_id restore_slot(int slot, std::string_view file, handler<slot_file_result> done);

    call_id adapters(handler<std::vector<server_adapter>> done);
    call_id set_adapters(std::span<const adapter_scale> adapters, handler<> done);

    /// Ends one call with `ec`, if it runs.
    void cancel(call_id id, error_code ec) { runner_.cancel(id, ec); }
    /// Ends all calls with `ec`.
    void cancel(error_code ec) { runner_.cancel(ec); }

 private:
    // Tells `done` why nothing is sent, if anything is wrong.
    template <class Handler>
    static bool refused(const std::optional<failure>& bad, const Handler& done);
    template <class... Results, class Decode>
    call_id call(transport::http_request request, Decode decode, handler<Results...> done,
                 std::optional<duration> at_most = {});
    call_id tokenize_body(std::string body, handler<std::vector<std::int32_t>> done);

    call_runner runner_;
};

}  // namespace tandem::server
