#include "wire/stream/sse_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string in_words(const sse_event& e) {
    if (e.what == sse_event::kind::keep_alive) return "keep-alive";
    return std::string(e.type) + "=" + std::string(e.data);
}

void read_all(sse_parser& parser, std::string_view bytes, std::vector<std::string>& out) {
    parser.feed(bytes);
    sse_event e;
    while (parser.next(e)) out.push_back(in_words(e));
}

std::vector<std::string> events_of(std::string_view stream) {
    sse_parser parser;
    std::vector<std::string> out;
    read_all(parser, stream, out);
    return out;
}

TEST(SseParser, GivesTheDataOfEachEvent) {
    EXPECT_THAT(events_of("data: {\"a\":1}\n\ndata: {\"b\":2}\n\n"),
                ElementsAre("message={\"a\":1}", "message={\"b\":2}"));
}

TEST(SseParser, TakesEachKindOfLineEnd) {
    EXPECT_THAT(events_of("data: a\r\n\r\ndata: b\r\rdata: c\n\n"),
                ElementsAre("message=a", "message=b", "message=c"));
}

TEST(SseParser, JoinsLinesOfData) {
    EXPECT_THAT(events_of("data: a\ndata:\ndata: b\n\n"), ElementsAre("message=a\n\nb"));
}

TEST(SseParser, RemovesOneSpaceBeforeAValue) {
    EXPECT_THAT(events_of("data:a\n\ndata:  b\n\n"), ElementsAre("message=a", "message= b"));
}

TEST(SseParser, GivesAnEventWithEmptyData) {
    EXPECT_THAT(events_of("data:\n\n"), ElementsAre("message="));
    EXPECT_THAT(events_of("data\n\n"), ElementsAre("message="));
}

TEST(SseParser, GivesNoEventWithoutData) {
    EXPECT_THAT(events_of("event: x\n\n\n\nid: 3\n\n"), IsEmpty());
}

TEST(SseParser, ForgetsTheTypeOfAnEventWithoutData) {
    EXPECT_THAT(events_of("event: x\n\ndata: a\n\n"), ElementsAre("message=a"));
}

TEST(SseParser, GivesTheTypeOfAnEvent) {
    EXPECT_THAT(events_of("event: ping\ndata: a\n\ndata: b\n\n"),
                ElementsAre("ping=a", "message=b"));
}

TEST(SseParser, SkipsFieldsThatMeanNothingHere) {
    EXPECT_THAT(events_of("id: 1\nretry: 10\nother: x\nDATA: y\ndata: a\n\n"),
                ElementsAre("message=a"));
}

TEST(SseParser, GivesCommentsAsKeepAlive) {
    EXPECT_THAT(events_of(":\n\ndata: a\n: hm\ndata: b\n\n"),
                ElementsAre("keep-alive", "keep-alive", "message=a\nb"));
}

TEST(SseParser, GivesErrorLinesOfOldServersAsErrorEvents) {
    EXPECT_THAT(events_of("error: {\"code\":500}\n\n"), ElementsAre("error={\"code\":500}"));
}

TEST(SseParser, SkipsAByteOrderMarkAtTheStartOnly) {
    EXPECT_THAT(events_of("\xEF\xBB\xBF"
                          "data: a\n\n"),
                ElementsAre("message=a"));
    EXPECT_THAT(events_of("data: a\n\n\xEF\xBB\xBF"
                          "data: b\n\n"),
                ElementsAre("message=a"));
}

TEST(SseParser, GivesNoHalfEvent) {
    for (const std::string_view half : {"data: a\n", "data: a", "da", "event: x\n"}) {
        sse_parser parser;
        std::vector<std::string> out;
        read_all(parser, half, out);
        EXPECT_THAT(out, IsEmpty()) << half;
        EXPECT_TRUE(parser.has_partial()) << half;
    }
}

TEST(SseParser, HasNothingPartialBetweenEvents) {
    for (const std::string_view whole : {"", "data: a\n\n", "data: a\r\n\r\n", ":\n\n", ":\n"}) {
        sse_parser parser;
        std::vector<std::string> out;
        read_all(parser, whole, out);
        EXPECT_FALSE(parser.has_partial()) << whole;
    }
}

