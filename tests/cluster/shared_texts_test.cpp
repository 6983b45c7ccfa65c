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
    texts.put("a", "first", 1min);
    texts.put("a", "second", 1min);
    texts.put("b", "short", 1ms);
    EXPECT_EQ(find("a").text, "second");
    EXPECT_TRUE(run_until([&] { return !find("b").text; }));
    EXPECT_TRUE(find("b").is_answered);
}

TEST_F(texts_in_a_store, are_made_only_if_the_budget_may_allow_them) {
    connect(link);
    const auto too_long = tandem::cluster::write_budget::max_bytes + 1;
    int made = 0;
    const auto make = [&](std::size_t bytes) {
        return [&made, bytes] {
            ++made;
            return std::string(bytes, 'x');
        };
    };
    texts.put_long(now, "a", 1min, too_long, make(too_long));
    EXPECT_EQ(made, 0);
    texts.put_long(now, "b", 1min, 3, make(too_long));
    texts.put_long(now, "c", 1min, 3, make(4));
    EXPECT_EQ(made, 2);
    EXPECT_FALSE(find("b").text);
    EXPECT_EQ(find("c").text, "xxxx");
}

TEST_F(texts_in_a_store, are_not_answered_without_it) {
    EXPECT_FALSE(find("a").is_answered);
}

}  // namespace
