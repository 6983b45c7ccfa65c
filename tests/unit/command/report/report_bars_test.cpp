#include "report/report_bars.hpp"

#include "report_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace tandem::command;
using tandem::finish_reason;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using event_kind = tandem::timeline_event::kind;
using bar_kind = report_bar::kind;
using mark_kind = report_mark::kind;
using span = std::tuple<int, double, double>;  // lane, from, to

std::vector<span> spans(const report_bars& b, bar_kind kind) {
    std::vector<span> found;
    for (const auto& bar : b.bars)
        if (bar.what == kind) found.emplace_back(bar.lane, bar.from_ms, bar.to_ms);
    return found;
}

std::vector<std::pair<int, double>> marks(const report_bars& b, mark_kind kind) {
    std::vector<std::pair<int, double>> found;
    for (const auto& mark : b.marks)
        if (mark.what == kind) found.emplace_back(mark.lane, mark.at_ms);
    return found;
}

const report_bar& only(const report_bars& b, bar_kind kind) {
    static const report_bar none;
    const report_bar* found = nullptr;
    for (const auto& bar : b.bars)
        if (bar.what == kind) {
            EXPECT_FALSE(found) << "several of " << to_string(kind);
            found = &bar;
        }
    EXPECT_TRUE(found) << "no " << to_string(kind);
    return found ? *found : none;
}

// One chunk: request at 0, first token at 10, boundary at 30, cut at 32.
reply_maker one_chunk() {
    reply_maker m;
    m.event(event_kind::slot_wait, 0)
        .event(event_kind::request, 0, 0)
        .event(event_kind::first_token, 10, 0)
        .event(event_kind::boundary, 30, 0)
        .event(event_kind::cut, 32, 0)
        .chunk("Hello.")
        .event(event_kind::chunk, 32, 0, 0);
    return m;
}

TEST(report_bars, part_a_request_into_its_prompt_and_its_generation) {
    const auto b = make_bars(one_chunk().event(event_kind::end, 100).reply());
    EXPECT_THAT(spans(b, bar_kind::prompt), ElementsAre(span(0, 0, 10)));
    EXPECT_THAT(spans(b, bar_kind::generation), ElementsAre(span(0, 10, 32)));
    EXPECT_THAT(marks(b, mark_kind::cut), ElementsAre(std::pair(0, 32.0)));
    EXPECT_EQ(b.duration_ms, 100);
}

TEST(report_bars, show_a_boundary_until_its_peek_decided) {
    const auto b = make_bars(one_chunk().event(event_kind::end, 100).reply());
    EXPECT_THAT(spans(b, bar_kind::peek), ElementsAre(span(0, 30, 32)));
}

TEST(report_bars, show_a_boundary_that_the_peek_refused_as_a_moment) {
    const auto b = make_bars(reply_maker()
                                 .event(event_kind::request, 0, 0)
                                 .event(event_kind::first_token, 10, 0)
                                 .event(event_kind::boundary, 20, 0)
                                 .event(event_kind::boundary, 40, 0)
                                 .event(event_kind::cut, 41, 0)
                                 .event(event_kind::end, 50, 0)
                                 .reply());
    EXPECT_THAT(spans(b, bar_kind::peek), ElementsAre(span(0, 20, 20), span(0, 40, 41)));
}

TEST(report_bars, show_no_wait_for_a_slot_that_is_free) {
    const auto b = make_bars(one_chunk().event(event_kind::end, 100).reply());
    EXPECT_THAT(spans(b, bar_kind::slot_wait), IsEmpty());
    EXPECT_THAT(spans(b, bar_kind::guard_wait), IsEmpty());
}

