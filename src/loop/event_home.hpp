#pragma once

#include "tandem/log.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
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

/// Numbers for replies and conversations; those of one service share it, over all its loops.
class id_numbers {
 public:
    /// Never 0.
    std::uint64_t next() noexcept { return ++last_; }
    /// Unique in the process, where a number is unique among those of this source.
    std::uint64_t in_process(std::uint64_t id) const noexcept { return (source_ << 40) | id; }

 private:
    static std::uint64_t next_source() noexcept;

    const std::uint64_t source_ = next_source();
    std::atomic<std::uint64_t> last_{0};
};
using id_source = std::shared_ptr<id_numbers>;

inline id_source make_id_source() {
    return std::make_shared<id_numbers>();
}

/// Where a client, or a service with its servers and conversations, does its work: the strand, the
/// log, and the end of both. All functions but close(), closed() and context_ended() may be called
/// from any thread.
class event_home : public std::enable_shared_from_this<event_home> {
 public:
    event_home(const boost::asio::any_io_executor& executor, logger log,
               id_source ids = make_id_source());
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
    /// The same in a turn of its own, also where the caller is on a thread of the context.
    template <class Function>
    void post(Function f) const {
        const auto strand = executor_;
        if (strand) boost::asio::post(strand, std::move(f));
    }
    /// Unique in the process.
    std::uint64_t number() const noexcept { return number_; }
    /// Of a reply or a conversation: unique among those of the source, and never 0.
    std::uint64_t next_id() noexcept { return ids_->next(); }
    /// For such a number: one that no other client or service in the process has.
    std::uint64_t in_process(std::uint64_t id) const noexcept { return ids_->in_process(id); }

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
    id_source ids_;
    std::mutex tenants_mutex_;
    tenant_list tenants_;
    std::size_t swept_at_ = 64;
    bool closed_ = false;
    home_registry* registry_ = nullptr;
};

}  // namespace tandem::detail
