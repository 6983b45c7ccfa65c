#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Spans as OpenTelemetry defines them.
namespace tandem::gateway {

using attribute_value =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;
using attribute_list = std::vector<std::pair<std::string, attribute_value>>;

struct span_event {
    std::string name{};
    std::int64_t unix_ns = 0;
    attribute_list attributes{};
};

struct span {
    enum class kind { server = 2, client = 3 };  // the numbers of OTLP

    /// `trace` has 32 hexadecimal digits, `id` and `parent` have 16; a trace's first span has no
    /// `parent`.
    std::string trace{};
    std::string id{};
    std::string parent{};
    std::string name{};
    kind what = kind::server;
    std::int64_t began_unix_ns = 0;
    std::int64_t ended_unix_ns = 0;
    attribute_list attributes{};
    /// Ordered by time.
    std::vector<span_event> events{};
    int dropped_events = 0;
    /// The name of the error that ended the span; empty if there was no error.
    std::string error{};
};

}  // namespace tandem::gateway