TEST(report_bars, part_a_wait_into_that_for_the_slot_and_the_guard_after_it) {
    const auto b = make_bars(reply_maker()
                                 .event(event_kind::slot_wait, 0)
                                 .event(event_kind::request, 50, 0)
                                 .guarded(30)
                                 .event(event_kind::first_token, 60, 0)
                                 .chunk("Hello.")
                                 .event(event_kind::chunk, 80, 0, 0)
                                 .event(event_kind::end, 100)
                                 .reply());
    EXPECT_THAT(spans(b, bar_kind::slot_wait), ElementsAre(span(0, 0, 20)));
    EXPECT_THAT(spans(b, bar_kind::guard_wait), ElementsAre(span(0, 20, 50)));
}

TEST(report_bars, report_the_guard_wait_of_a_request_that_made_no_chunk) {
    const auto b = make_bars(reply_maker()
                                 .event(event_kind::slot_wait, 0)
                                 .event(event_kind::request, 50, 0)
                                 .guarded(30)
                                 .event(event_kind::end, 60)
                                 .ends_with(finish_reason::interrupted)
                                 .reply());
    EXPECT_THAT(spans(b, bar_kind::slot_wait), ElementsAre(span(0, 0, 20)));
    EXPECT_THAT(spans(b, bar_kind::guard_wait), ElementsAre(span(0, 20, 50)));
}

std::vector<std::string> prompt_words(const report_bars& b) {
    std::vector<std::string> words;
    for (const auto& bar : b.bars)
        if (bar.what == bar_kind::prompt) words.push_back(bar.words);
    return words;
}

// With `pacing::ahead` and two held chunks, a chunk of the first request is handed over while the
// second request runs.
TEST(report_bars, report_what_the_own_request_of_a_prompt_found_however_late_its_chunks_come) {
    const auto b = make_bars(reply_maker()
                                 .event(event_kind::request, 0, 0)
                                 .event(event_kind::first_token, 10, 0)
                                 .chunk("One.", 0, 0, 41)
                                 .event(event_kind::chunk, 20, 0, 0)
                                 .chunk(" Two.", 0)
                                 .event(event_kind::cut, 40, 0)
                                 .event(event_kind::request, 50, 0)
                                 .event(event_kind::continued, 60, 0, 0)
                                 .event(event_kind::chunk, 60, 0, 1)
                                 .event(event_kind::first_token, 70, 0)
                                 .chunk(" Three.", 1, 50, 1)
                                 .event(event_kind::continued, 80, 0, 1)
                                 .event(event_kind::request, 85, 0)
                                 .event(event_kind::chunk, 90, 0, 2)
                                 .event(event_kind::end, 120)
                                 .reply());
    EXPECT_THAT(prompt_words(b), ElementsAre(HasSubstr(": 0 tokens cached, 41 evaluated"),
                                             HasSubstr(": 50 tokens cached, 1 evaluated"),
                                             Not(HasSubstr("cached"))));
}

TEST(report_bars, end_with_the_events_that_there_was_room_for) {
    const auto b = make_bars(one_chunk().event(event_kind::end, 500).drops(7).reply());
    EXPECT_EQ(b.duration_ms, 500);
    EXPECT_THAT(spans(b, bar_kind::speech), ElementsAre(span(2, 32, 32)));
    EXPECT_THAT(only(b, bar_kind::speech).words, Not(HasSubstr("not continued")));
    EXPECT_THAT(spans(b, bar_kind::dropped), ElementsAre(span(1, 32, 500), span(2, 32, 500)));
    EXPECT_THAT(b.bars.back().words, HasSubstr("not recorded: 7 events after the first 6"));
}

TEST(report_bars, end_a_wait_that_got_no_slot_with_the_reply) {
    const auto b =
        make_bars(reply_maker().event(event_kind::slot_wait, 5).event(event_kind::end, 45).reply());
    EXPECT_THAT(spans(b, bar_kind::slot_wait), ElementsAre(span(0, 5, 45)));
}

