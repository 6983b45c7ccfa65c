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
/// Thread-safety: all functions may be called from any thread; the work is done on a strand of the
/// executor, so an io_context with several threads is fine.
/// Lifetime: destroying the client ends its replies and calls with errc::client_destroyed.
/// Nothing is sent before the first call. A client that was moved from may only be assigned to or
/// destroyed.
/// When the executor's context (the io_context) is destroyed, connections are closed and handlers
/// that wait are destroyed without being called, as with Asio's own objects; so a coroutine that
/// owns its client goes with the context. The client may outlive the context and does nothing more
/// then: no handler is called, and get_executor() is empty. No thread may use the client or its
/// replies while the context is being destroyed.
///
/// The calls take a completion token last but one, and optionally the address of a `diagnostics`
/// that must live until completion; it tells in words what the error code means. Errors of all
/// calls: invalid_prompt (text that is not valid UTF-8), resolve_failed, connect_failed,
/// connect_timeout, tls_failed, request_timeout, stream_incomplete, unauthorized, model_loading,
/// bad_request, not_supported, server_error, bad_response, response_too_large, client_destroyed;
/// boost::asio::error::operation_aborted, with `diagnostics` left alone, if the call was cancelled
/// (per-operation cancellation, Boost 1.77 or newer, all cancellation types). The request is cut
/// then, but for async_prepare(), whose answer replies may wait for too; the server may have got it
/// nevertheless, which matters only for the calls that change a slot or a file.
class client {
 public:
    /// Throws config_error, which names every fault of the configuration.
    client(boost::asio::any_io_executor executor, config c);
    client(client&&) noexcept;
    client& operator=(client&&) noexcept;
    ~client();

    /// Starts a reply to a raw prompt (with the chat template applied; see async_apply_template()).
    /// The options default to `config::generation`. What is wrong is told by the reply's end
    /// (reply_result::error): invalid_config if the options cannot work, the errors of all calls as
    /// above, and prompt_too_long, queue_full, queue_timeout, first_token_timeout,
    /// between_tokens_timeout, continue_timeout, reply_timeout, circuit_open. docs/failures.md says
    /// which of them the reply goes on after.
    reply start(std::string prompt);
    reply start(std::string prompt, generation_options options);

    /// Asks the server what the first reply asks it anyway (slots, context size), so that the first
    /// reply starts sooner and a wrong set-up shows early.
    /// Handler signature: `void(error_code, server_props)`.
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

    /// GET /health; without an error the server is ready. Handler signature: `void(error_code)`.
    template <class CompletionToken>
    auto async_health(CompletionToken&& token, diagnostics* diag = nullptr) {
        return call<>(&client::health, token, diag);
    }

    /// POST /tokenize, special tokens parsed and BOS added as for a prompt.
    /// Handler signature: `void(error_code, std::vector<std::int32_t>)`.
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

    /// POST /slots/{slot}?action=erase; the server needs --slot-save-path, and waits until the slot
    /// is idle. Handler signature: `void(error_code)`.
    template <class CompletionToken>
    auto async_erase_slot(int slot, CompletionToken&& token, diagnostics* diag = nullptr) {
        return call<>(&client::erase_slot, token, diag, slot);
    }

    /// POST /slots/{slot}?action=save: what the slot holds becomes this file in the server's
    /// --slot-save-path (not_supported without one), in place of a file of that name. The server
    /// waits until the slot is idle; `request_timeout` bounds that. Ask one thing at a time: a
    /// second call that waits for the same slot waits until one more request has ended. A slot that
    /// the server does not have is wrapped there without a word. `file` is 1 to 128 of
    /// [A-Za-z0-9._-], not starting with '.'; else bad_request, and nothing is sent. Handler
    /// signature: `void(error_code, slot_file_result)`.
    template <class CompletionToken>
    auto async_save_slot(int slot, std::string file, CompletionToken&& token,
                         diagnostics* diag = nullptr) {
        return call<slot_file_result>(&client::save_slot, token, diag, slot, std::move(file));
    }

    /// POST /slots/{slot}?action=restore: the slot holds what that file says, and nothing else; the
    /// rest is as for async_save_slot(). A file that is missing or of no use is bad_request, and
    /// empties the slot. Replies choose their slots without knowing of this.
    /// Handler signature: `void(error_code, slot_file_result)`.
    template <class CompletionToken>
    auto async_restore_slot(int slot, std::string file, CompletionToken&& token,
                            diagnostics* diag = nullptr) {
        return call<slot_file_result>(&client::restore_slot, token, diag, slot, std::move(file));
    }

    /// GET /lora-adapters: those that the server was started with.
    /// Handler signature: `void(error_code, std::vector<server_adapter>)`.
    template <class CompletionToken>
    auto async_adapters(CompletionToken&& token, diagnostics* diag = nullptr) {
        return call<std::vector<server_adapter>>(&client::adapters, token, diag);
    }

    /// POST /lora-adapters: how much they count from now on for requests that name none; those that
    /// are not in the list do not count. Requests that run are not touched. An id that the server
    /// does not have is passed over there without a word. Handler signature: `void(error_code)`.
    /// In a co_await, GCC 12 accepts no list in braces here: pass a vector that has a name.
    template <class CompletionToken>
    auto async_set_adapters(std::vector<adapter_scale> adapters, CompletionToken&& token,
                            diagnostics* diag = nullptr) {
        return call<>(&client::set_adapters, token, diag, std::move(adapters));
    }

    /// The client's strand, on which handlers without an executor of their own run: one that blocks
    /// there holds up every reply.
    boost::asio::any_io_executor get_executor() const noexcept;

 private:
    template <class... Results>
    using pending = std::shared_ptr<detail::pending_call<Results...>>;
    using core = detail::client_core;
    friend client detail::make_client(const boost::asio::any_io_executor&, config,
                                      const detail::slot_defaults&);

    explicit client(std::shared_ptr<core> c) noexcept;

    // Hands the erased handler to the compiled part.
    template <class... Results, class Function, class CompletionToken, class... Args>
    auto call(Function function, CompletionToken& token, diagnostics* diag, Args... args) {
        return boost::asio::async_initiate<CompletionToken, void(error_code, Results...)>(
            [](auto handler, Function f, std::shared_ptr<core> c, diagnostics* d, auto... a) {
                const auto executor = executor_of(*c);
                // Without its execution context the client can tell nothing, as its calls cannot.
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
    // On the strand: `abort` completes the call and tells its request, which is cut.
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
