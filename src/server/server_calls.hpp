#pragma once

#include "server/call_runner.hpp"

#include "tandem/server.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::server {

/// The calls of a llama-server other than /completion, typed. Each handler is called once. Not
/// thread-safe.
class server_calls {
 public:
    template <class... Results>
    using handler = std::function<void(error_code, const diagnostics&, Results...)>;

    server_calls(boost::asio::any_io_executor executor, transport::http_transport& transport,
                 duration timeout)
        : runner_(std::move(executor), transport, timeout) {}

    void props(handler<server_props> done);
    void slots(handler<std::vector<slot_state>> done);
    void health(handler<> done);
    /// As a prompt: special tokens are parsed, BOS is added. Text that is not valid UTF-8 is
    /// invalid_prompt here and below, and nothing is sent.
    void tokenize(std::string_view text, handler<std::vector<std::int32_t>> done);
    /// Each text alone and as plain text, each followed by `separator`.
    void tokenize_pieces(const std::vector<std::string>& texts, std::int32_t separator,
                         handler<std::vector<std::int32_t>> done);
    void apply_template(const std::vector<chat_message>& messages, handler<std::string> done);
    void erase_slot(int slot, handler<> done);

    /// Ends all calls with `ec`.
    void cancel(error_code ec) { runner_.cancel(ec); }

 private:
    // Tells `done` what is wrong with the text, if anything is.
    template <class Handler>
    static bool refuse(std::string_view what, std::string_view text, const Handler& done);
    template <class Result, class Decode>
    void call(transport::http_request request, Decode decode, handler<Result> done);
    void tokenize_body(std::string body, handler<std::vector<std::int32_t>> done);

    call_runner runner_;
};

}  // namespace tandem::server
