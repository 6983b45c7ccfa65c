#include "cluster/shared_texts.hpp"

#include <chrono>
#include <utility>

namespace tandem::cluster {

shared_texts::shared_texts(store_link& link, std::string prefix)
    : link_(link), prefix_(std::move(prefix)) {}

void shared_texts::put(const std::string& key, std::string text, duration kept) {
    if (text.size() > max_bytes) return;
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(kept).count();
    link_.run({"SET", prefix_ + key, std::move(text), "PX", std::to_string(ms)},
              [](const auto&) {});
}

void shared_texts::find(const std::string& key, duration limit, find_handler done) {
    link_.run(
        {"GET", prefix_ + key},
        [done = std::move(done)](const auto& answer) {
            const bool is_found = answer && answer->kind == answer_kind::text;
            done(is_found ? std::optional(answer->text) : std::nullopt);
        },
        limit);
}

}  // namespace tandem::cluster
