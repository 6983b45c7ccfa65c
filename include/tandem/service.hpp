#pragma once

#include "tandem/config.hpp"
#include "tandem/conversation.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/detail/assert_not_moved_from.hpp"
#include "tandem/detail/async_call.hpp"
#include "tandem/detail/cancellation.hpp"
#include "tandem/error.hpp"
#include "tandem/instruments.hpp"
#include "tandem/service_config.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::detail {
class service_core;
}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

/// Runs conversations on a list of llama-servers. A conversation is pinned to a server, and shares
/// the server's slots with all other conversations there: the request whose listener runs out of
/// speech next goes first. If no slot is free, a turn waits: at most `limits.queue_limit` turns per
/// server, each for at most `limits.queue_timeout`. A conversation whose server is down or removed
/// moves to another server on its next turn.
///
/// Object lifetimes: destroying the service ends its conversations and their replies with
/// errc::client_destroyed. Otherwise as for `client`.
///
/// Executor, cancellation and thread safety: as for `client`.
class service {
 public:
    /// The type of the strand.
    using executor_type = boost::asio::any_io_executor;

    /// Throws config_error, which lists every error of the configuration.
    service(executor_type executor, service_config c, instruments i = {});
    service(service&&) noexcept;
    service& operator=(service&&) noexcept;
    ~service();

    /// Creates a conversation. Nothing is sent before its first turn. The options default to
    /// `service_config::conversation`; throws config_error if they are invalid.
    conversation create();
    conversation create(conversation_options options);
    /// Creates a conversation that prefers the server `near` (a URL as in reply_result::servers),
    /// where a slot may still hold its text. The conversation starts elsewhere if that server is
    /// down or not listed, or has no free slot while another server has one.
    conversation create(conversation_options options, std::string near);
    /// Creates a conversation whose messages continue those of `before`, a conversation of this
    /// service: its prompt starts with the token ids that the slot of `before` holds. The new
    /// conversation prefers the server of `before`, as it would prefer `near`. `before` may end at
    /// any time.
    conversation create(conversation_options options, const conversation& before);
    /// Restores a conversation, with its options, from the text of conversation::async_save(). If
    /// `json` is invalid, returns nothing, with invalid_config in `ec` and the reason in `diag`;
    /// otherwise clears `ec`. Throws only std::bad_alloc.
    std::optional<conversation> load(std::string_view json, error_code& ec);
    std::optional<conversation> load(std::string_view json, error_code& ec, diagnostics& diag);
    /// As above, with these options for the conversation's open turn, if it has one. That turn can
    /// be resumed as if it had just been interrupted: the model continues from the text that was
    /// handed over.
    std::optional<conversation> load(std::string_view json, const generation_options& options,
                                     error_code& ec, diagnostics& diag);

    // The list of servers may change while conversations run. An invalid URL throws config_error.
    /// Adds a server. A server that is already listed, or is being removed, stays in use.
    void add_server(std::string url);
    /// Removes a server: no further turn starts there, and running replies may finish. After
    /// `limit`, these replies continue on another server, or end with no_model if there is none, or
    /// with server_gone if they cannot continue.
    void remove_server(std::string url, duration limit = std::chrono::minutes(1));
    /// Replaces the list of servers. Replies on removed servers may run for another minute.
    /// Conversations are kept.
    void reload(std::vector<std::string> urls);

    /// Starts no more turns on this server until undrain_server() is called or the server is
    /// removed. Running replies finish there. The server stays in the list. Has no effect if it is
    /// not listed.
    void drain_server(std::string url);
    void undrain_server(std::string url);

    /// The state of each server. Handler signature: `void(error_code,
    /// std::vector<server_status>)`. Error: client_destroyed.
    template <class CompletionToken>
    auto async_servers(CompletionToken&& token) {
        return detail::async_call<detail::side_effects::none, CompletionToken,
                                  std::vector<server_status>>(&service::ask_servers, nullptr, token,
                                                              detail::assert_not_moved_from(core_));
    }
    template <class CompletionToken>
    auto async_servers(diagnostics& diag, CompletionToken&& token) {
        return detail::async_call<detail::side_effects::none, CompletionToken,
                                  std::vector<server_status>>(&service::ask_servers, &diag, token,
                                                              detail::assert_not_moved_from(core_));
    }

    /// The service's strand. Empty once the execution context is gone.
    executor_type get_executor() const noexcept;

 private:
    using core = std::shared_ptr<detail::service_core>;
    static void ask_servers(core c,
                            std::shared_ptr<detail::pending_call<std::vector<server_status>>> call);

    core core_;
};

}  // namespace v0
}  // namespace tandem
