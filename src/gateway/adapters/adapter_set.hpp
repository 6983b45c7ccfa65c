#pragma once

#include "gateway/json/api_error.hpp"

#include "tandem/config.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// A LoRA adapter that clients may use. The servers of its model must have been started with this
/// adapter.
struct allowed_adapter {
    /// The name in client requests.
    std::string name{};
    /// The adapter's number on the servers.
    int id = 0;
    /// Empty = the only model.
    std::string model{};
};

/// A name consists of 1 to 64 characters of [A-Za-z0-9._-] and does not begin with a dot.
bool is_adapter_name(std::string_view name) noexcept;

/// Checks a list of adapters for use with these models; returns all faults.
std::vector<config_fault> check_adapters(std::span<const allowed_adapter> list,
                                         std::span<const std::string> models);

struct requested_adapter {
    /// A name in the list, or the adapter's number on the server.
    std::string name{};
    double scale = 1.0;

    friend bool operator==(const requested_adapter&, const requested_adapter&) = default;
};

/// The allowed adapters, and each adapter's scale in requests that select no adapters. Pure.
class adapter_set {
 public:
    /// `list` must be free of faults. All scales are 0 at first.
    adapter_set(std::vector<allowed_adapter> list, std::span<const std::string> models);

    const std::vector<allowed_adapter>& all() const noexcept { return list_; }
    /// Returns nullptr if there is none.
    const allowed_adapter* find(std::string_view name) const;
    double deployed_scale(std::string_view name) const;
    void set_deployed_scale(std::string_view name, double scale);
    bool has_deployed_adapters(std::string_view model) const;

    /// The scales for a request that selects no adapters. Contains all adapters of the model, even
    /// those with scale 0: the server discards what a slot has cached with other adapters only if
    /// the request lists adapters. Empty if the model has no adapters.
    std::vector<adapter_scale> deployed_scales(std::string_view model) const;
    /// The scales for a request that selects `wanted`; all other adapters get 0. Without `wanted`,
    /// returns deployed_scales().
    std::variant<std::vector<adapter_scale>, api_error> select_adapters(
        std::string_view model, const std::optional<std::vector<requested_adapter>>& wanted) const;

 private:
    const allowed_adapter* find(std::string_view model, std::string_view wanted) const;

    std::vector<allowed_adapter> list_;
    std::map<std::string, double, std::less<>> deployed_;
};

}  // namespace tandem::gateway
