#include "gateway/voice/voice_session_table.hpp"

#include "base/format_count.hpp"
#include "gateway/access/base64url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tandem::gateway {

api_error make_session_not_found_error() {
    return make_error(
        404, "session_not_found",
        "there is no such session; it has ended or expired. Start a new one without session");
}

namespace {

api_error too_many(std::string_view whose, std::size_t most) {
    auto e = make_error(429, "too_many_sessions",
                        fmt::format("{} reached the limit of {} with a socket", whose,
                                    format_count(static_cast<std::int64_t>(most), "session")));
    e.retry_after = std::chrono::seconds(5);
    return e;
}

}  // namespace

voice_session_table::voice_session_table(const voice_limits& limits, random_source random)
    : limits_(limits), random_(std::move(random)) {}

std::variant<voice_session_table::admission, api_error> voice_session_table::admit(
    std::string_view owner, std::string_view wanted) {
    return wanted.empty() ? open(owner, fresh_id()) : resume(owner, std::string(wanted));
}

// Ids stay unique even if the random source is broken and repeats itself.
std::string voice_session_table::fresh_id() const {
    auto id = encode_base64url(random_());
    while (known_.contains(id)) id += '_';
    return id;
}

std::variant<voice_session_table::admission, api_error> voice_session_table::take_over(
    std::string_view owner, std::string id) {
    forget(id);
    return open(owner, std::move(id));
}

std::variant<voice_session_table::admission, api_error> voice_session_table::open(
    std::string_view owner, std::string id) {
    const std::string name(owner);
    const auto counted = counts_.find(name);
    const bool key_is_full =
        counted != counts_.end() && counted->second >= limits_.sessions_per_key;
    admission given{.id = std::move(id)};
    if (key_is_full || known_.size() >= limits_.sessions) {
        const auto oldest = key_is_full ? oldest_kept(owner) : kept_.begin();
        if (oldest == kept_.end())
            return key_is_full ? too_many("the key has", limits_.sessions_per_key)
                               : too_many("the gateway has", limits_.sessions);
        given.dropped = drop(oldest);
    }
    live_.push_back({.id = given.id, .owner = name});
    known_.emplace(given.id, std::prev(live_.end()));
    ++counts_[name];
    return given;
}

std::variant<voice_session_table::admission, api_error> voice_session_table::resume(
    std::string_view owner, const std::string& id) {
    if (!owns(owner, id)) return make_session_not_found_error();
    const auto s = known_.at(id);
    if (std::exchange(s->is_kept, false)) live_.splice(live_.end(), kept_, s);
    return admission{.id = id};
}

bool voice_session_table::owns(std::string_view owner, const std::string& id) const {
    const auto found = known_.find(id);
    return found != known_.end() && found->second->owner == owner;
}

voice_session_table::place voice_session_table::oldest_kept(std::string_view owner) {
    return std::ranges::find(kept_, owner, &session::owner);
}

std::string voice_session_table::drop(place s) {
    auto id = std::move(s->id);
    known_.erase(id);
    const auto counted = counts_.find(s->owner);
    if (--counted->second == 0) counts_.erase(counted);
    (s->is_kept ? kept_ : live_).erase(s);
    return id;
}

void voice_session_table::keep_without_socket(time_point now, std::string_view id) {
    const auto found = known_.find(std::string(id));
    if (found == known_.end() || std::exchange(found->second->is_kept, true)) return;
    found->second->kept_since = now;
    kept_.splice(kept_.end(), live_, found->second);
}

void voice_session_table::forget(std::string_view id) {
    const auto found = known_.find(std::string(id));
    if (found != known_.end()) drop(found->second);
}

std::vector<std::string> voice_session_table::take_expired(time_point now) {
    std::vector<std::string> over;
    while (!kept_.empty() && kept_.front().kept_since + limits_.session_kept <= now)
        over.push_back(drop(kept_.begin()));
    return over;
}

std::optional<time_point> voice_session_table::next_expiry() const {
    if (kept_.empty()) return std::nullopt;
    return kept_.front().kept_since + limits_.session_kept;
}

}  // namespace tandem::gateway
