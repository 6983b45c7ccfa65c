#pragma once

#include "gateway/access/api_keys.hpp"
#include "gateway/access/permit.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tandem::gateway {

struct key_usage;

/// A request that passed the checks. Only an authorizer can create an admitted_request, so a
/// function that takes one never runs for an unchecked request. A request for a reply also holds
/// one of its key's permits, which may outlive the authorizer.
class admitted_request {
 public:
    admitted_request(admitted_request&&) noexcept = default;
    admitted_request& operator=(admitted_request&&) noexcept = default;

    /// "anonymous" if the gateway requires no key.
    const std::string& key_name() const noexcept { return key_->name; }
    reply_priority priority() const noexcept { return key_->priority; }
    /// Models that the key may use; empty = all.
    const std::vector<std::string>& models() const noexcept { return key_->models; }

    /// Releases the permit. Call this when the reply has ended.
    void release() noexcept { permit_.release(); }

 private:
    friend class authorizer;
    admitted_request(std::shared_ptr<key_usage> account, permit p);

    std::shared_ptr<const api_key> key_;
    std::shared_ptr<key_usage> account_;
    permit permit_;
};

/// A request for a reply that still needs the cluster's decision, because other gateways may have
/// used up the key's limits. Pass it to authorizer::decide_with_cluster().
class locally_admitted_request {
 private:
    friend class authorizer;
    locally_admitted_request(std::shared_ptr<key_usage> account, permit p);

    std::shared_ptr<key_usage> account_;
    /// Empty if the reply takes over another reply's permit.
    permit permit_;
};

}  // namespace tandem::gateway
