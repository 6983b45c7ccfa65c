#pragma once

#include "tandem/config.hpp"
#include "tandem/detail/pending_call.hpp"
#include "tandem/detail/used.hpp"
#include "tandem/error.hpp"
#include "tandem/message_list.hpp"
#include "tandem/reply.hpp"
#include "tandem/server.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/version.hpp>

#if BOOST_VERSION >= 107700
#include <boost/asio/associated_cancellation_slot.hpp>
#endif

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

class client;

namespace detail {
class client_core;
struct slot_defaults;
client make_client(const boost::asio::any_io_executor&, config, const slot_defaults&);
}  // namespace detail

/// The LLM stage in front of one llama-server.
///
/// Thread safety: all functions may be called from any thread. The work is done on a strand of the
/// executor, so the io_context may have several threads.
///
/// Lifetime: destroying the client ends its replies and calls with errc::client_destroyed. Nothing
/// is sent before the first call. A moved-from client may only be assigned to or destroyed. When
/// the executor's context (the io_context) is destroyed, connections are closed and waiting
/// handlers are destroyed without being called, as with Asio's own objects. The client may outlive
/// the context; no handler is called then, and get_executor() is empty. No thread may use the
/// client or its replies while the context is being destroyed.
///
/// Each call takes a completion token and, optionally, the address of a `diagnostics`, which must
/// live until completion and receives an explanation of the error. Errors of all calls:
/// invalid_prompt (text that is not valid UTF-8), resolve_failed, connect_failed, connect_timeout,
/// tls_failed, request_timeout, stream_incomplete, unauthorized, model_loading, bad_request,
/// not_supported, server_error, bad_response, response_too_large, client_destroyed;
/// boost::asio::error::operation_aborted, with `diagnostics` unchanged, if the call was cancelled
/// (per-operation cancellation, Boost 1.77 or newer, all cancellation types). Cancellation cuts the
/// request, except that of async_prepare(), for which replies may wait as well. The server may have
/// received it already, which matters only for calls that change a slot or a file.
class client {
 public:
    /// Throws config_error, which lists every error of the configuration.
    client(boost::asio::any_io_executor executor, config c);
    client(client&&) noexcept;
    client& operator=(client&&) noexcept;
    ~client();

    /// Starts a reply to a raw prompt (with the chat template applied; see async_apply_template()).
    /// The options default to `config::generation`. Errors are reported at the reply's end
    /// (reply_result::error): invalid_config if the options are invalid, the errors of all calls as
    /// above, and prompt_too_long, queue_full, queue_timeout, first_token_timeout,
    /// between_tokens_timeout, continue_timeout, reply_timeout, circuit_open. docs/failures.md
    /// lists those after which the reply continues.
    reply start(std::string prompt);
    reply start(std::string prompt, generation_options options);

    /// Requests what the first reply needs (slots, context size), so that it starts sooner and an
    /// incorrect setup shows early. Handler signature: `void(error_code, server_props)`.
    template <class CompletionToken>
    auto async_prepare(CompletionToken&& token, diagnostics* diag = nullptr) {
        return call<server_props>(&client::prepare, token, diag);
    }

    /// GET /props. Handler signature: `void(error_code, server_props)`.
    template <class CompletionToken>
    auto async_props(CompletionToken&& token, diagnostics* diag = nullptr) {
        return call<server_props>(&client::props, token, diag);
    }

    /// GET /slots. Handler signature: `void(error_code, std::vector<slot_state>)`.
    template <class CompletionToken>
    auto async_slots(CompletionToken&& token, diagnostics* diag = nullptr) {
        return call<std::vector<slot_state>>(&client::slots, token, diag);
    }

    /// GET /health. The server is ready if there is no error. Handler signature:
    /// `void(error_code)`.
    template <class CompletionToken>
    auto async_health(CompletionToken&& token, diagnostics* diag = nullptr) {
        return call<>(&client::health, token, diag);
    }

    /// POST /tokenize, with special tokens parsed and BOS added as for a prompt. Handler signature:
    /// `void(error_code, std::vector<std::int32_t>)`.
    template <class CompletionToken>
    auto async_tokenize(std::string text, CompletionToken&& token, diagnostics* diag = nullptr) {
        return call<std::vector<std::int32_t>>(&client::tokenize, token, diag, std::move(text));
    }

    /// POST /apply-template: the prompt for these messages. Handler signature:
    /// `void(error_code, std::string)`.
    template <class CompletionToken>
    auto async_apply_template(message_list messages, CompletionToken&& token,
                              diagnostics* diag = nullptr) {
        return call<std::string>(&client::apply_template, token, diag, std::move(messages).take());
    }

    /// POST /slots/{slot}?action=erase. The server needs --slot-save-path, and waits until the slot
    /// is idle. Handler signature: `void(error_code)`.
    template <class CompletionToken>
    auto async_erase_slot(int slot, CompletionToken&& token, diagnostics* diag = nullptr) {
        return call<>(&client::erase_slot, token, diag, slot);
    }

