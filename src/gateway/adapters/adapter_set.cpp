#include "gateway/adapters/adapter_set.hpp"

#include "gateway/json/field_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::gateway {
namespace {

bool is_name_character(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

std::string names_of(std::span<const allowed_adapter> list, std::string_view model) {
    std::string names;
    for (const auto& a : list)
        if (a.model == model) names += (names.empty() ? "" : ", ") + a.name;
    return names.empty() ? "none" : names;
}

api_error refused(std::string code, std::size_t place, std::string message) {
    return make_error(400, std::move(code), std::move(message),
                      append_path(append_path("lora", place), "id"));
}

void check_adapter(const allowed_adapter& a, std::span<const std::string> models,
                   std::vector<config_fault>& faults) {
    const auto add = [&](std::string words) {
        faults.push_back({"adapters", fmt::format("{} {}", a.name, words)});
    };
    if (!is_adapter_name(a.name))
        add("is not a valid name; it must be 1 to 64 of A-Z, a-z, 0-9, . _ -");
    if (a.id < 0 || a.id > max_adapter_id)
        add(fmt::format("has the id {}; it must be 0 to {}", a.id, max_adapter_id));
    if (a.model.empty() && models.size() > 1) add("does not name a model, but there are several");
    if (!a.model.empty() && std::ranges::find(models, a.model) == models.end())
        add(fmt::format("is for the model {}, which is not served", a.model));
}

}  // namespace

bool is_adapter_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= 64 && name[0] != '.' &&
           std::ranges::all_of(name, is_name_character);
}

std::vector<config_fault> check_adapters(std::span<const allowed_adapter> list,
                                         std::span<const std::string> models) {
    std::vector<config_fault> faults;
    if (list.size() > max_adapters)
        faults.push_back({"adapters", fmt::format("has {} adapters; the maximum is {}", list.size(),
                                                  max_adapters)});
    for (std::size_t i = 0; i < list.size(); ++i) {
        check_adapter(list[i], models, faults);
        for (const auto& before : list.first(i)) {
            if (before.name == list[i].name)
                faults.push_back({"adapters", fmt::format("{} is given twice", before.name)});
            else if (before.id == list[i].id && before.model == list[i].model)
                faults.push_back({"adapters", fmt::format("{} and {} have the id {}", before.name,
                                                          list[i].name, before.id)});
        }
    }
    return faults;
}

adapter_set::adapter_set(std::vector<allowed_adapter> list, std::span<const std::string> models)
    : list_(std::move(list)) {
    for (auto& a : list_)
        if (a.model.empty()) a.model = models.front();
}

const allowed_adapter* adapter_set::find(std::string_view name) const {
    const auto found = std::ranges::find(list_, name, &allowed_adapter::name);
    return found == list_.end() ? nullptr : &*found;
}

// Names take precedence, because a name may look like a number.
const allowed_adapter* adapter_set::find(std::string_view model, std::string_view wanted) const {
    if (const auto* named = find(wanted); named && named->model == model) return named;
    const auto found = std::ranges::find_if(list_, [&](const allowed_adapter& a) {
        return a.model == model && std::to_string(a.id) == wanted;
    });
    return found == list_.end() ? nullptr : &*found;
}

double adapter_set::deployed_scale(std::string_view name) const {
    const auto found = deployed_.find(name);
    return found == deployed_.end() ? 0.0 : found->second;
}

void adapter_set::set_deployed_scale(std::string_view name, double scale) {
    deployed_.insert_or_assign(std::string(name), scale);
}

bool adapter_set::has_deployed_adapters(std::string_view model) const {
    return std::ranges::any_of(list_, [&](const allowed_adapter& a) {
        return a.model == model && deployed_.contains(a.name);
    });
}

std::vector<adapter_scale> adapter_set::deployed_scales(std::string_view model) const {
    std::vector<adapter_scale> set;
    for (const auto& a : list_)
        if (a.model == model) set.push_back({a.id, deployed_scale(a.name)});
    return set;
}

std::variant<std::vector<adapter_scale>, api_error> adapter_set::select_adapters(
    std::string_view model, const std::optional<std::vector<requested_adapter>>& wanted) const {
    auto set = deployed_scales(model);
    if (!wanted) return set;
    for (auto& a : set) a.scale = 0;
    std::vector<int> seen;
    for (std::size_t i = 0; i < wanted->size(); ++i) {
        const auto& [name, scale] = (*wanted)[i];
        const auto* adapter = find(model, name);
        if (!adapter)
            return refused("adapter_not_found", i,
                           fmt::format("the model {} has no adapter \"{}\"; available: {}", model,
                                       quote_text(name), names_of(list_, model)));
        if (std::ranges::find(seen, adapter->id) != seen.end())
            return refused("invalid_value", i, fmt::format("{} is given twice", adapter->name));
        seen.push_back(adapter->id);
        std::ranges::find(set, adapter->id, &adapter_scale::id)->scale = scale;
    }
    return set;
}

}  // namespace tandem::gateway
