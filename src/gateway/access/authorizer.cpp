#include "gateway/access/authorizer.hpp"

#include "base/format_count.hpp"
#include "gateway/access/api_key_file.hpp"
#include "gateway/access/credential.hpp"
#include "gateway/access/cross_origin.hpp"
#include "gateway/access/network_address.hpp"
#include "gateway/access/rate_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace tandem::gateway {

/// Limits and usage of one key, across requests.
struct key_usage {
    /// set() replaces this object and does not modify it, because running requests keep the key
    /// that admitted them.
    std::shared_ptr<const api_key> key;
    rate_limit requests;
    rate_limit tokens;
    /// One permit per running reply.
    permit_counter replies{};
    /// Number of gateways among which the limits are divided; nullopt while the store answers.
    std::optional<std::int64_t> sharers{};
    /// Clients that used this key, most recent first.
    std::vector<std::string> clients{};

    void set(api_key k) {
        requests.set_per_minute(k.requests_per_minute);
        tokens.set_per_minute(k.tokens_per_minute);
        key = std::make_shared<const api_key>(std::move(k));
    }
    std::int64_t running() const noexcept { return static_cast<std::int64_t>(replies.held()); }
    bool is_full_beside(std::int64_t own) const noexcept {
        const auto most = std::max<std::int64_t>(key->concurrent / share(), 1);
        return key->concurrent > 0 && running() - own >= most;
    }
    bool is_limited() const noexcept {
        return key->requests_per_minute > 0 || key->tokens_per_minute > 0 || key->concurrent > 0;
    }

    /// How often each request or token is charged: once, or once per gateway while the limits are
    /// divided.
    std::int64_t share() const noexcept { return sharers.value_or(1); }
    /// Call this while the store does not answer. The total usage is then unknown, so the rate
    /// limits are treated as used up at first.
    void use_share(time_point now, std::int64_t members) {
        constexpr duration minute = std::chrono::minutes(1);
        if (!sharers)
            for (auto* const limit : {&requests, &tokens})
                limit->set_time_until_full(now, std::max(limit->time_until_full(now), minute));
        sharers = members;
    }
    void take_over(time_point now, const shared_limits::verdict& v) {
        sharers.reset();
        requests.set_time_until_full(now, v.requests_time_until_full);
        tokens.set_time_until_full(now, v.tokens_time_until_full);
    }

    bool was_used_from(const std::string& client) const {
        return std::ranges::find(clients, client) != clients.end();
    }
    void record_use_from(std::string client) {
        constexpr std::size_t most = 16;
        std::erase(clients, client);
        clients.insert(clients.begin(), std::move(client));
        clients.resize(std::min(clients.size(), most));
    }
};

namespace {

using credential_kind = credential::kind;

constexpr auto challenge = R"(Bearer realm="tandem")";
constexpr auto failed_challenge = R"(Bearer realm="tandem", error="invalid_token")";

api_key key_of_anonymous() {
    return {.name = std::string(anonymous_name),
            .rights = {right::generate, right::read, right::metrics, right::admin}};
}

api_error unauthorized(std::string message, std::string www_authenticate = failed_challenge) {
    auto e = make_error(401, "invalid_api_key", std::move(message));
    e.www_authenticate = std::move(www_authenticate);
    return e;
}

api_error no_key(bool is_voice) {
    std::string message = "an API key is required: send it as 'Authorization: Bearer <key>'";
    if (is_voice) message += fmt::format(", or as a subprotocol '{}<key>'", key_protocol_prefix);
    return unauthorized(std::move(message), challenge);
}

api_error wrong_key(credential_kind what) {
    return unauthorized(what == credential_kind::malformed
                            ? "the Authorization header or the subprotocol contains no API key; "
                              "send 'Authorization: Bearer <key>'"
                            : "the API key is unknown");
}

api_error forbidden(const api_key& key, right needed) {
    return make_error(
        403, "insufficient_permissions",
        fmt::format("the key '{}' lacks the right '{}'", key.name, to_string(needed)));
}

api_error too_often(std::string code, std::string_view what, duration wait) {
    const auto seconds = retry_after(wait);
    auto e = make_error(429, std::move(code),
                        fmt::format("{}; try again in {} s", what, seconds.count()));
    e.retry_after = seconds;
    return e;
}

api_error used_up(const api_key& key, std::int64_t per_minute, const char* what, duration wait) {
    return too_often("rate_limit_exceeded",
                     fmt::format("the key '{}' has reached its limit of {} a minute", key.name,
                                 format_count(per_minute, what)),
                     wait);
}

/// Why the reply is rejected; nullopt if it is admitted.
std::optional<api_error> limit_refusal(const key_usage& account, std::int64_t own_permits,
                                       time_point now) {
    const auto& key = *account.key;
    if (const auto wait = account.tokens.time_until_allowed(now))
        return used_up(key, key.tokens_per_minute, "token", *wait);
    if (account.is_full_beside(own_permits))
        return too_often("concurrency_limit_exceeded",
                         fmt::format("the key '{}' has reached its limit of {}", key.name,
                                     format_count(key.concurrent, "running reply")),
                         {});
    if (const auto wait = account.requests.time_until_allowed(now, account.share()))
        return used_up(key, key.requests_per_minute, "request", *wait);
    return std::nullopt;
}

api_error named(const key_usage& account, api_error e) {
    e.key_name = account.key->name;
    return e;
}

shared_limits::limit_query make_limit_query(const key_usage& account, time_point now) {
    const auto& key = *account.key;
    return {.key = key.name,
            .requests_per_minute = key.requests_per_minute,
            .tokens_per_minute = key.tokens_per_minute,
            .concurrent = key.concurrent,
            .running = account.running(),
            .requests_time_until_full = account.requests.time_until_full(now),
            .tokens_time_until_full = account.tokens.time_until_full(now),
            .is_doubtful = account.sharers.has_value()};
}

}  // namespace