    /// POST /slots/{slot}?action=save: writes the slot's content to this file in the server's
    /// --slot-save-path (not_supported without one), replacing an existing file. The server waits
    /// until the slot is idle, up to `request_timeout`. Make one call at a time: a second one for
    /// the same slot waits until another request has ended. The server silently wraps the number of
    /// a slot that it does not have. `file` is 1 to 128 of [A-Za-z0-9._-], not starting with '.';
    /// otherwise the error is bad_request, and nothing is sent. Handler signature:
    /// `void(error_code, slot_file_result)`.
    template <class CompletionToken>
    auto async_save_slot(int slot, std::string file, CompletionToken&& token,
                         diagnostics* diag = nullptr) {
        return call<slot_file_result>(&client::save_slot, token, diag, slot, std::move(file));
    }

    /// POST /slots/{slot}?action=restore: replaces the slot's content with that of the file;
    /// otherwise as async_save_slot(). A missing or unusable file is bad_request, and empties the
    /// slot. Replies choose their slots without regard to this. Handler signature:
    /// `void(error_code, slot_file_result)`.
    template <class CompletionToken>
    auto async_restore_slot(int slot, std::string file, CompletionToken&& token,
                            diagnostics* diag = nullptr) {
        return call<slot_file_result>(&client::restore_slot, token, diag, slot, std::move(file));
    }

    /// GET /lora-adapters: the adapters that the server was started with. Handler signature:
    /// `void(error_code, std::vector<server_adapter>)`.
    template <class CompletionToken>
    auto async_adapters(CompletionToken&& token, diagnostics* diag = nullptr) {
        return call<std::vector<server_adapter>>(&client::adapters, token, diag);
    }

    /// POST /lora-adapters: sets the scales for requests that name no adapters. Adapters that are
    /// not listed are off. Running requests are unaffected, and the server silently ignores unknown
    /// ids. Handler signature: `void(error_code)`. In a co_await, GCC 12 does not accept a braced
    /// list here: pass a named vector.
    template <class CompletionToken>
    auto async_set_adapters(std::vector<adapter_scale> adapters, CompletionToken&& token,
                            diagnostics* diag = nullptr) {
        return call<>(&client::set_adapters, token, diag, std::move(adapters));
    }

    /// The client's strand, on which handlers without an executor of their own run. A handler that
    /// blocks there delays every reply.
    boost::asio::any_io_executor get_executor() const noexcept;

 private:
    template <class... Results>
    using pending = std::shared_ptr<detail::pending_call<Results...>>;
    using core = detail::client_core;
    friend client detail::make_client(const boost::asio::any_io_executor&, config,
                                      const detail::slot_defaults&);

    explicit client(std::shared_ptr<core> c) noexcept;

    // Passes the type-erased handler to the compiled part.
    template <class... Results, class Function, class CompletionToken, class... Args>
    auto call(Function function, CompletionToken& token, diagnostics* diag, Args... args) {
        return boost::asio::async_initiate<CompletionToken, void(error_code, Results...)>(
            [](auto handler, Function f, std::shared_ptr<core> c, diagnostics* d, auto... a) {
                const auto executor = executor_of(*c);
                // Without its execution context the client cannot complete anything.
                if (!executor) return;
                auto call = std::make_shared<detail::pending_call<Results...>>();
                call->diag = d;
                let_cancel(handler, c, call);
                call->handler = {std::move(handler), executor};
                f(std::move(c), std::move(call), std::move(a)...);
            },
            token, function, detail::used(core_), diag, std::move(args)...);
    }

    template <class Handler, class Call>
    static void let_cancel([[maybe_unused]] const Handler& handler,
                           [[maybe_unused]] const std::shared_ptr<core>& c,
                           [[maybe_unused]] const std::shared_ptr<Call>& call) {
#if BOOST_VERSION >= 107700
        auto slot = boost::asio::get_associated_cancellation_slot(handler);
        if (!slot.is_connected()) return;
        slot.assign(
            [c = std::weak_ptr(c), call = std::weak_ptr(call)](boost::asio::cancellation_type) {
                cancel_call(c, [call] {
                    const auto waiting = call.lock();
                    return waiting ? waiting->abort() : 0;
                });
            });
#endif
    }
    // On the strand: `abort` completes the call and returns its request, which is cut.
    static void cancel_call(const std::weak_ptr<core>& weak, std::function<std::uint64_t()> abort);

    static boost::asio::any_io_executor executor_of(const core& c);
    static void prepare(std::shared_ptr<core>, pending<server_props>);
    static void props(std::shared_ptr<core>, pending<server_props>);
    static void slots(std::shared_ptr<core>, pending<std::vector<slot_state>>);
    static void health(std::shared_ptr<core>, pending<>);
    static void tokenize(std::shared_ptr<core>, pending<std::vector<std::int32_t>>, std::string);
    static void apply_template(std::shared_ptr<core>, pending<std::string>,
                               std::vector<chat_message>);
    static void erase_slot(std::shared_ptr<core>, pending<>, int slot);
    static void save_slot(std::shared_ptr<core>, pending<slot_file_result>, int slot, std::string);
    static void restore_slot(std::shared_ptr<core>, pending<slot_file_result>, int slot,
                             std::string);
    static void adapters(std::shared_ptr<core>, pending<std::vector<server_adapter>>);
    static void set_adapters(std::shared_ptr<core>, pending<>, std::vector<adapter_scale>);

    std::shared_ptr<core> core_;
};

}  // namespace tandem
