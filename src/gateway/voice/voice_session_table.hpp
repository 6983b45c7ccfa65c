#pragma once

#include "base/time.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/voice/voice_limits.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace tandem::gateway {

api_error make_session_not_found_error();

/// The voice sessions, with their owners, and with how long each session is kept without a socket.
/// The caller owns the objects of a session (its voice_turn_machine and conversation). Pure; not
/// thread-safe.
class voice_session_table {
 public:
    using random_bits = std::array<std::uint8_t, 16>;
    /// Must be unpredictable: the id of a session, together with its owner's key, gives access to
    /// the session.
    using random_source = std::function<random_bits()>;

    voice_session_table(const voice_limits& limits, random_source random);

    /// Result of a socket's first start.
    struct admission {
        /// Session id: 22 characters of base64url.
        std::string id{};
        /// The session that was removed to make room, if any. It had no socket.
        std::optional<std::string> dropped{};
    };
    /// Opens a session for the owner's key, or resumes `wanted` if that is not empty. For a session
    /// of another key, returns `session_not_found`, as if the session did not exist. At a limit,
    /// removes the session that has been without a socket for the longest time; at the key's limit,
    /// considers only the key's sessions. If all these sessions have a socket, returns
    /// `too_many_sessions`.
    std::variant<admission, api_error> admit(std::string_view owner, std::string_view wanted);

    /// Adds a session from another gateway, within the same limits.
    std::variant<admission, api_error> take_over(std::string_view owner, std::string id);

    /// Whether the owner's key has a session with this id.
    bool owns(std::string_view owner, const std::string& id) const;

    /// The session has lost its socket.
    void keep_without_socket(time_point now, std::string_view id);
    /// The session has ended.
    void forget(std::string_view id);
    /// Removes and returns the sessions that have expired.
    std::vector<std::string> take_expired(time_point now);
    /// When the next session expires.
    std::optional<time_point> next_expiry() const;

    std::size_t size() const noexcept { return known_.size(); }

 private:
    struct session {
        std::string id;
        std::string owner;
        time_point kept_since{};
        bool is_kept = false;
    };
    using place = std::list<session>::iterator;

    std::variant<admission, api_error> open(std::string_view owner, std::string id);
    std::variant<admission, api_error> resume(std::string_view owner, const std::string& id);
    std::string fresh_id() const;
    place oldest_kept(std::string_view owner);
    std::string drop(place s);

    voice_limits limits_;
    random_source random_;
    // Each session is in one of these lists. `kept_` begins with the session that lost its socket
    // first.
    std::list<session> live_;
    std::list<session> kept_;
    std::unordered_map<std::string, place> known_;
    std::unordered_map<std::string, std::size_t> counts_;  // sessions by owner, if there are any
};

}  // namespace tandem::gateway
