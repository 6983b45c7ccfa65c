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

class home_registry;

/// What works on a home and ends with it: a client's core, a reply, a conversation.
class home_tenant {
 public:
    /// The client or service was destroyed: end with errc::client_destroyed. On the strand.
    virtual void home_closed() = 0;
    /// The execution context is being destroyed: close all connections, and destroy all handlers
    /// without calling them. What is left touches the context no more.
    virtual void context_ended() noexcept = 0;
    /// It owns a transport, which must outlive the requests of others.
    virtual bool is_server() const noexcept { return false; }

 protected:
    ~home_tenant() = default;
};

/// Where a client, or a service with its servers and conversations, does its work: the strand, the
/// log, and the end of both. All functions but close(), closed() and context_ended() may be called
/// from any thread.
class event_home : public std::enable_shared_from_this<event_home> {
 public:
    event_home(const boost::asio::any_io_executor& executor, logger log);
    ~event_home();

    /// The strand; empty once the execution context is gone.
    const boost::asio::any_io_executor& executor() const noexcept { return executor_; }
    /// Runs `f` on the strand. Once the execution context is gone, `f` is destroyed instead.
    template <class Function>
    void dispatch(Function f) const {
        // `f` may own this object.
        const auto strand = executor_;
        if (strand) boost::asio::dispatch(strand, std::move(f));
    }
    /// Unique in the process.
    std::uint64_t number() const noexcept { return number_; }
    /// For a reply or a conversation: unique on this home, and never 0.
    std::uint64_t next_id() noexcept { return ++last_id_; }
    /// For such a number: one that no other client or service in the process has.
    std::uint64_t in_process(std::uint64_t id) const noexcept { return (number_ << 40) | id; }

    void add(std::weak_ptr<home_tenant> tenant);
    /// Tells all tenants, the latest first, that it is over; nothing can be started afterwards.
    void close();
    bool closed() const noexcept { return closed_; }
    void context_ended() noexcept;

    template <class... Args>
    void log(log_level level, fmt::format_string<Args...> text, Args&&... args) const {
        if (logger_.enabled(level)) write(level, fmt::format(text, std::forward<Args>(args)...));
    }

 private:
    void write(log_level level, const std::string& line) const noexcept;
    using tenant_list = std::vector<std::weak_ptr<home_tenant>>;
    tenant_list copy_tenants();
    tenant_list take_tenants() noexcept;
    template <class Tell>
    static void tell_tenants(const tenant_list& tenants, Tell tell);

    static std::uint64_t next_number() noexcept;

    const std::uint64_t number_ = next_number();
    boost::asio::any_io_executor executor_;
    logger logger_;
    std::atomic<std::uint64_t> last_id_{0};
    std::mutex tenants_mutex_;
    tenant_list tenants_;
    std::size_t swept_at_ = 64;
    bool closed_ = false;
    home_registry* registry_ = nullptr;
};

}  // namespace tandem::detail
