#pragma once

#include "tandem/config.hpp"
#include "tandem/detail/assert_not_moved_from.hpp"
#include "tandem/detail/async_call.hpp"
#include "tandem/detail/cancellation.hpp"
#include "tandem/error.hpp"
#include "tandem/instruments.hpp"
#include "tandem/message_list.hpp"
#include "tandem/reply.hpp"
#include "tandem/server.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {
inline namespace v0 {

class client;

}  // namespace v0
}  // namespace tandem

namespace tandem::detail {
class server_link;
struct slot_defaults;
client make_client(const boost::asio::any_io_executor&, config, instruments, const slot_defaults&);
}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

/// The LLM stage of a voice bot, on one llama-server.
///
/// The last argument of an asynchronous function is a completion token. A `diagnostics` may precede
/// the token: the function empties this object, and an error writes its explanation to it.
/// `with_diagnostics()` turns errors into exceptions.
///
/// Object lifetimes: destroying the client ends its replies and calls with errc::client_destroyed.
/// Nothing is sent before the first call. A moved-from client may only be assigned to or destroyed.
/// A `diagnostics` must live until its call completes. When the executor's context (the io_context)
/// is destroyed, connections are closed and waiting handlers are destroyed without being called, as
/// with Asio's own objects. The client may outlive the context; it then calls no handlers, and its
/// get_executor() is empty. No thread may use the client or its replies while the context is being
/// destroyed.
///
/// Executor: the library works on a strand that it makes from the constructor's executor. A handler
/// is posted to its associated executor, by default that strand. The function that starts the
/// operation never calls the handler, so the handler's associated immediate executor is not used.
/// Memory comes from the handler's associated allocator, and is released before the handler is
/// called.
///
/// Cancellation: per operation, with Boost 1.77 or newer. The call completes with
/// boost::asio::error::operation_aborted. Its request is cut, unless it is one of async_prepare(),
/// because replies may be waiting for the answer. Types: terminal, partial and total. Total
/// cancellation promises that nothing has changed, so calls that change a slot, a file or the
/// adapters ignore it: the server may have received the request.
///
/// Time limits: all operations accept `cancel_after(5s, token)` of Boost 1.86. If several threads
/// run the io_context, start an operation with a time limit on its handler's executor. Once the
/// context is gone, starting such an operation throws boost::asio::execution::bad_executor.
///
/// Errors of all calls: invalid_prompt (text that is not valid UTF-8), resolve_failed,
/// connect_failed, connect_timeout, tls_failed, request_timeout, stream_incomplete, unauthorized,
/// model_loading, bad_request, not_supported, server_error, bad_response, response_too_large,
/// client_destroyed.
///
/// Thread safety: all functions may be called from any thread. The work is done on a strand of the
/// executor, so the io_context may have several threads.
class client {
 public:
    /// The type of the strand.
    using executor_type = boost::asio::any_io_executor;

    /// Throws config_error, which lists every error of the configuration.
    client(executor_type executor, config c, instruments i = {});
    client(client&&) noexcept;
    client& operator=(client&&) noexcept;
    ~client();

    /// Starts a reply to a raw prompt. The prompt must already contain what the chat template adds;
    /// see async_apply_template(). The options default to `config::generation`. Errors are reported
    /// at the reply's end (reply_result::error): invalid_config if the options are invalid, the
    /// errors of all calls (see above), and prompt_too_long, queue_full, queue_timeout,
    /// first_token_timeout, between_tokens_timeout, continue_timeout, reply_timeout, circuit_open.
    /// docs/failures.md lists the errors after which a reply continues.
    reply start(std::string prompt);
    reply start(std::string prompt, generation_options options);

    /// Requests the properties that the first reply needs (slots, context size), so that this reply
    /// starts sooner and an incorrect setup is reported early. Handler signature: `void(error_code,
    /// server_props)`.
    template <class CompletionToken>
    auto async_prepare(CompletionToken&& token) {
        return call<CompletionToken, server_props>(&client::prepare, nullptr, token);
    }
    template <class CompletionToken>
    auto async_prepare(diagnostics& diag, CompletionToken&& token) {
        return call<CompletionToken, server_props>(&client::prepare, &diag, token);
    }

