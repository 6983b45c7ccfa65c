#pragma once

#include "gateway/voice/voice_sessions.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// Says of each voice session of a gateway on which of its loops it lives. Pure; not thread-safe.
class voice_directory {
 public:
    explicit voice_directory(const voice_limits& limits);
    voice_directory(const voice_limits& limits, voice_sessions::random_source random)
        : known_(limits, std::move(random)) {}

    /// A session that is known no more, and the loop where it still is.
    struct lost_session {
        std::string id{};
        std::size_t loop = 0;
    };
    struct opened_session {
        std::string id{};
        /// It made room.
        std::optional<lost_session> dropped{};
    };
    /// As voice_sessions::admit() does.
    std::variant<opened_session, api_error> open(std::string_view owner, std::size_t loop);
    /// To be asked on its loop. Nothing where it may be had.
    std::optional<api_error> take_up(std::string_view owner, std::string_view id);
    /// Nothing where it is not known.
    std::optional<std::size_t> loop_of(const std::string& id) const;

    void keep(time_point now, std::string_view id) { known_.keep(now, id); }
    void forget(const std::string& id);
    std::vector<lost_session> take_expired(time_point now);
    std::optional<time_point> next_expiry() const { return known_.next_expiry(); }
    std::size_t size() const noexcept { return known_.size(); }

 private:
    lost_session lose(std::string id);

    voice_sessions known_;
    std::unordered_map<std::string, std::size_t> loops_;
};

}  // namespace tandem::gateway
