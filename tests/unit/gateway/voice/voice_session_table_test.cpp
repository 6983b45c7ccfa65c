#include "gateway/voice/voice_session_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <variant>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr time_point begin_time = time_point(1h);

voice_session_table::random_source counting() {
    return [next = std::uint8_t(0)]() mutable {
        voice_session_table::random_bits bits{};
        bits[15] = next++;
        return bits;
    };
}

struct registry : voice_session_table {
    explicit registry(const voice_limits& limits = {}, random_source random = counting())
        : voice_session_table(limits, std::move(random)) {}

    std::string open(const std::string& owner = "shop") {
        return std::get<admission>(admit(owner, {})).id;
    }
    /// The code of the refusal, or an empty string.
    std::string refusal(const std::string& owner, const std::string& id = {}) {
        const auto answer = admit(owner, id);
        const auto* why = std::get_if<api_error>(&answer);
        return why ? why->code : "";
    }
};

TEST(voice_session_table, gives_each_session_an_id_of_its_own) {
    registry r;
    const auto first = r.open();
    EXPECT_EQ(first.size(), 22u);
    EXPECT_EQ(first, "AAAAAAAAAAAAAAAAAAAAAA");
    EXPECT_NE(r.open(), first);
}

TEST(voice_session_table, writes_ids_that_need_no_escapes_in_an_address) {
    registry r({}, [] {
        voice_session_table::random_bits bits;
        bits.fill(0xff);
        bits[1] = 0xef;
        return bits;
    });
    EXPECT_THAT(r.open(), ::testing::MatchesRegex("[A-Za-z0-9_-]*[_-][A-Za-z0-9_-]*"));
}

TEST(voice_session_table, gives_no_id_twice_even_if_the_bits_repeat) {
    registry r({}, [] { return voice_session_table::random_bits{}; });
    EXPECT_NE(r.open(), r.open());
}

TEST(voice_session_table, lets_a_session_be_taken_up_by_its_key_alone) {
    registry r;
    const auto id = r.open("shop");
    r.keep_without_socket(begin_time, id);
    EXPECT_EQ(r.refusal("bank", id), "session_not_found");
    EXPECT_EQ(r.refusal("bank", "no such thing"), "session_not_found") << "as if there were none";
    EXPECT_TRUE(r.next_expiry());
    const auto taken = std::get<voice_session_table::admission>(r.admit("shop", id));
    EXPECT_EQ(taken.id, id);
    EXPECT_FALSE(r.next_expiry());
}

TEST(voice_session_table, lets_one_with_a_socket_be_taken_over) {
    registry r;
    const auto id = r.open();
    EXPECT_EQ(r.refusal("shop", id), "");
    EXPECT_EQ(r.size(), 1u);
}

TEST(voice_session_table, keeps_one_without_a_socket_for_its_time) {
    registry r({.session_kept = 60s});
    const auto first = r.open();
    const auto second = r.open();
    EXPECT_EQ(r.next_expiry(), std::nullopt);
    r.keep_without_socket(begin_time, first);
    r.keep_without_socket(begin_time + 5s, second);
    EXPECT_EQ(r.next_expiry(), begin_time + 60s);
    EXPECT_THAT(r.take_expired(begin_time + 59s), IsEmpty());
    EXPECT_THAT(r.take_expired(begin_time + 60s), ElementsAre(first));
    EXPECT_EQ(r.refusal("shop", first), "session_not_found");
    EXPECT_EQ(r.next_expiry(), begin_time + 65s);
}

TEST(voice_session_table, counts_the_time_from_the_last_socket) {
    registry r({.session_kept = 60s});
    const auto id = r.open();
    r.keep_without_socket(begin_time, id);
    r.keep_without_socket(begin_time + 10s, id);
    EXPECT_EQ(r.next_expiry(), begin_time + 60s) << "it had none already";
    EXPECT_EQ(r.refusal("shop", id), "");
    EXPECT_THAT(r.take_expired(begin_time + 60s), IsEmpty());
    r.keep_without_socket(begin_time + 70s, id);
    EXPECT_EQ(r.next_expiry(), begin_time + 130s);
}

