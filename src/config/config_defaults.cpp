#include "config/config_defaults.hpp"

#include <utility>

namespace tandem::detail {
namespace {

template <class T>
void fill_unset(std::optional<T>& value, const std::optional<T>& defaults) {
    if (!value) value = defaults;
}

}  // namespace

config apply_client_sampling_defaults(config c) {
    static const generation_options sampling{.temperature = 0.0,
                                             .top_p = 0.95,
                                             .top_k = 40,
                                             .min_p = 0.05,
                                             .repeat_penalty = 1.1,
                                             .repeat_last_n = 64,
                                             .presence_penalty = 0.0,
                                             .frequency_penalty = 0.0};
    c.generation = merge_sampling_defaults(std::move(c.generation), sampling);
    return c;
}

std::optional<duration> configured_reuse_guard(const config& c) {
    return c.server.reuse_guard == auto_guard ? std::nullopt : c.server.reuse_guard;
}

generation_options merge_sampling_defaults(generation_options o,
                                           const generation_options& defaults) {
    fill_unset(o.temperature, defaults.temperature);
    fill_unset(o.top_p, defaults.top_p);
    fill_unset(o.top_k, defaults.top_k);
    fill_unset(o.min_p, defaults.min_p);
    fill_unset(o.repeat_penalty, defaults.repeat_penalty);
    fill_unset(o.repeat_last_n, defaults.repeat_last_n);
    fill_unset(o.presence_penalty, defaults.presence_penalty);
    fill_unset(o.frequency_penalty, defaults.frequency_penalty);
    fill_unset(o.seed, defaults.seed);
    return o;
}

}  // namespace tandem::detail