admitted_request::admitted_request(std::shared_ptr<key_usage> account, permit p)
    : key_(account->key), account_(std::move(account)), permit_(std::move(p)) {}

locally_admitted_request::locally_admitted_request(std::shared_ptr<key_usage> account, permit p)
    : account_(std::move(account)), permit_(std::move(p)) {}

std::optional<api_error> check_model_allowed(const admitted_request& who, std::string_view model) {
    const auto& allowed = who.models();
    if (allowed.empty() || std::ranges::find(allowed, model) != allowed.end()) return std::nullopt;
    return make_error(
        403, "model_not_allowed",
        fmt::format("the key '{}' may not use the model '{}'", who.key_name(), quote_text(model)),
        "model");
}

authorizer::authorizer(api_keys keys)
    : allows_anonymous_(keys.is_empty()), anonymous_(std::make_shared<key_usage>()) {
    anonymous_->set(key_of_anonymous());
    replace_keys(std::move(keys));
}

void authorizer::replace_keys(api_keys keys) {
    allows_anonymous_ = allows_anonymous_ && keys.is_empty();
    decltype(accounts_) accounts;
    for (const auto& key : keys.all()) {
        const auto kept = accounts_.find(key.name);
        auto account = kept != accounts_.end() ? kept->second : std::make_shared<key_usage>();
        account->set(key);
        accounts.emplace(key.name, std::move(account));
    }
    accounts_ = std::move(accounts);
    keys_ = std::move(keys);
}

admission authorizer::authorize_request(const route& r, const credentials& c, time_point now) {
    if (r.required_right == right::open) return admitted_request(anonymous_, {});
    if (allows_anonymous_ && !c.foreign_origin.empty() && !is_local_origin(c.foreign_origin))
        return make_origin_error(c.foreign_origin);
    if (allows_anonymous_) return admitted_request(anonymous_, {});
    const auto found = identify(r, c, now);
    if (const auto* const e = std::get_if<api_error>(&found)) return *e;
    // A WebSocket takes no permit; each of its replies is checked separately.
    const bool is_reply = r.required_right == right::generate && !is_websocket(r.endpoint);
    return admit_if_allowed(std::get<account_ptr>(found),
                            {.needed = r.required_right, .is_reply = is_reply}, now);
}

admission authorizer::authorize_reply(const admitted_request& session, time_point now,
                                      const std::optional<admitted_request>& before) {
    if (allows_anonymous_) return admitted_request(anonymous_, {});
    const auto found = accounts_.find(session.key_name());
    if (found == accounts_.end() || found->second->key->sha256 != session.key_->sha256)
        return unauthorized("the API key of this session was removed");
    const bool has_permit = before && before->permit_ && before->account_ == found->second;
    return admit_if_allowed(
        found->second,
        {.needed = right::generate, .is_reply = true, .own_permits = has_permit ? 1 : 0}, now);
}

