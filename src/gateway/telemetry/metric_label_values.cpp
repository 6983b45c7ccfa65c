#include "gateway/telemetry/metric_label_values.hpp"

#include "gateway/access/routes.hpp"

#include <algorithm>

namespace tandem::gateway {

std::string route_label(std::string_view path) {
    const auto routes = all_routes();
    const bool is_known =
        std::ranges::any_of(routes, [&](const route& r) { return r.path == path; });
    return is_known ? std::string(path) : other_label;
}

std::string status_label(int status) {
    return status >= 100 && status < 600 ? std::to_string(status) : no_label;
}

// Error codes of other categories share one label, because their number is unbounded.
std::string error_label(const error_code& ec) {
    return ec.category() == error_category() ? error_name(ec) : other_label;
}

}  // namespace tandem::gateway
