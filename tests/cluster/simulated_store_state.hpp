#pragma once

#include "cluster/store/store_script.hpp"

#include <string>

namespace tandem::testing {

/// Makes the script read the store's state from keys that a test sets: the time from `clock` (in
/// ms), and the id of the store's run from `run`. A process has lost its connection if the key
/// `gone:<process>` exists.
inline cluster::store_script with_simulated_store_state(const cluster::store_script& script) {
    auto text = script.text();
    const auto replace = [&](const std::string& real, const std::string& played) {
        if (const auto at = text.find(real); at != text.npos) text.replace(at, real.size(), played);
    };
    replace("redis.call('TIME')", "{0, redis.call('GET', 'clock') * 1000}");
    replace("string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')",
            "redis.call('GET', 'run')");
    replace("redis.call('PUBSUB', 'NUMSUB', process)[2] > 0",
            "redis.call('EXISTS', 'gone:' .. process) == 0");
    return cluster::store_script(text);
}

}  // namespace tandem::testing