TEST(voice_session_table, drops_the_keys_own_oldest_one_without_a_socket_for_a_new_one) {
    registry r({.sessions_per_key = 2});
    const auto other = r.open("bank");
    const auto first = r.open("shop");
    const auto second = r.open("shop");
    r.keep_without_socket(begin_time, other);
    r.keep_without_socket(begin_time, second);
    r.keep_without_socket(begin_time + 1s, first);
    const auto third = std::get<voice_session_table::admission>(r.admit("shop", {}));
    EXPECT_EQ(third.dropped, second);
    EXPECT_EQ(r.refusal("shop", second), "session_not_found");
    EXPECT_EQ(r.size(), 3u);
}

TEST(voice_session_table, refuses_a_new_one_if_all_of_the_key_have_sockets) {
    registry r({.sessions_per_key = 1});
    const auto id = r.open("shop");
    EXPECT_EQ(r.refusal("shop"), "too_many_sessions");
    EXPECT_EQ(r.refusal("bank"), "") << "others are not harmed";
    r.forget(id);
    EXPECT_EQ(r.refusal("shop"), "");
}

TEST(voice_session_table, drops_the_oldest_of_all_if_the_gateway_is_full) {
    registry r({.sessions = 2});
    const auto first = r.open("shop");
    r.open("bank");
    EXPECT_EQ(r.refusal("inn"), "too_many_sessions");
    r.keep_without_socket(begin_time, first);
    EXPECT_EQ(std::get<voice_session_table::admission>(r.admit("inn", {})).dropped, first);
    EXPECT_EQ(r.size(), 2u);
}

TEST(voice_session_table, minds_no_ids_that_it_does_not_know) {
    registry r;
    r.keep_without_socket(begin_time, "nothing");
    r.forget("nothing");
    EXPECT_EQ(r.size(), 0u);
    EXPECT_EQ(r.next_expiry(), std::nullopt);
}

// Compares the table with a plain list of the sessions that are open or kept.
TEST(voice_session_table, stay_within_their_bounds_whatever_happens) {
    const voice_limits limits{.session_kept = 20s, .sessions_per_key = 3, .sessions = 7};
    std::mt19937 random(1);
    registry r(limits, [&random] {
        voice_session_table::random_bits bits;
        for (auto& b : bits) b = static_cast<std::uint8_t>(random());
        return bits;
    });
    std::set<std::pair<std::string, std::string>> known;  // owner, id
    const auto without = [&](const std::string& id) {
        std::erase_if(known, [&](const auto& k) { return k.second == id; });
    };
    auto now = begin_time;
    for (int i = 0; i < 20'000 && !::testing::Test::HasFailure(); ++i) {
        now += std::chrono::seconds(random() % 3);
        const std::string owner(1, static_cast<char>('a' + random() % 4));
        const auto some =
            known.empty()
                ? ""
                : std::next(known.begin(), static_cast<int>(random() % known.size()))->second;
        switch (random() % 4) {
            case 0: {
                const auto answer = r.admit(owner, {});
                if (const auto* a = std::get_if<voice_session_table::admission>(&answer)) {
                    if (a->dropped) without(*a->dropped);
                    EXPECT_TRUE(known.emplace(owner, a->id).second);
                }
                break;
            }
            case 1:
                if (some.empty()) break;
                EXPECT_EQ(r.refusal(owner, some).empty(), known.contains({owner, some}));
                break;
            case 2:
                r.keep_without_socket(now, some);
                break;
            default:
                if (random() % 8 != 0) break;
                r.forget(some);
                without(some);
        }
        for (const auto& id : r.take_expired(now)) without(id);
        EXPECT_EQ(r.size(), known.size());
        EXPECT_LE(r.size(), limits.sessions);
        EXPECT_LE(std::ranges::count(known, owner, [](const auto& k) { return k.first; }), 3);
    }
}

}  // namespace
}  // namespace tandem::gateway
