#pragma once

#include "support/captured_log.hpp"
#include "support/reply_runner.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace tandem::testing {

/// Receives a whole reply with the text `text`. Continues each chunk only once the slot for the
/// next chunk has been prefilled, as is normal when sentences are spoken. `log` is the client's log
/// at debug level.
inline consumer receive_prefilled_reply(reply_runner& loop, const captured_log& log, reply r,
                                        const std::string& text) {
    std::optional<chunk> waiting;
    consumer said(std::move(r), [&](consumer&, const chunk& piece) { waiting = piece; });
    std::size_t prefilled = log.count(log_level::debug, "prefilled");
    while (loop.run_until([&] { return waiting || said.ended(); }) && waiting) {
        // No prefill follows the last chunk, so the loop must not wait for one.
        const auto is_last = [&] { return said.text() == text || said.ended(); };
        const bool is_ready = loop.run_until(
            [&] { return is_last() || log.count(log_level::debug, "prefilled") > prefilled; });
        if (!is_ready) break;
        prefilled = log.count(log_level::debug, "prefilled");
        said.go_on(*std::exchange(waiting, std::nullopt));
    }
    loop.run_to_end(said);
    return said;
}

}  // namespace tandem::testing