admission authorizer::admit_if_allowed(const account_ptr& account, const claim& c,
                                       time_point now) const {
    if (!account->key->rights.contains(c.needed))
        return named(*account, forbidden(*account->key, c.needed));
    if (!c.is_reply) return admitted_request(account, {});
    const bool is_shared = shared_ && account->is_limited();
    // While the limits are divided, this check would be too strict if the store answers again, so
    // the store is asked first.
    if (!is_shared || !account->sharers)
        if (auto e = limit_refusal(*account, c.own_permits, now))
            return named(*account, *std::move(e));
    if (is_shared) return defer_to_cluster(account, c.own_permits == 0);
    account->requests.charge(now, 1);
    return admitted_request(account, account->replies.take_permit());
}

// --- limits over all gateways

admission authorizer::defer_to_cluster(const account_ptr& account, bool needs_permit) const {
    const auto& key = *account->key;
    if (key.concurrent > 0)
        account->replies.set_release_handler(
            [limits = std::weak_ptr(shared_), name = key.name](auto held) {
                if (const auto all = limits.lock())
                    all->report_usage({.key = name, .running = static_cast<std::int64_t>(held)},
                                      [](auto, auto) {});
            });
    return locally_admitted_request(account,
                                    needs_permit ? account->replies.take_permit() : permit());
}

void authorizer::decide_with_cluster(locally_admitted_request request, time_point now,
                                     std::function<void(admission)> done) const {
    const auto query = make_limit_query(*request.account_, now);
    const auto waiting = std::make_shared<locally_admitted_request>(std::move(request));
    shared_->request_verdict(query, [limits = shared_, waiting, done = std::move(done)](
                                        time_point at, const auto& verdict) {
        done(apply_verdict(*waiting, at, verdict, limits->count_members()));
    });
}

admission authorizer::apply_verdict(locally_admitted_request& request, time_point now,
                                    const std::optional<shared_limits::verdict>& v,
                                    std::int64_t members) {
    auto& account = *request.account_;
    if (v)
        account.take_over(now, *v);
    else
        account.use_share(now, members);
    if (!v || !v->is_admitted) {
        const auto beside_own = v ? v->running_elsewhere : 0;
        if (auto e = limit_refusal(account, 1 - beside_own, now)) {
            request.permit_.release();
            return named(account, *std::move(e));
        }
    }
    if (!v) account.requests.charge(now, account.share());
    if (!request.permit_) request.permit_ = account.replies.take_permit();
    return admitted_request(request.account_, std::move(request.permit_));
}

// --- identity

std::variant<authorizer::account_ptr, api_error> authorizer::identify(const route& r,
                                                                      const credentials& c,
                                                                      time_point now) {
    const bool is_voice = r.endpoint == endpoint::voice;
    const auto shown = parse_credential(c.authorization, is_voice ? c.websocket_protocols : "");
    if (shown.what == credential_kind::missing) return no_key(is_voice);
    const auto client = client_network_key(c.remote);
    const auto account = shown.what == credential_kind::key ? find_account(shown.key) : nullptr;
    const bool is_known_client = account && account->was_used_from(client);
    if (const auto wait = failures_.time_until_allowed(now, client); wait && !is_known_client)
        return too_often("too_many_failures", "wrong API keys were sent from this address", *wait);
    if (account) {
        account->record_use_from(client);
        return account;
    }
    failures_.record_failure(now, client);
    return wrong_key(shown.what);
}

authorizer::account_ptr authorizer::find_account(std::string_view key) const {
    const auto* const known = keys_.find(key);
    return known ? accounts_.find(known->name)->second : nullptr;
}

void authorizer::charge_tokens(const admitted_request& who, time_point now, std::int64_t tokens) {
    const auto& account = who.account_;
    account->tokens.charge(now, tokens * account->share());
    const auto& key = *account->key;
    if (!shared_ || key.tokens_per_minute <= 0) return;
    shared_limits::usage_report s{
        .key = key.name, .tokens_per_minute = key.tokens_per_minute, .tokens = tokens};
    if (key.concurrent > 0) s.running = account->running();
    shared_->report_usage(s, [account, limits = shared_](time_point at, bool is_known) {
        if (!is_known) account->use_share(at, limits->count_members());
    });
}

}  // namespace tandem::gateway