    /// GET /props. Handler signature: `void(error_code, server_props)`.
    template <class CompletionToken>
    auto async_props(CompletionToken&& token) {
        return call<CompletionToken, server_props>(&client::props, nullptr, token);
    }
    template <class CompletionToken>
    auto async_props(diagnostics& diag, CompletionToken&& token) {
        return call<CompletionToken, server_props>(&client::props, &diag, token);
    }

    /// GET /slots. Handler signature: `void(error_code, std::vector<slot_state>)`.
    template <class CompletionToken>
    auto async_slots(CompletionToken&& token) {
        return call<CompletionToken, std::vector<slot_state>>(&client::slots, nullptr, token);
    }
    template <class CompletionToken>
    auto async_slots(diagnostics& diag, CompletionToken&& token) {
        return call<CompletionToken, std::vector<slot_state>>(&client::slots, &diag, token);
    }

    /// GET /health. The server is ready if there is no error. Handler signature:
    /// `void(error_code)`.
    template <class CompletionToken>
    auto async_health(CompletionToken&& token) {
        return call<CompletionToken>(&client::health, nullptr, token);
    }
    template <class CompletionToken>
    auto async_health(diagnostics& diag, CompletionToken&& token) {
        return call<CompletionToken>(&client::health, &diag, token);
    }

    /// POST /tokenize: the tokens of `text`, with special tokens parsed and BOS added, as in a
    /// prompt. Handler signature: `void(error_code, std::vector<std::int32_t>)`.
    template <class CompletionToken>
    auto async_tokenize(std::string text, CompletionToken&& token) {
        return call<CompletionToken, std::vector<std::int32_t>>(&client::tokenize, nullptr, token,
                                                                std::move(text));
    }
    template <class CompletionToken>
    auto async_tokenize(std::string text, diagnostics& diag, CompletionToken&& token) {
        return call<CompletionToken, std::vector<std::int32_t>>(&client::tokenize, &diag, token,
                                                                std::move(text));
    }

    /// POST /apply-template: the prompt for these messages. Handler signature:
    /// `void(error_code, std::string)`.
    template <class CompletionToken>
    auto async_apply_template(message_list messages, CompletionToken&& token) {
        return call<CompletionToken, std::string>(&client::apply_template, nullptr, token,
                                                  std::move(messages).take());
    }
    template <class CompletionToken>
    auto async_apply_template(message_list messages, diagnostics& diag, CompletionToken&& token) {
        return call<CompletionToken, std::string>(&client::apply_template, &diag, token,
                                                  std::move(messages).take());
    }

    /// POST /slots/{slot}?action=erase. The server needs --slot-save-path, and waits until the slot
    /// is idle. Handler signature: `void(error_code)`.
    template <class CompletionToken>
    auto async_erase_slot(int slot, CompletionToken&& token) {
        return change<CompletionToken>(&client::erase_slot, nullptr, token, slot);
    }
    template <class CompletionToken>
    auto async_erase_slot(int slot, diagnostics& diag, CompletionToken&& token) {
        return change<CompletionToken>(&client::erase_slot, &diag, token, slot);
    }

    /// POST /slots/{slot}?action=save: writes the slot's content to this file in the server's
    /// --slot-save-path, replacing an existing file. Without that path, the error is not_supported.
    /// The server waits until the slot is idle, up to `request_timeout`. Make one call at a time:
    /// the server postpones a second call for the same slot until it has finished a request on some
    /// slot. It silently takes a slot number modulo its number of slots. `file` must have 1 to 128
    /// characters of [A-Za-z0-9._-] and not start with '.'; otherwise the error is bad_request, and
    /// nothing is sent. Handler signature: `void(error_code, slot_file_result)`.
    template <class CompletionToken>
    auto async_save_slot(int slot, std::string file, CompletionToken&& token) {
        return change<CompletionToken, slot_file_result>(&client::save_slot, nullptr, token, slot,
                                                         std::move(file));
    }
    template <class CompletionToken>
    auto async_save_slot(int slot, std::string file, diagnostics& diag, CompletionToken&& token) {
        return change<CompletionToken, slot_file_result>(&client::save_slot, &diag, token, slot,
                                                         std::move(file));
    }

