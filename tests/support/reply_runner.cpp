#include "support/reply_runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tandem::testing {

consumer::consumer(reply r, listener on_chunk)
    : seen_(std::make_shared<received_reply>(std::move(r), std::move(on_chunk))) {
    ask(seen_);
}

std::string consumer::text() const {
    std::string all;
    for (const auto& c : seen_->chunks) all += c.text;
    return all;
}

// The handler must not keep the reply alive, because the destruction of a consumer must destroy the
// handle of its reply.
void consumer::ask(const std::shared_ptr<received_reply>& seen) {
    seen->handle.async_next_chunk(
        [weak = std::weak_ptr(seen)](error_code ec, std::optional<chunk> piece) {
            if (const auto s = weak.lock()) take(s, ec, std::move(piece));
        });
}

void consumer::take(const std::shared_ptr<received_reply>& seen, error_code ec,
                    std::optional<chunk> piece) {
    if (!piece) {
        seen->error = ec;
        seen->ended = true;
        return;
    }
    seen->chunks.push_back(std::move(*piece));
    consumer self(seen);
    seen->on_chunk(self, seen->chunks.back());
    ask(seen);
}

bool reply_runner::run_until(const std::function<bool()>& condition,
                             std::chrono::milliseconds limit) {
    const auto give_up = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > give_up) {
            ADD_FAILURE() << "no result within " << limit.count() << " ms";
            return false;
        }
        ioc.run_one_for(std::chrono::milliseconds(10));
    }
    return true;
}

conversation_state reply_runner::state_of(conversation& c) {
    return call<conversation_state>([&](auto handler) { c.async_state(std::move(handler)); })
        .second;
}

}  // namespace tandem::testing
