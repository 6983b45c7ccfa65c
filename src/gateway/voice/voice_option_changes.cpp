#include "gateway/voice/voice_option_changes.hpp"

#include "gateway/json/json_text.hpp"

#include "tandem/config_fields.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <type_traits>

namespace tandem::gateway {
namespace {

/// Merges two objects; `changes` takes precedence. Empty = none.
std::string merged_objects(const std::string& base, const std::string& changes) {
    if (base.empty() || changes.empty()) return base.empty() ? changes : base;
    auto all = nlohmann::ordered_json::parse(base);
    all.update(nlohmann::ordered_json::parse(changes));
    return dump_json(all);
}

template <class T>
void set(T& field, const std::optional<T>& change) {
    if (change) field = *change;
}

}  // namespace

generation_options changed(generation_options base, const generation_changes& changes) {
    const auto take = [&](const field_info& to, auto& field) {
        for_each_field(changes.values, [&](const field_info& from, const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(field)>,
                                         std::decay_t<decltype(value)>>)
                if (std::string_view(from.name) == to.name) field = value;
        });
    };
    for_each_field(base, [&](const field_info& f, auto& field) {
        if (std::ranges::find(changes.given, f.name) != changes.given.end()) take(f, field);
    });
    set(base.lookahead, changes.lookahead);
    base.sampling = merged_objects(base.sampling, changes.values.sampling);
    base.template_options = merged_objects(base.template_options, changes.values.template_options);
    return base;
}

conversation_options changed(conversation_options base, const conversation_changes& changes) {
    set(base.interrupted, changes.interrupted);
    set(base.interrupted_mark, changes.interrupted_mark);
    set(base.resume_grace, changes.resume_grace);
    set(base.reply_reserve, changes.reply_reserve);
    set(base.trim_slack, changes.trim_slack);
    // A client must not raise what the service allows.
    if (changes.draft_limit) base.draft_limit = std::min(base.draft_limit, *changes.draft_limit);
    set(base.isolate, changes.isolate);
    return base;
}

}  // namespace tandem::gateway
