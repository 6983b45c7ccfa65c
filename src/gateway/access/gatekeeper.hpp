#pragma once

#include "base/time.hpp"
#include "gateway/access/api_keys.hpp"
#include "gateway/access/failure_limit.hpp"
#include "gateway/access/permit.hpp"
#include "gateway/access/routes.hpp"
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

struct key_account;

/// A request that passed the check: only a gatekeeper makes one, so that what asks for one cannot
/// be reached unchecked. For a reply it also holds a permit of its key, which may outlive the
/// gatekeeper.
class admitted {
 public:
    admitted(admitted&&) noexcept = default;
    admitted& operator=(admitted&&) noexcept = default;

    /// "anonymous" if no key was needed.
    const std::string& key_name() const noexcept { return key_->name; }
    reply_priority priority() const noexcept { return key_->priority; }
    /// Those that it may use; empty = all.
    const std::vector<std::string>& models() const noexcept { return key_->models; }

    /// The reply has ended.
    void release() noexcept { permit_.release(); }

 private:
    friend class gatekeeper;
    admitted(std::shared_ptr<key_account> account, permit p);

    std::shared_ptr<const api_key> key_;
    std::shared_ptr<key_account> account_;
    permit permit_;
};

using admission = std::variant<admitted, api_error>;

/// Nothing if it may use the model, by the name that was resolved for it; else 403.
std::optional<api_error> may_use(const admitted& who, std::string_view model);

/// What a request says of who sends it: values of headers, and the address without its port.
struct credentials {
    std::string_view authorization{};
    /// Read for a WebSocket only, where there is no authorization.
    std::string_view websocket_protocols{};
    /// Of the web page that sends it; empty if none does.
    std::string_view origin{};
    std::string_view remote{};
};

/// The one check that every request passes before it is queued: who it is, whether that key may do
/// this, and whether it does so too often. Requests to all but open routes count, refused ones do
/// not. Without any keys all may do all, except web pages of other machines: a browser would let
/// each page that its user reads talk to a gateway on loopback.
///
/// Failed attempts are limited for each client address: one over the limit is refused unheard, so
/// that guessing at keys is slow; but not those keys that were used from there before, so that a
/// client with a wrong key does not lock out its neighbors behind the same proxy.
///
/// Pure and not thread-safe: for one strand, or one lock.
class gatekeeper {
 public:
    explicit gatekeeper(api_keys keys);

    /// Admits the request, or returns why not: 401, 403, or 429 with the time to wait.
    admission check(const route& r, const credentials& c, time_point now);
    /// The same for a reply in a session that was let in before, whose key may have gone since. The
    /// reply's ticket takes the place of `before`, that of the session's reply before, which is
    /// therefore not counted against it, and is the caller's to keep where the new one is refused.
    admission check_reply(const admitted& session, time_point now,
                          const std::optional<admitted>& before = std::nullopt);
    /// Tells the tokens of a reply, when they are known. A key that has used up what it may use in
    /// a minute gets no further reply until they are paid off.
    void charge(const admitted& who, time_point now, std::int64_t tokens);

    /// What runs continues, as it was let in. What a key has used is kept by its name. Where there
    /// were keys before, and none are left, nobody gets in.
    void replace_keys(api_keys keys);
    /// No key is needed.
    bool is_open() const noexcept { return is_open_; }

 private:
    using account_ptr = std::shared_ptr<key_account>;
    struct claim {
        right needed{};
        bool is_reply = false;
        /// Seats of the account that it gives back for the new one.
        std::int64_t own_permits = 0;
    };

    std::variant<account_ptr, api_error> identify(const route& r, const credentials& c,
                                                  time_point now);
    account_ptr account_of(std::string_view key) const;
    static std::optional<api_error> refusal(const key_account& account, const claim& c,
                                            time_point now);
    static admission let_in(const account_ptr& account, const claim& c, time_point now);

    bool is_open_;
    api_keys keys_{};
    /// By the names of keys.
    std::map<std::string, account_ptr, std::less<>> accounts_{};
    account_ptr anonymous_;
    failure_limit failures_{};
};

}  // namespace tandem::gateway
