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

/// Which voice sessions there are, whose they are, and how long those are kept that have no socket.
/// What a session is made of (a voice_turns, and its conversation) is with whoever asks. Pure; not
/// thread-safe.
class voice_sessions {
 public:
    using random_bits = std::array<std::uint8_t, 16>;
    /// Must give bits that nobody can guess: who has a session's id and the same key has the
    /// session.
    using random_source = std::function<random_bits()>;

    voice_sessions(const voice_limits& limits, random_source random);

    /// What a socket's first start gets.
    struct admission {
        /// The session's id: 22 characters of base64url.
        std::string id{};
        bool is_new = true;
        /// One without a socket that was dropped to make room; it is known no more.
        std::optional<std::string> dropped{};
    };
    /// Opens a session for the key of this name, or takes up `wanted` if that is not empty. One of
    /// another key is `session_not_found`, as if there were none. Where there are as many as may be
    /// the one goes that has been without a socket for the longest time, of this key where that is
    /// at its limit; `too_many_sessions` if each has one.
    std::variant<admission, api_error> admit(std::string_view owner, std::string_view wanted);

    /// The session has no socket any more.
    void keep(time_point now, std::string_view id);
    /// It is over.
    void forget(std::string_view id);
    /// Sessions whose time is over, which are known no more.
    std::vector<std::string> take_expired(time_point now);
    /// When take_expired() has something next.
    std::optional<time_point> next_expiry() const;

    std::size_t size() const noexcept { return known_.size(); }
    /// Those without a socket.
    std::size_t kept() const noexcept { return kept_.size(); }

 private:
    struct session {
        std::string id;
        std::string owner;
        time_point kept_since{};
        bool is_kept = false;
    };
    using place = std::list<session>::iterator;

    std::variant<admission, api_error> open(std::string_view owner);
    std::variant<admission, api_error> take_up(std::string_view owner, const std::string& id);
    std::string fresh_id() const;
    place oldest_kept(std::string_view owner);
    std::string drop(place s);

    voice_limits limits_;
    random_source random_;
    // Each session is in one of these; the kept ones with the oldest first.
    std::list<session> live_;
    std::list<session> kept_;
    std::unordered_map<std::string, place> known_;
    std::unordered_map<std::string, std::size_t> counts_;  // by owner; none is 0
};

}  // namespace tandem::gateway
