#pragma once

#include "gateway/json/api_error.hpp"

#include "tandem/config.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// A LoRA adapter that clients may have: one of those that the servers of a model were started
/// with.
struct allowed_adapter {
    /// As clients know it.
    std::string name{};
    /// As the servers number it.
    int id = 0;
    /// Empty = the only one.
    std::string model{};
};

/// A name has 1 to 64 of [A-Za-z0-9._-], and no adapter begins with a dot.
bool is_adapter_name(std::string_view name) noexcept;

/// All faults of a list; empty if it can be used with these models.
std::vector<config_fault> check_adapters(std::span<const allowed_adapter> list,
                                         std::span<const std::string> models);

/// What a request wants of an adapter.
struct asked_adapter {
    /// A name of the list, or the server's number of one.
    std::string name{};
    double scale = 1.0;

    friend bool operator==(const asked_adapter&, const asked_adapter&) = default;
};

/// The adapters that are allowed, and how much each counts where a request does not say. Pure.
class adapter_set {
 public:
    /// `list` must be free of faults. Nothing counts at first.
    adapter_set(std::vector<allowed_adapter> list, std::span<const std::string> models);

    const std::vector<allowed_adapter>& all() const noexcept { return list_; }
    /// Null if there is none.
    const allowed_adapter* find(std::string_view name) const;
    double scale_of(std::string_view name) const;
    void deploy(std::string_view name, double scale);
    /// Something is deployed for this model.
    bool has_deployed(std::string_view model) const;

    /// What the server receives for a request that names no adapters: each one of the model, those
    /// that do not count too, as the server lets go of what its slot holds of another set only
    /// where it is told one. Empty if the model has no adapters.
    std::vector<adapter_scale> standing(std::string_view model) const;
    /// The same for one that names some: the others do not count. Else the standing set.
    std::variant<std::vector<adapter_scale>, api_error> set_for(
        std::string_view model, const std::optional<std::vector<asked_adapter>>& wanted) const;

 private:
    const allowed_adapter* find(std::string_view model, std::string_view wanted) const;
    std::variant<std::vector<adapter_scale>, api_error> asked(
        std::string_view model, std::span<const asked_adapter> wanted) const;

    std::vector<allowed_adapter> list_;
    std::map<std::string, double, std::less<>> deployed_;
};

}  // namespace tandem::gateway
