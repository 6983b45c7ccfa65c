#pragma once

#include "tandem/log.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tandem::detail {

/// Explains errc::client_destroyed.
inline constexpr auto owner_destroyed = "the client or service was destroyed";

class context_shutdown_service;

/// An object that ends with its strand_scope, such as a server_link, a reply or a conversation.
class shutdown_listener {
 public:
    /// The client or service was destroyed: end with errc::client_destroyed. Called on the strand.
    virtual void on_owner_destroyed() = 0;
    /// The execution context is being destroyed: close all connections, and destroy all handlers
    /// without calling them. The listener must not use the context afterwards.
    virtual void on_context_destroyed() noexcept = 0;
    /// Whether the listener owns a transport, which must outlive the requests of other listeners.
    virtual bool owns_transport() const noexcept { return false; }

 protected:
    ~shutdown_listener() = default;
};

/// What all parts of a client or service share, including a service's servers and conversations:
/// the strand, the log, and the shutdown. All functions except close(), is_closed() and
/// on_context_destroyed() may be called from any thread.
class strand_scope : public std::enable_shared_from_this<strand_scope> {
 public:
    strand_scope(const boost::asio::any_io_executor& executor, logger log);
    ~strand_scope();

    /// The strand; empty after the execution context is destroyed.
    const boost::asio::any_io_executor& executor() const noexcept { return executor_; }
    /// Runs `f` on the strand. After the execution context is destroyed, `f` is destroyed instead.
    template <class Function>
    void dispatch(Function f) const {
        // A copy, because `f` may own this object and destroy it.
        const auto strand = executor_;
        if (strand) boost::asio::dispatch(strand, std::move(f));
    }
    /// A number that is unique in the process.
    std::uint64_t scope_number() const noexcept { return number_; }
    /// An id for a reply or a conversation: unique in this scope and never 0.
    std::uint64_t next_id() noexcept { return ++last_id_; }
    /// Makes later ids greater than `last`, an id from another process, so that no id occurs twice.
    void advance_ids_past(std::uint64_t last) noexcept {
        auto now = last_id_.load();
        while (now < last && !last_id_.compare_exchange_weak(now, last)) {
        }
    }
    /// Makes an id of this scope unique among all clients and services in the process.
    std::uint64_t make_process_unique_id(std::uint64_t id) const noexcept {
        return (number_ << 40) | id;
    }

    void add_listener(std::weak_ptr<shutdown_listener> listener);
    /// Closes the scope and notifies all listeners, latest first; nothing can be started
    /// afterwards.
    void close();
    bool is_closed() const noexcept { return closed_; }
    void on_context_destroyed() noexcept;

    template <class... Args>
    void log(log_level level, fmt::format_string<Args...> text, Args&&... args) const {
        if (logger_.enabled(level)) write(level, fmt::format(text, std::forward<Args>(args)...));
    }

 private:
    void write(log_level level, const std::string& line) const noexcept;
    using listener_list = std::vector<std::weak_ptr<shutdown_listener>>;
    listener_list copy_listeners();
    listener_list take_listeners() noexcept;
    template <class Tell>
    static void notify_listeners(const listener_list& listeners, Tell tell);

    static std::uint64_t next_number() noexcept;

    const std::uint64_t number_ = next_number();
    boost::asio::any_io_executor executor_;
    logger logger_;
    std::atomic<std::uint64_t> last_id_{0};
    std::mutex listeners_mutex_;
    listener_list listeners_;
    std::size_t next_sweep_size_ = 64;
    bool closed_ = false;
    context_shutdown_service* registry_ = nullptr;
};

/// Ends everything that the client or service owns, on its strand.
template <class Owner>
void close_scope_of(std::shared_ptr<Owner> owner) {
    if (!owner) return;
    const auto& scope = owner->scope();
    scope.dispatch([owned = std::move(owner)] { owned->scope().close(); });
}

}  // namespace tandem::detail
