#include "cluster/shared_texts.hpp"

#include <chrono>
#include <utility>

namespace tandem::cluster {

shared_texts::shared_texts(store_link& link, std::string prefix)
    : link_(link), prefix_(std::move(prefix)) {}

void shared_texts::put(const std::string& key, std::string text, duration kept) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(kept).count();
    link_.run({"SET", prefix_ + key, std::move(text), "PX", std::to_string(ms)},
              [](const auto&) {});
}

void shared_texts::put_long(time_point now, const std::string& key, duration kept,
                            std::size_t least_bytes,
                            const std::function<std::string()>& make_text) {
    if (!budget_.has_room(now, least_bytes)) return;
    auto text = make_text();
    if (budget_.spend_if_room(now, text.size())) put(key, std::move(text), kept);
}

void shared_texts::find(const std::string& key, duration limit, find_handler done) {
    link_.run(
        {"GET", prefix_ + key},
        [done = std::move(done)](const auto& answer) {
            found_text found{.is_answered = answer && answer->kind != answer_kind::error};
            if (answer && answer->kind == answer_kind::text) found.text = answer->text;
            done(std::move(found));
        },
        limit);
}

}  // namespace tandem::cluster
