#include "gateway/cluster/unrecorded_chunk.hpp"

#include "conversation/history/turn_history.hpp"

#include "tandem/saved_conversation.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace tandem::gateway {
namespace {

// The first sentence of the first reply was sent, recorded and heard.
session_record make_lost_session() {
    saved_conversation talk;
    talk.exchanges = {{.messages = {{.role = "user", .content = "Hi"}}}};
    talk.open_turn = saved_open_turn{.text = "One two.", .handed_over = 8, .heard = 8, .spoken = 8};
    return {.last_number = 1,
            .conversation = saved_text(talk),
            .reply = recorded_reply{.number = 1, .id = 7, .chunks = 1, .text = "One two."},
            .resumes = true};
}

// The session is lost again during the next reply, which began while the voice was still speaking
// the first sentence. Nothing of the second reply was recorded.
session_record make_session_lost_again() {
    auto r = make_lost_session();
    saved_conversation talk;
    read_saved(r.conversation, talk);
    talk.open_turn->heard = talk.open_turn->spoken = 0;
    talk.open_turn->chunks = {{.reply = 7, .seq = 0, .begin = 0, .end = 8}};
    r.conversation = saved_text(talk);
    r.reply_before = r.reply;
    r.reply = recorded_reply{.number = 2};
    r.last_number = 2;
    return r;
}

voice::last_heard last_of(client_chunk_id chunk, std::string text) {
    voice::last_heard last;
    last.chunk = chunk;
    last.text = std::move(text);
    return last;
}

void add(session_record& r, const voice::last_heard& last) {
    add_unrecorded_chunk(r, last, prompt_filter({.denied = {"blue moon"}, .max_bytes = 40}));
}

// What the next gateway still speaks if the listener heard `characters` of the last chunk.
std::optional<std::string> rest_after(const session_record& r, std::size_t characters) {
    saved_conversation talk;
    if (const auto fault = read_saved(r.conversation, talk)) return fault->message;
    conversations::turn_history there(talk, time_point{});
    there.record_heard({}, {r.reply->id, r.reply->chunks - 1}, characters);
    return there.resume({});
}

TEST(unrecorded_chunk, is_heard_as_far_as_its_speech_was) {
    auto r = make_lost_session();
    add(r, last_of({1, 1}, "One two. Three four."));
    EXPECT_EQ(r.reply->chunks, 2U);
    ASSERT_EQ(r.reply->unspoken.size(), 1U);
    EXPECT_EQ(r.reply->unspoken[0].speech, "Three four.");
    EXPECT_EQ(rest_after(r, 5), " four.");
    EXPECT_EQ(rest_after(r, 11), "");
    EXPECT_EQ(rest_after(r, 0), " Three four.");
}

TEST(unrecorded_chunk, is_not_taken_for_one_of_the_reply_before) {
    auto r = make_session_lost_again();
    add(r, last_of({2, 0}, " Three four."));
    EXPECT_NE(r.reply->id, r.reply_before->id);
    EXPECT_EQ(rest_after(r, 5), " four.");
}

TEST(unrecorded_chunk, may_have_nothing_to_speak) {
    for (const auto* const words : {"", " \n"}) {
        auto r = make_lost_session();
        add(r, last_of({1, 1}, std::string("One two.") + words));
        EXPECT_EQ(rest_after(r, 0), words);
    }
}

TEST(unrecorded_chunk, changes_nothing_if_the_record_has_it_or_another_text) {
    auto r = make_lost_session();
    const auto before = r;
    add(r, last_of({1, 0}, "One two."));
    EXPECT_EQ(r, before);
    add(r, last_of({1, 1}, "Another text."));
    EXPECT_EQ(r, before);
    add(r, last_of({2, 0}, "One two. Three."));
    EXPECT_EQ(r, before);
}

// The client supplies this text. Without the check, any words could enter the prompt as the model's
// own words.
TEST(unrecorded_chunk, changes_nothing_if_a_prompt_may_not_have_its_text) {
    for (const std::string words :
         {" A Blue  Moon.", " Three four five six seven eight nine ten."}) {
        auto r = make_lost_session();
        const auto before = r;
        add(r, last_of({1, 1}, "One two." + words));
        EXPECT_EQ(r, before) << words;
    }
}

}  // namespace
}  // namespace tandem::gateway
