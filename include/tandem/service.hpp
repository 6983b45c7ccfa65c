#pragma once

#include "tandem/config.hpp"
#include "tandem/conversation.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/detail/async_call.hpp"

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
}

/// Which server a conversation is pinned to.
enum class placement {
    round_robin,  ///< the next in the list
    least_busy,   ///< the one with the fewest conversations for each of its slots
};

std::string_view to_string(placement p) noexcept;

/// How many conversations share servers.
struct service_config {
    /// Their URLs, each once; empty = that of `server`.
    std::vector<std::string> servers{};
    /// All else that is to be known of them, the same for each: key, limits, pacing, chunks,
    /// generation. `slots` is for each server; 0 = all that it has, as here.
    config server{.slots = 0};
    tandem::placement placement = tandem::placement::least_busy;
    /// Slots that a conversation has for itself while it generates. 0 to 1024; 0 = two where slots
    /// have a reuse guard, else one, which keeps its cache best.
    int slots_per_conversation = 0;
    /// Where all slots are leased, a turn may take one that rests while its owner's voice speaks.
    /// That shortens waits on servers with too few slots, and costs the owner its cache.
    bool share_idle_slots = false;
    /// Servers are asked for /health so often, as long as there are conversations, and sooner after
    /// a failure. 100 ms to 1 h.
    duration health_interval = std::chrono::seconds(5);
    /// For conversations that bring no options of their own.
    conversation_options conversation{};
};

/// All faults of `c`; empty if it can be used.
std::vector<config_fault> check(const service_config& c);

/// What a service knows of one of its servers.
struct server_status {
    enum class health {
        unknown,  ///< not asked yet
        up,
        loading,  ///< its model
        down,
    };
    std::string url{};
    health state = health::unknown;
    /// It was removed, and finishes its replies.
    bool draining = false;
    /// Slots that are used; 0 if that is not known yet.
    int slots = 0;
    /// Pinned to it, of these those with a reply under way, and those that wait for a slot.
    int conversations = 0;
    int generating = 0;
    int waiting = 0;
    /// Why it is down, in words.
    std::string fault{};
};

std::string_view to_string(server_status::health h) noexcept;

/// Conversations over a list of llama-servers. A conversation is pinned to a server, and leases
/// slots there while it generates; it finds them again by what they hold. Turns that find no slot
/// wait in their order, at most `server.queue_limit` of them for each server and
/// `server.queue_timeout` long. One whose server is down or was removed goes to another one with
/// its next turn.
///
/// Thread-safety, lifetime and execution context: as for `client`. Everything works on one strand;
/// destroying the service ends its conversations and their replies with errc::client_destroyed.
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
    /// A conversation from what conversation::async_save() gave, with the options that were saved.
    /// Nothing, and the reason in `diag`, if `json` is not that.
    std::optional<conversation> load(std::string_view json, error_code& ec,
                                     diagnostics* diag = nullptr);

    // The list of servers may change while conversations run. A URL that cannot work throws
    // config_error.
    /// One that is there already, or is being removed, is used on.
    void add_server(std::string url);
    /// No turn starts there any more; replies that run are finished, but for those that take longer
    /// than `limit`, which end with server_gone.
    void remove_server(std::string url, duration limit = std::chrono::minutes(1));
    /// Adds and removes so that the list is this one. Conversations stay.
    void reload(std::vector<std::string> urls);

    /// Handler signature: `void(error_code, std::vector<server_status>)`; error: client_destroyed.
    template <class CompletionToken>
    auto async_servers(CompletionToken&& token, diagnostics* diag = nullptr) {
        return detail::async_call<std::vector<server_status>>(get_executor(), &service::ask_servers,
                                                              token, diag, core_);
    }

    /// The strand of the service; see client::get_executor().
    boost::asio::any_io_executor get_executor() const noexcept;

 private:
    using core = std::shared_ptr<detail::service_core>;
    static void ask_servers(core c,
                            std::shared_ptr<detail::pending_call<std::vector<server_status>>> call);

    core core_;
};

}  // namespace tandem