TEST(report_bars, give_each_of_two_slots_a_lane) {
    const auto b = make_bars(one_chunk()
                                 .event(event_kind::continued, 60, 0, 0)
                                 .event(event_kind::request, 61, 1)
                                 .event(event_kind::first_token, 70, 1)
                                 .event(event_kind::cut, 90, 1)
                                 .chunk(" Bye.")
                                 .event(event_kind::chunk, 90, 1, 1)
                                 .event(event_kind::end, 120)
                                 .reply());
    EXPECT_THAT(b.lanes, ElementsAre("slot 0", "slot 1", "chunks", "voice"));
    EXPECT_THAT(spans(b, bar_kind::generation), ElementsAre(span(0, 10, 32), span(1, 70, 90)));
}

TEST(report_bars, show_how_a_slot_is_warmed_while_the_voice_speaks) {
    const auto b = make_bars(one_chunk()
                                 .event(event_kind::warming, 33, 1)
                                 .event(event_kind::warmed, 55, 1)
                                 .event(event_kind::continued, 60, 0, 0)
                                 .event(event_kind::end, 61)
                                 .reply());
    EXPECT_THAT(spans(b, bar_kind::warming), ElementsAre(span(1, 33, 55)));
    EXPECT_THAT(spans(b, bar_kind::speech), ElementsAre(span(3, 32, 60)));
}

TEST(report_bars, end_a_warming_with_the_request_that_needs_its_slot) {
    const auto b = make_bars(one_chunk()
                                 .event(event_kind::warming, 33, 1)
                                 .event(event_kind::continued, 40, 0, 0)
                                 .event(event_kind::request, 41, 1)
                                 .event(event_kind::end, 60)
                                 .reply());
    EXPECT_THAT(spans(b, bar_kind::warming), ElementsAre(span(1, 33, 41)));
}

TEST(report_bars, fill_the_voice_with_speech_and_silence) {
    const auto b = make_bars(one_chunk()
                                 .event(event_kind::continued, 60, 0, 0)
                                 .event(event_kind::request, 61, 0)
                                 .event(event_kind::first_token, 70, 0)
                                 .chunk(" Bye.")
                                 .event(event_kind::chunk, 90, 0, 1)
                                 .event(event_kind::continued, 110, 0, 1)
                                 .event(event_kind::end, 111)
                                 .reply());
    EXPECT_THAT(spans(b, bar_kind::silence), ElementsAre(span(2, 0, 32), span(2, 60, 90)));
    EXPECT_THAT(spans(b, bar_kind::speech), ElementsAre(span(2, 32, 60), span(2, 90, 110)));
}

TEST(report_bars, show_the_silence_in_which_a_reply_failed_or_was_interrupted) {
    for (const auto why : {finish_reason::error, finish_reason::interrupted}) {
        const auto b = make_bars(one_chunk()
                                     .event(event_kind::continued, 60, 0, 0)
                                     .event(event_kind::request, 61, 0)
                                     .event(event_kind::lost, 62, 0)
                                     .event(event_kind::end, 360)
                                     .ends_with(why)
                                     .reply());
        EXPECT_THAT(spans(b, bar_kind::silence), ElementsAre(span(2, 0, 32), span(2, 60, 360)));
    }
}

TEST(report_bars, show_a_reply_as_silence_that_failed_before_its_first_chunk) {
    auto m = reply_maker();
    m.event(event_kind::slot_wait, 0).event(event_kind::end, 300);
    m.ends_with(finish_reason::error);
    EXPECT_THAT(spans(make_bars(m.reply()), bar_kind::silence), ElementsAre(span(2, 0, 300)));
    EXPECT_THAT(only(make_bars(m.reply()), bar_kind::silence).words,
                HasSubstr("until the failure"));
}

TEST(report_bars, show_no_silence_after_the_last_words_of_a_whole_reply) {
    auto m = one_chunk().event(event_kind::continued, 60, 0, 0).event(event_kind::end, 90);
    EXPECT_THAT(spans(make_bars(m.reply()), bar_kind::silence), ElementsAre(span(2, 0, 32)));
}

TEST(report_bars, do_not_take_what_was_not_recorded_for_silence) {
    auto m = one_chunk().event(event_kind::continued, 60, 0, 0).event(event_kind::end, 500);
    const auto b = make_bars(m.drops(7).ends_with(finish_reason::error).reply());
    EXPECT_THAT(spans(b, bar_kind::silence), ElementsAre(span(2, 0, 32)));
}

