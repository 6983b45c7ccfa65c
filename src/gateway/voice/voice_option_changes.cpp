#include "gateway/voice/voice_option_changes.hpp"

#include "gateway/json/json_text.hpp"
#include "gateway/voice/voice_fields.hpp"

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

generation_options without_thinking(generation_options o) {
    if (o.delivery.reasoning_limit.value_or(duration{}) > duration{} ||
        o.delivery.reasoning_limit_tokens.value_or(0) > 0)
        return o;
    auto all = o.template_options.empty() ? nlohmann::ordered_json::object()
                                          : nlohmann::ordered_json::parse(o.template_options);
    auto& values = all["chat_template_kwargs"];
    if (all.contains("reasoning_effort")) return o;
    for (const auto& value : values.items())
        if (value.key().find("think") != std::string::npos ||
            value.key().find("reason") != std::string::npos)
            return o;
    values["enable_thinking"] = false;
    o.template_options = dump_json(all);
    return o;
}

bool has_thinking_off(const generation_options& options) {
    return options.template_options.find(R"("enable_thinking":false)") != std::string::npos;
}

generation_options apply_changes(generation_options base, const generation_changes& changes) {
    const auto take = [&](const field_info& to, auto& field) {
        for_each_field(changes.values, [&](const field_info& from, const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(field)>,
                                         std::decay_t<decltype(value)>>)
                if (std::string_view(from.name) == to.name) field = value;
        });
    };
    const auto is_given = [&](std::string_view name) {
        return std::ranges::find(changes.given, name) != changes.given.end();
    };
    for_each_field(base, [&](const field_info& f, auto& field) {
        if (is_given(f.name)) take(f, field);
    });
    set(base.lookahead, changes.lookahead);
    if (is_given("context")) base.context = changes.values.context;
    for_each_delivery_field([&](const char*, auto field) {
        if (const auto& change = changes.values.delivery.*field) base.delivery.*field = change;
    });
    base.sampling = merged_objects(base.sampling, changes.values.sampling);
    base.template_options = merged_objects(base.template_options, changes.values.template_options);
    return base;
}

conversation_options apply_changes(conversation_options base, const conversation_changes& changes) {
    set(base.interrupted, changes.interrupted);
    set(base.interrupted_mark, changes.interrupted_mark);
    set(base.resume_grace, changes.resume_grace);
    set(base.reply_reserve, changes.reply_reserve);
    set(base.trim_slack, changes.trim_slack);
    set(base.trim, changes.trim);
    // A client can lower the service's limit, but must not raise it.
    if (changes.draft_limit) base.draft_limit = std::min(base.draft_limit, *changes.draft_limit);
    set(base.isolate, changes.isolate);
    return base;
}

}  // namespace tandem::gateway