    /// POST /slots/{slot}?action=restore: replaces the slot's content with that of the file;
    /// otherwise like async_save_slot(). If the file is missing or unusable, the error is
    /// bad_request, and the slot is emptied. Replies do not take restored content into account when
    /// they choose slots. Handler signature: `void(error_code, slot_file_result)`.
    template <class CompletionToken>
    auto async_restore_slot(int slot, std::string file, CompletionToken&& token) {
        return change<CompletionToken, slot_file_result>(&client::restore_slot, nullptr, token,
                                                         slot, std::move(file));
    }
    template <class CompletionToken>
    auto async_restore_slot(int slot, std::string file, diagnostics& diag,
                            CompletionToken&& token) {
        return change<CompletionToken, slot_file_result>(&client::restore_slot, &diag, token, slot,
                                                         std::move(file));
    }

    /// GET /lora-adapters: the adapters that the server was started with. Handler signature:
    /// `void(error_code, std::vector<server_adapter>)`.
    template <class CompletionToken>
    auto async_adapters(CompletionToken&& token) {
        return call<CompletionToken, std::vector<server_adapter>>(&client::adapters, nullptr,
                                                                  token);
    }
    template <class CompletionToken>
    auto async_adapters(diagnostics& diag, CompletionToken&& token) {
        return call<CompletionToken, std::vector<server_adapter>>(&client::adapters, &diag, token);
    }

    /// POST /lora-adapters: sets the scales for later requests that name no adapters. Adapters that
    /// are not listed are turned off. The server silently ignores unknown ids. Handler signature:
    /// `void(error_code)`. In a co_await, GCC 12 does not accept a braced list here: pass a named
    /// vector.
    template <class CompletionToken>
    auto async_set_adapters(std::vector<adapter_scale> adapters, CompletionToken&& token) {
        return change<CompletionToken>(&client::set_adapters, nullptr, token, std::move(adapters));
    }
    template <class CompletionToken>
    auto async_set_adapters(std::vector<adapter_scale> adapters, diagnostics& diag,
                            CompletionToken&& token) {
        return change<CompletionToken>(&client::set_adapters, &diag, token, std::move(adapters));
    }

    /// The client's strand, which runs the handlers that have no associated executor. A handler
    /// that blocks there delays every reply. Empty once the execution context is gone.
    executor_type get_executor() const noexcept;

 private:
    template <class... Results>
    using pending = std::shared_ptr<detail::pending_call<Results...>>;
    using link = detail::server_link;
    friend client detail::make_client(const executor_type&, config, instruments,
                                      const detail::slot_defaults&);

    explicit client(std::shared_ptr<link> c) noexcept;

    template <class CompletionToken, class... Results, class Function, class... Args>
    auto call(Function function, diagnostics* diag, std::remove_reference_t<CompletionToken>& token,
              Args... args) {
        return detail::async_call<detail::side_effects::none, CompletionToken, Results...>(
            function, diag, token, detail::assert_not_moved_from(link_), std::move(args)...);
    }
    template <class CompletionToken, class... Results, class Function, class... Args>
    auto change(Function function, diagnostics* diag,
                std::remove_reference_t<CompletionToken>& token, Args... args) {
        return detail::async_call<detail::side_effects::possible, CompletionToken, Results...>(
            function, diag, token, detail::assert_not_moved_from(link_), std::move(args)...);
    }

    static void prepare(std::shared_ptr<link>, pending<server_props>);
    static void props(std::shared_ptr<link>, pending<server_props>);
    static void slots(std::shared_ptr<link>, pending<std::vector<slot_state>>);
    static void health(std::shared_ptr<link>, pending<>);
    static void tokenize(std::shared_ptr<link>, pending<std::vector<std::int32_t>>, std::string);
    static void apply_template(std::shared_ptr<link>, pending<std::string>,
                               std::vector<chat_message>);
    static void erase_slot(std::shared_ptr<link>, pending<>, int slot);
    static void save_slot(std::shared_ptr<link>, pending<slot_file_result>, int slot, std::string);
    static void restore_slot(std::shared_ptr<link>, pending<slot_file_result>, int slot,
                             std::string);
    static void adapters(std::shared_ptr<link>, pending<std::vector<server_adapter>>);
    static void set_adapters(std::shared_ptr<link>, pending<>, std::vector<adapter_scale>);

    std::shared_ptr<link> link_;
};

}  // namespace v0
}  // namespace tandem
