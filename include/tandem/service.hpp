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

/// Conversations over a list of llama-servers. A conversation is pinned to a server, and leases
/// slots there while it generates; it finds them again by what they hold. Turns that find no slot
/// wait in their order, at most `server.queue_limit` of them for each server and
/// `server.queue_timeout` long. One whose server is down or was removed goes to another one with
/// its next turn.
///
/// Thread-safety, lifetime and execution context: as for `client`. Destroying the service ends its
/// conversations and their replies with errc::client_destroyed.
class service {
 public:
    /// Throws config_error, which names every fault of the configuration.
    service(boost::asio::any_io_executor executor, service_config c);
    service(service&&) noexcept;
    service& operator=(service&&) noexcept;
    ~service();

    /// Nothing is sent before the first turn. The options default to
    /// `service_config::conversation`; throws config_error if they cannot work.
    conversation create();
    conversation create(conversation_options options);
    /// One that goes on where another one was, `near` as reply_result::servers has it: a slot there
    /// may still hold its text. It begins elsewhere where that server is away or not in the list,
    /// or has no slot free while another one has.
    conversation create(conversation_options options, std::string near);
    /// A conversation from what conversation::async_save() gave, with the options that were saved.
    /// Nothing if `json` is not that, with invalid_config in `ec` and the reason in `diag`; else
    /// `ec` is cleared. Never throws but for lack of memory.
    std::optional<conversation> load(std::string_view json, error_code& ec,
                                     diagnostics* diag = nullptr);

    // The list of servers may change while conversations run. A URL that cannot work throws
    // config_error.
    /// One that is there already, or is being removed, is used on.
    void add_server(std::string url);
    /// No turn starts there any more; replies that run are finished. What takes longer than `limit`
    /// goes on at another server, and ends with server_gone if it cannot.
    void remove_server(std::string url, duration limit = std::chrono::minutes(1));
    /// Adds and removes so that the list is this one, with a minute for replies at those that go.
    /// Conversations stay.
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
