#include "cluster_status/store_facts.hpp"

#include "base/parse_number.hpp"

#include <fmt/format.h>

namespace tandem::command {
namespace {

// The value of a line "name:value\r\n".
std::string_view find_field(std::string_view text, std::string_view name) {
    const auto head = fmt::format("\n{}:", name);
    const auto at = text.find(head);
    if (at == text.npos) return {};
    const auto value = text.substr(at + head.size());
    return value.substr(0, value.find_first_of("\r\n"));
}

template <class Number>
Number read_number(std::string_view text) {
    return parse_number<Number>(text).value_or(0);
}

std::string describe_product(std::string_view info, std::string_view redis_version) {
    const auto valkey = find_field(info, "valkey_version");
    if (!valkey.empty()) return fmt::format("Valkey {}", valkey);
    return redis_version.empty() ? "" : fmt::format("Redis {}", redis_version);
}

}  // namespace

store_facts parse_store_info(std::string_view text) {
    const auto version = find_field(text, "redis_version");
    return {.product = describe_product(text, version),
            .major_version = read_number<int>(version.substr(0, version.find('.'))),
            .is_replica = find_field(text, "role") == "slave",
            .eviction_policy = std::string(find_field(text, "maxmemory_policy")),
            .used_bytes = read_number<std::int64_t>(find_field(text, "used_memory")),
            .max_bytes = read_number<std::int64_t>(find_field(text, "maxmemory"))};
}

}  // namespace tandem::command
