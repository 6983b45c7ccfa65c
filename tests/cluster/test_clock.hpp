#pragma once

#include "cluster/store/store_script.hpp"

#include <string>

namespace tandem::testing {

/// The script with a clock that the test sets: the key `clock`, in ms.
inline cluster::store_script with_test_clock(const cluster::store_script& script) {
    auto text = script.text();
    const std::string real = "redis.call('TIME')";
    text.replace(text.find(real), real.size(), "{0, redis.call('GET', 'clock') * 1000}");
    return cluster::store_script(text);
}

}  // namespace tandem::testing
