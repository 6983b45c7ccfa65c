// Conversations that are not paced by a voice, and conversations without a chat template.

#include "service_fixture.hpp"

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class a_stream : public service_and_mocks {};

TEST_F(a_stream, streams_a_reply_by_token_with_one_request) {
    start();
    auto talk = bots->create();
    talk.append({.role = "user", .content = "Hello!"});
    consumer reply(talk.stream({}, stream_by::token));
    loop.run_to_end(reply);
    EXPECT_EQ(reply.text(), "Hello. How are you? I am very well today, thank you.");
    EXPECT_GT(reply.chunks().size(), 10u);
    for (const auto& piece : reply.chunks()) EXPECT_EQ(piece.speech, piece.text);
    // Skips the last chunk, because its boundary depends on when the end of the stream arrives.
    for (std::size_t i = 0; i + 1 < reply.chunks().size(); ++i)
        EXPECT_EQ(reply.chunks()[i].boundary, boundary::limit);
    EXPECT_EQ(reply.result().metrics.requests, 1);
    EXPECT_EQ(reply.result().metrics.cuts, 0);
    EXPECT_EQ(message(talk, -1), reply.text());
}

TEST_F(a_stream, streams_a_reply_by_chunk_with_one_request) {
    start();
    auto talk = bots->create();
    talk.append({.role = "user", .content = "Hello!"});
    consumer reply(talk.stream({}));
    loop.run_to_end(reply);
    ASSERT_THAT(reply.chunks(), SizeIs(3));
    EXPECT_EQ(reply.chunks()[1].text, " How are you?");
    EXPECT_EQ(reply.result().metrics.requests, 1);
}

TEST_F(a_stream, sends_its_messages_without_a_template_if_it_is_raw) {
    server_options.replies.push_back({"Once upon", " a time."});
    server_options.replies.push_back({"Once upon a time. Then", " she left."});
    config.conversation.raw = true;
    start();
    auto talk = bots->create();
    EXPECT_EQ(say(talk, "Once upon").text(), " a time.");
    EXPECT_EQ(say(talk, " Then").text(), " she left.");
    EXPECT_THAT(server().observe().of_path("/apply-template"), IsEmpty());
}

}  // namespace