TEST(SseParser, DoesNotCopyAnEventThatCameWhole) {
    const std::string_view stream = "data: a\n\ndata: second\n\n";
    sse_parser parser;
    parser.feed(stream);
    sse_event e;
    ASSERT_TRUE(parser.next(e) && parser.next(e));
    EXPECT_EQ(e.data.data(), stream.data() + stream.find("second"));
}

// Every way to split the bytes.

const std::string_view streams[] = {
    "data: {\"content\":\"Hi\"}\n\n:\n\ndata: {\"content\":\"!\"}\n\n",
    "data: a\r\ndata: b\r\n\r\n:x\r\n\r\nevent: e\r\ndata: c\r\n\r\n",
    "data: a\rdata: b\r\rdata: c\r\r",
    "\xEF\xBB\xBF"
    "data: a\n\r\n\rdata\n\n\n\nerror: e\n\ndata: half",
    "data: a\n: between\ndata: b\n\nevent: only\n\ndata:c\n\n",
};

TEST(SseParser, GivesTheSameEventsForEverySplitInThree) {
    for (const auto stream : streams) {
        const auto whole = events_of(stream);
        for (std::size_t i = 0; i <= stream.size(); ++i) {
            for (std::size_t k = i; k <= stream.size(); ++k) {
                sse_parser parser;
                std::vector<std::string> out;
                for (const auto part :
                     {stream.substr(0, i), stream.substr(i, k - i), stream.substr(k)})
                    read_all(parser, std::string(part), out);
                EXPECT_EQ(out, whole) << stream << " split at " << i << " and " << k;
            }
        }
    }
}

TEST(SseParser, GivesTheSameEventsByteByByte) {
    for (const auto stream : streams) {
        sse_parser parser;
        std::vector<std::string> out;
        for (const char c : stream) read_all(parser, std::string(1, c), out);
        EXPECT_EQ(out, events_of(stream)) << stream;
    }
}

std::string random_stream(std::mt19937& random) {
    static constexpr std::string_view parts[] = {
        "data", "event", "error", ":", ": ", "\n", "\n\n", "\r", "\r\n", "x", "id", "\xEF\xBB\xBF"};
    std::uniform_int_distribution<std::size_t> any(0, std::size(parts) - 1);
    std::string stream;
    for (int i = 0; i < 60; ++i) stream += parts[any(random)];
    return stream;
}

TEST(SseParser, GivesTheSameEventsOfRandomStreamsForRandomSplits) {
    for (unsigned seed = 0; seed < 3000; ++seed) {
        std::mt19937 random(seed);
        const auto stream = random_stream(random);
        sse_parser parser(40), whole(40);
        std::vector<std::string> out, expected;
        for (std::size_t at = 0; at < stream.size();) {
            const auto n = std::uniform_int_distribution<std::size_t>(1, 9)(random);
            read_all(parser, std::string(stream.substr(at, n)), out);
            at += n;
        }
        read_all(whole, stream, expected);
        ASSERT_EQ(out, expected) << "seed " << seed;
        ASSERT_EQ(parser.error(), whole.error()) << "seed " << seed;
    }
}

// The size limit.

TEST(SseParser, FailsOnALineOverTheBound) {
    sse_parser parser(10);
    std::vector<std::string> out;
    read_all(parser, "data: 1234\n\n", out);
    EXPECT_FALSE(parser.error());
    read_all(parser, "data: 12345", out);
    EXPECT_EQ(parser.error(), errc::response_too_large);
    EXPECT_THAT(out, ElementsAre("message=1234"));
}

TEST(SseParser, FailsOnAnEventOfManyLinesOverTheBound) {
    sse_parser parser(20);
    std::vector<std::string> out;
    for (int i = 0; i < 6; ++i) read_all(parser, "data\n", out);
    EXPECT_EQ(parser.error(), errc::response_too_large);
}

TEST(SseParser, StaysFailed) {
    sse_parser parser(10);
    std::vector<std::string> out;
    read_all(parser, std::string(11, 'x'), out);
    read_all(parser, "\n\ndata: a\n\n", out);
    EXPECT_THAT(out, IsEmpty());
    EXPECT_EQ(parser.error(), errc::response_too_large);
}

TEST(SseParser, CountsNoCommentsTowardsTheBound) {
    sse_parser parser(10);
    std::vector<std::string> out;
    for (int i = 0; i < 100; ++i) read_all(parser, ": hello\n", out);
    EXPECT_FALSE(parser.error());
}

}  // namespace
}  // namespace tandem::wire
