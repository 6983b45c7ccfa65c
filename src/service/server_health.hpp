#pragma once

#include "base/time.hpp"

#include "tandem/error.hpp"
#include "tandem/service_config.hpp"

#include <optional>
#include <string>

namespace tandem::services {

/// When one server is asked for its health, and what its answers mean. Pure.
class server_health {
 public:
    using health = server_status::health;

    explicit server_health(duration interval) : interval_(interval) {}

    /// When it is asked next; nothing while an answer is waited for.
    std::optional<time_point> next_check() const noexcept { return next_check_; }
    void check_begun() noexcept;
    /// Somebody waits for it now: one that is not up is asked again soon, however long it has been
    /// away.
    void wanted() noexcept;
    /// A turn begins there: it is asked now, unless it has just answered. True if that is news.
    bool needed(time_point now) noexcept;
    /// It has refused a request for want of its key, which /health needs not.
    bool refuses_key() const noexcept { return refuses_key_; }
    /// It refuses the key, or nothing of a llama-server answered there, and not even that may have
    /// /health. Its check is to ask for what proves that requests may come.
    bool needs_proof() const noexcept { return refuses_key_ || is_strange_; }
    /// Why no connection to it has ever been made; no error once it has answered anything.
    error_code why_never_reached() const noexcept { return why_never_reached_; }
    /// The answer of the check. True if the state changed.
    bool answered(time_point now, const error_code& ec, std::string words);
    /// A request met a server that is gone, a model that loads, or something that is no
    /// llama-server: taken at its word, and asked soon. True if the state changed.
    bool failed(time_point now, const error_code& ec, std::string words);

    health state() const noexcept { return state_; }
    /// A server that was not asked yet may be up.
    bool may_serve() const noexcept { return state_ == health::up || state_ == health::unknown; }
    /// It has not answered in time: it may be busy, or frozen, also before TLS is up. Or it has
    /// answered with nothing of a llama-server: behind a proxy one may come up. Better than none.
    bool hangs() const noexcept { return hangs_ || is_strange_; }
    const std::string& fault() const noexcept { return fault_; }

 private:
    bool enter(health next, std::string words);
    void note_reached(const error_code& ec) noexcept;
    void ask_soon(time_point now);

    duration interval_;
    health state_ = health::unknown;
    std::string fault_;
    std::optional<time_point> next_check_{time_point::min()};
    duration pause_{};  // before the next check of a server that is not up
    time_point asked_soon_at_{};
    time_point answered_at_ = time_point::min();
    bool hangs_ = false;
    bool refuses_key_ = false;
    bool asks_for_proof_ = false;  // the check that runs
    bool has_been_well_ = false;   // /health has said so
    bool is_strange_ = false;
    bool has_been_reached_ = false;
    error_code why_never_reached_;
};

/// Whether an error says that the server is gone or not ready, whatever was asked.
bool tells_of_server(const error_code& ec) noexcept;

}  // namespace tandem::services
