#pragma once

#include "tandem/config.hpp"
#include "tandem/conversation.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/detail/async_call.hpp"
#include "tandem/service_config.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

namespace detail {
class service_core;
}  // namespace detail

/// Conversations over a list of llama-servers. A conversation is pinned to a server and leases
/// slots there while it generates; it finds them again by their content. Turns without a slot wait
/// in order, at most `server.queue_limit` for each server, and at most `server.queue_timeout`. If
/// its server is down or removed, a conversation moves to another one with its next turn.
///
/// Thread safety, lifetime and execution context: as for `client`. Destroying the service ends its
/// conversations and their replies with errc::client_destroyed.
class service {
 public:
    /// Throws config_error, which lists every error of the configuration.
    service(boost::asio::any_io_executor executor, service_config c);
    service(service&&) noexcept;
    service& operator=(service&&) noexcept;
    ~service();

    /// Creates a conversation. Nothing is sent before its first turn. The options default to
    /// `service_config::conversation`; throws config_error if they are invalid.
    conversation create();
    conversation create(conversation_options options);
    /// Creates a conversation that prefers the server `near`, as in reply_result::servers, where a
    /// slot may still hold its text. It starts elsewhere if that server is down or not listed, or
    /// has no free slot while another one has.
    conversation create(conversation_options options, std::string near);
    /// Restores a conversation, with its options, from the text of conversation::async_save(). If
    /// `json` is invalid, returns nothing, with invalid_config in `ec` and the reason in `diag`;
    /// otherwise clears `ec`. Throws only std::bad_alloc.
    std::optional<conversation> load(std::string_view json, error_code& ec,
                                     diagnostics* diag = nullptr);

    // The list of servers may change while conversations run. An invalid URL throws config_error.
    /// A server that is listed already, or is being removed, stays in use.
    void add_server(std::string url);
    /// No further turn starts there; running replies finish. After `limit`, they continue on
    /// another server, or end with server_gone if they cannot.
    void remove_server(std::string url, duration limit = std::chrono::minutes(1));
    /// Makes this the list of servers, with a minute for the replies of removed ones. Conversations
    /// stay.
    void reload(std::vector<std::string> urls);

    /// Handler signature: `void(error_code, std::vector<server_status>)`; error: client_destroyed.
    template <class CompletionToken>
    auto async_servers(CompletionToken&& token, diagnostics* diag = nullptr) {
        return detail::async_call<std::vector<server_status>>(get_executor(), &service::ask_servers,
                                                              token, diag, detail::used(core_));
    }

    /// The service's strand; see client::get_executor().
    boost::asio::any_io_executor get_executor() const noexcept;

 private:
    using core = std::shared_ptr<detail::service_core>;
    static void ask_servers(core c,
                            std::shared_ptr<detail::pending_call<std::vector<server_status>>> call);

    core core_;
};

}  // namespace tandem
