// Texts that gateways share, in a real store.

#include "cluster/shared_texts.hpp"
#include "cluster/store_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace {

using namespace tandem::testing;
using namespace std::chrono_literals;
using tandem::cluster::found_text;
using tandem::cluster::shared_texts;

class texts_in_a_store : public store_fixture {
 protected:
    found_text find(const std::string& key) {
        std::optional<found_text> found;
        texts.find(key, 1s, [&](found_text f) { found = std::move(f); });
        EXPECT_TRUE(run_until([&] { return found.has_value(); }));
        return found.value_or(found_text());
    }

    const tandem::time_point now = tandem::time_point(1h);
    tandem::cluster::store_link link{loop.get_executor(), options(), {}};
    shared_texts texts{link, "text:"};
};

TEST_F(texts_in_a_store, are_found_until_their_time_is_over) {
    connect(link);
    texts.put(now, "a", "first", 1min);
    texts.put(now, "a", "second", 1min);
    texts.put(now, "b", "short", 1ms);
    EXPECT_EQ(find("a").text, "second");
    EXPECT_TRUE(run_until([&] { return !find("b").text; }));
    EXPECT_TRUE(find("b").is_answered);
}

TEST_F(texts_in_a_store, are_not_answered_without_it) {
    EXPECT_FALSE(find("a").is_answered);
}

TEST_F(texts_in_a_store, are_bounded) {
    connect(link);
    const std::string text(shared_texts::max_bytes / 2, 'x');
    constexpr auto fit = shared_texts::max_bytes_per_minute / (shared_texts::max_bytes / 2);
    for (std::size_t i = 0; i <= fit; ++i) texts.put(now, std::to_string(i), text, 1min);
    texts.put(now + 2min, "long", text + text, 1min);
    texts.put(now + 2min, "later", "x", 1min);
    EXPECT_EQ(find("later").text, "x");
    EXPECT_EQ(find("0").text, text);
    EXPECT_FALSE(find(std::to_string(fit)).text);
    EXPECT_FALSE(find("long").text);
}

}  // namespace
