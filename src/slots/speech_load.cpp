#include "slots/speech_load.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace tandem::slots {
namespace {

// A new session is refused above this load. At 1, small errors in the measured speeds make all
// listeners wait until a session ends (tests/bench/voice_callers.py).
constexpr double max_load = 0.96;
// After a refusal, the load must fall to this value. Otherwise, a fluctuating measurement would
// occasionally admit one more session.
constexpr double max_load_after_refusal = 0.93;
// A server with a request that is overdue by this much is considered full, whatever the load is.
constexpr duration too_late = std::chrono::seconds(2);
// Above this load, the lead that continuations lose also decides whether a server is full, because
// the learned speed of a server grows with its load. Below this load, a lost lead proves nothing:
// clients that read faster than a voice also lose their lead.
constexpr double high_load = 0.8;
// A server is considered full if continuations lose this share of their lead while they wait. With
// a few more sessions, gaps become audible (tests/bench/voice_callers.py).
constexpr double too_much_lead_lost = 0.6;
// Limit for the same share shortly after a new session began, because it takes some seconds until
// that session reduces the leads of the others.
constexpr double much_lead_lost = 0.4;
constexpr duration between_admissions = std::chrono::seconds(5);
constexpr duration seen_valid_for = std::chrono::seconds(2);
constexpr duration speed_valid_for = std::chrono::minutes(15);
// Time constant of the average of a server's speed.
constexpr duration speed_averaged_over = std::chrono::seconds(10);
// How many seconds of recent speech determine the tokens/s of one session, and of the average
// session.
constexpr double session_remembered_s = 120;
constexpr double all_remembered_s = 1200;
// The average tokens/s of a voice is unknown until this many tokens were spoken.
constexpr double min_tokens_spoken = 50;
// Tokens/s of a voice, assumed until the average is known: 170 words of English a minute. Without
// this value, any number of sessions would be admitted before the first chunks were spoken.
constexpr double usual_voice = 3.5;
// A new session is treated as if it had already spoken at the average tokens/s for this time.
constexpr double average_assumed_s = 20;
// Upper limit for the tokens/s of a session. A client that consumes text faster shows it to a
// reader instead of speaking it.
constexpr double fastest_voice = 12;
// The longest time that one chunk or pause adds to the average, so that one silent user does not
// lower it much.
constexpr duration max_counted = std::chrono::seconds(60);
// Time between the ends of sessions, assumed until two sessions have ended.
constexpr duration assumed_between_ends = std::chrono::seconds(5);

}  // namespace

void speech_load::usage::add(double more_tokens, duration more_time, double remembered_s) {
    tokens += more_tokens;
    seconds += to_seconds(more_time);
    if (seconds <= remembered_s) return;
    tokens *= remembered_s / seconds;
    seconds = remembered_s;
}

// --- sessions

void speech_load::on_session_started(const std::string& session, time_point now) {
    sessions_[session] = {.counted_from = now};
    latest_began_at_ = now;
}

void speech_load::on_session_ended(const std::string& session, time_point now) {
    if (sessions_.erase(session) == 0) return;
    constexpr int remembered = 8;
    if (last_end_) {
        const auto since = now - *last_end_;
        const bool is_first = between_ends_ == duration{};
        between_ends_ = is_first ? since : between_ends_ + (since - between_ends_) / remembered;
    }
    last_end_ = now;
}

auto speech_load::find_session(const std::string& session) -> session_state* {
    const auto found = sessions_.find(session);
    return found == sessions_.end() ? nullptr : &found->second;
}

void speech_load::add_usage(session_state& s, double tokens, time_point now) {
    const auto took = s.counted_from ? now - *s.counted_from : duration{};
    s.own.add(tokens, took, session_remembered_s);
    all_.add(tokens, std::min(took, max_counted), all_remembered_s);
    s.counted_from = now;
}

void speech_load::on_turn_started(const std::string& session, time_point now) {
    auto* const s = find_session(session);
    if (!s) return;
    add_usage(*s, 0, now);
    s->counted_from.reset();
}

void speech_load::on_chunk_received(const std::string& session, int tokens, time_point now) {
    auto* const s = find_session(session);
    if (!s) return;
    if (s->unspoken.empty()) s->counted_from = now;
    s->unspoken.push_back(tokens);
}

void speech_load::on_chunk_spoken(const std::string& session, time_point now) {
    auto* const s = find_session(session);
    if (!s || s->unspoken.empty()) return;
    add_usage(*s, s->unspoken.front(), now);
    s->unspoken.pop_front();
    if (s->unspoken.empty()) s->counted_from.reset();
}

void speech_load::on_turn_ended(const std::string& session, int wasted, time_point now) {
    auto* const s = find_session(session);
    if (!s) return;
    double tokens = wasted;
    for (const int unspoken : s->unspoken) tokens += unspoken;
    s->unspoken.clear();
    add_usage(*s, tokens, now);
}

// --- servers

