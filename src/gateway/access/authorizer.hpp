#pragma once

#include "base/time.hpp"
#include "gateway/access/admitted_request.hpp"
#include "gateway/access/api_keys.hpp"
#include "gateway/access/auth_failure_limit.hpp"
#include "gateway/access/routes.hpp"
#include "gateway/access/shared_limits.hpp"
#include "gateway/json/api_error.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem::gateway {

using admission = std::variant<admitted_request, api_error, locally_admitted_request>;

/// Returns nullopt if `who` may use the model, otherwise a 403 error. `model` is the resolved name.
std::optional<api_error> check_model_allowed(const admitted_request& who, std::string_view model);

/// Identifies the sender of a request: header values, and the remote address without its port.
struct credentials {
    std::string_view authorization{};
    /// The header Sec-WebSocket-Protocol, in which a client of the voice WebSocket may send its
    /// key. Ignored for other routes, and if `authorization` is not empty.
    std::string_view websocket_protocols{};
    /// Origin of the web page that sends the request; empty if the origin is allowed, or if no page
    /// sends the request.
    std::string_view foreign_origin{};
    std::string_view remote{};
};

/// Authenticates and authorizes every request, and rate-limits replies, before they are queued.
/// Rejected replies do not count against limits. Without keys, everyone has all rights, except web
/// pages from other machines: otherwise, any page that a user visits could use a gateway on
/// loopback.
///
/// Failed attempts are limited per client address, to slow down guessing: above the limit, requests
/// are rejected without checking the key. Keys that were used earlier from the same address are
/// exempt, so that a client with a wrong key does not lock out its neighbors behind the same proxy.
///
/// Pure and not thread-safe: use on one strand, or with a mutex.
class authorizer {
 public:
    explicit authorizer(api_keys keys);

    /// From now on, the limits apply to all gateways of a cluster together.
    void share_limits(std::shared_ptr<shared_limits> limits) { shared_ = std::move(limits); }

    /// Admits the request, or returns an error: 401, 403, or 429 with the time to wait. If limits
    /// are shared, may return a locally_admitted_request instead: pass it to decide_with_cluster().
    admission authorize_request(const route& r, const credentials& c, time_point now);
    /// Checks a reply in an admitted session, whose key may have been removed since. The new reply
    /// takes over the permit of `before`, the session's previous reply, so only the permits of
    /// other replies count against the limit. If the new reply is rejected, the caller keeps
    /// `before`.
    admission authorize_reply(const admitted_request& session, time_point now,
                              const std::optional<admitted_request>& before = std::nullopt);
    /// Asks the cluster's store. If the store does not answer, decides by this gateway's share of
    /// the limits. Calls `done` once with the final decision, after this function has returned, but
    /// not if the gateway is closed first.
    void decide_with_cluster(locally_admitted_request request, time_point now,
                             std::function<void(admission)> done) const;
    /// Charges a reply's tokens once their number is known. A key over its limit per minute gets no
    /// further reply until the debt has expired.
    void charge_tokens(const admitted_request& who, time_point now, std::int64_t tokens);

    /// Running requests keep the key that admitted them. Usage is kept by key name, so a new key
    /// with an old name continues that usage. If the last key is removed, all requests are
    /// rejected.
    void replace_keys(api_keys keys);
    /// Whether the gateway requires no key.
    bool allows_anonymous() const noexcept { return allows_anonymous_; }

 private:
    using account_ptr = std::shared_ptr<key_usage>;
    struct claim {
        right needed{};
        /// Only replies count against limits.
        bool is_reply = false;
        /// Permits of this account that the new reply takes over.
        std::int64_t own_permits = 0;
    };

    std::variant<account_ptr, api_error> identify(const route& r, const credentials& c,
                                                  time_point now);
    account_ptr find_account(std::string_view key) const;
    admission admit_if_allowed(const account_ptr& account, const claim& c, time_point now) const;
    admission defer_to_cluster(const account_ptr& account, bool needs_permit) const;
    static admission apply_verdict(locally_admitted_request& request, time_point now,
                                   const std::optional<shared_limits::verdict>& v,
                                   std::int64_t members);

    bool allows_anonymous_;
    api_keys keys_{};
    /// Accounts by key name.
    std::map<std::string, account_ptr, std::less<>> accounts_{};
    account_ptr anonymous_;
    auth_failure_limit failures_{};
    /// nullptr = limits are not shared.
    std::shared_ptr<shared_limits> shared_{};
};

}  // namespace tandem::gateway