TEST(report_bars, show_a_text_until_the_next_one) {
    const auto b = make_bars(one_chunk()
                                 .event(event_kind::continued, 32, 0, 0)
                                 .chunk(" Bye.")
                                 .event(event_kind::chunk, 90, 0, 1)
                                 .event(event_kind::end, 111)
                                 .reply());
    EXPECT_THAT(spans(b, bar_kind::text), ElementsAre(span(1, 32, 90), span(1, 90, 111)));
}

TEST(report_bars, label_a_chunk_with_its_number_and_text) {
    const auto b = make_bars(one_chunk().event(event_kind::end, 100).reply());
    EXPECT_EQ(only(b, bar_kind::text).label, "0 Hello.");
    EXPECT_THAT(only(b, bar_kind::text).words, HasSubstr("4 tokens"));
}

TEST(report_bars, end_the_speech_that_an_interrupt_cut_with_the_reply) {
    const auto b = make_bars(
        one_chunk().event(event_kind::end, 45).ends_with(finish_reason::interrupted).reply());
    EXPECT_THAT(spans(b, bar_kind::speech), ElementsAre(span(2, 32, 45)));
    EXPECT_THAT(marks(b, mark_kind::interrupt), ElementsAre(std::pair(2, 45.0)));
}

TEST(report_bars, mark_no_interrupt_if_the_model_ended) {
    const auto b = make_bars(one_chunk().event(event_kind::end, 45).reply());
    EXPECT_THAT(marks(b, mark_kind::interrupt), IsEmpty());
    EXPECT_THAT(marks(b, mark_kind::end), SizeIs(1));
}

TEST(report_bars, follow_a_reply_that_continues_at_another_server) {
    const auto b = make_bars(reply_maker()
                                 .on("http://b:2")
                                 .event(event_kind::request, 0, 0)
                                 .event(event_kind::first_token, 10, 0)
                                 .event(event_kind::lost, 20, 0)
                                 .event(event_kind::request, 30, 0, -1, 1)
                                 .event(event_kind::first_token, 44, 0, -1, 1)
                                 .event(event_kind::cut, 60, 0, -1, 1)
                                 .event(event_kind::end, 70)
                                 .reply());
    EXPECT_THAT(b.lanes, ElementsAre("slot 0 at a:1", "slot 0 at b:2", "chunks", "voice"));
    EXPECT_THAT(spans(b, bar_kind::generation), ElementsAre(span(0, 10, 20), span(1, 44, 60)));
    EXPECT_THAT(marks(b, mark_kind::lost), ElementsAre(std::pair(0, 20.0)));
    EXPECT_THAT(marks(b, mark_kind::retry), ElementsAre(std::pair(1, 30.0)));
}

TEST(report_bars, do_not_take_a_wait_for_the_voice_as_generation) {
    const auto b = make_bars(reply_maker()
                                 .event(event_kind::request, 0, 0)
                                 .event(event_kind::first_token, 10, 0)
                                 .event(event_kind::boundary, 20, 0)
                                 .chunk("One.")
                                 .event(event_kind::chunk, 21, 0, 0)
                                 .event(event_kind::boundary, 30, 0)
                                 .event(event_kind::continued, 500, 0, 0)
                                 .chunk(" Two.")
                                 .event(event_kind::chunk, 500, 0, 1)
                                 .event(event_kind::end, 900)
                                 .reply());
    EXPECT_THAT(spans(b, bar_kind::generation), ElementsAre(span(0, 10, 30)));
}

TEST(report_bars, have_lanes_for_a_reply_without_any_event) {
    const auto b = make_bars(report_reply{});
    EXPECT_THAT(b.lanes, ElementsAre("slot", "chunks", "voice"));
    EXPECT_THAT(b.bars, IsEmpty());
}

}  // namespace