void speech_load::on_servers_observed(const std::vector<observation>& usable, time_point now) {
    servers_seen_at_ = now;
    for (auto& [name, s] : servers_) s.is_usable = false;
    for (const auto& seen : usable) {
        auto& s = servers_[seen.server];
        s.is_usable = true;
        s.late = seen.late;
        s.lead_loss = seen.lead_loss;
        if (seen.tokens_per_s) learn_speed(s, *seen.tokens_per_s, now);
    }
    std::erase_if(servers_, [now](const auto& of) {
        return !of.second.is_usable && now - of.second.known_at >= speed_valid_for;
    });
}

void speech_load::learn_speed(server_state& s, double tokens_per_s, time_point now) {
    const auto since = now - std::exchange(s.known_at, now);
    const bool is_known = s.tokens_per_s > 0 && since < speed_valid_for;
    const double weight =
        is_known ? 1 - std::exp(-to_seconds(since) / to_seconds(speed_averaged_over)) : 1;
    s.tokens_per_s += weight * (tokens_per_s - s.tokens_per_s);
}

// Returns nullopt if the speed of even one usable server is unknown, because this server may get
// all new sessions.
std::optional<double> speech_load::observe_supply(time_point now) const {
    double sum = 0;
    for (const auto& [name, s] : servers_) {
        if (!s.is_usable) continue;
        if (s.tokens_per_s <= 0 || now - s.known_at >= speed_valid_for) return std::nullopt;
        sum += s.tokens_per_s;
    }
    return sum > 0 ? std::optional(sum) : std::nullopt;
}

// Returns the mean of the estimates of all processes. If each process relied on its own, the
// process with the highest estimate would admit too many sessions.
std::optional<double> speech_load::compute_supply(time_point now) const {
    const auto here = observe_supply(now);
    const double observers = elsewhere_.observers + (here ? 1 : 0);
    if (observers < 1) return std::nullopt;
    return (elsewhere_.supply + here.value_or(0)) / observers;
}

bool speech_load::has_new_session(time_point now) const {
    return latest_began_at_ && now - *latest_began_at_ < between_admissions;
}

// A new session goes to a server that has room, so one server that is not full is enough.
// Observations that are too old are ignored.
bool speech_load::are_servers_full(double load, time_point now) const {
    if (now - servers_seen_at_ > seen_valid_for) return false;
    const bool is_one_new = has_new_session(now) || elsewhere_.new_sessions > 0;
    const double max_lost = is_one_new ? much_lead_lost : too_much_lead_lost;
    bool any = false;
    for (const auto& [name, s] : servers_) {
        if (!s.is_usable) continue;
        const bool loses_lead = load > high_load && s.lead_loss >= max_lost;
        if (s.late < too_late && !loses_lead) return false;
        any = true;
    }
    return any;
}

// --- load

double speech_load::tokens_per_s_of_session() const noexcept {
    if (all_.tokens >= min_tokens_spoken)
        return std::min(fastest_voice, all_.tokens / std::max(all_.seconds, 1.0));
    if (elsewhere_.sessions > 0 && elsewhere_.demand > 0)
        return elsewhere_.demand / elsewhere_.sessions;
    return sessions_.empty() ? 0 : usual_voice;
}

load_report speech_load::make_report(time_point now) const {
    // An idle process does not observe the servers. It does not report its old observations,
    // because a server may have failed since.
    const bool is_current = now - servers_seen_at_ <= seen_valid_for;
    const auto supply = is_current ? observe_supply(now) : std::nullopt;
    return {.demand = compute_demand(now),
            .sessions = static_cast<double>(sessions_.size()),
            .new_sessions = has_new_session(now) ? 1.0 : 0.0,
            .supply = supply.value_or(0),
            .observers = supply ? 1.0 : 0.0};
}

double speech_load::compute_demand(time_point now) const {
    const double one = tokens_per_s_of_session();
    double sum = 0;
    for (const auto& [name, s] : sessions_) {
        const double pause =
            s.unspoken.empty() && s.counted_from ? to_seconds(now - *s.counted_from) : 0;
        const double tokens = s.own.tokens + one * average_assumed_s;
        sum += std::min(fastest_voice, tokens / (s.own.seconds + average_assumed_s + pause));
    }
    return one > 0 ? sum : 0;
}

double speech_load::compute_load(time_point now) const {
    const auto supply = compute_supply(now);
    return supply ? (compute_demand(now) + elsewhere_.demand) / *supply : 0;
}

std::optional<duration> speech_load::check_new_session(time_point now) {
    const double one = tokens_per_s_of_session();
    const auto supply = compute_supply(now);
    const double need = compute_demand(now) + elsewhere_.demand + one;
    const double allowed = supply.value_or(need) * (is_full_ ? max_load_after_refusal : max_load);
    const bool is_over = supply && one > 0 && need > allowed;
    is_full_ = is_over;
    const double load = supply ? need / *supply : 0;
    if (!is_over && !(one > 0 && are_servers_full(load, now))) return std::nullopt;
    const double too_many = is_over ? (need - allowed) / one : 1;
    return std::clamp(time_until_ended(too_many), min_retry_after, max_retry_after);
}

duration speech_load::time_until_ended(double sessions) const noexcept {
    const auto one = between_ends_ > duration{} ? between_ends_ : assumed_between_ends;
    const double count = std::ceil(sessions);
    if (count * to_seconds(one) >= to_seconds(max_retry_after)) return max_retry_after;
    return one * static_cast<int>(count);
}

}  // namespace tandem::slots
