#include "reply/machine/reply_machine.hpp"
#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// chunk_deadline: the chunks of a model that is slow to finish a sentence.
namespace {

using namespace std::chrono_literals;
using tandem::detail::reply_rules;
using tandem::test::machine_driver;
using testing::ElementsAre;
using testing::IsEmpty;

reply_rules hurried() {
    auto rules = machine_driver::default_rules();
    rules.chunk_deadline = 800ms;
    return rules;
}

class hurried_reply : public testing::Test {
 protected:
    hurried_reply() : d(hurried()) { d.begin(); }
    void wait_for_deadline() {
        d.pass(800ms);
        d.deadline();
    }

    machine_driver d;
};

TEST_F(hurried_reply, ends_its_chunk_after_the_last_clause) {
    d.tokens("Well", ",", " I", " th");
    wait_for_deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Well,' clause"));
}

TEST_F(hurried_reply, ends_its_chunk_before_the_last_word_if_it_has_no_clause) {
    d.tokens("Well", " I", " th");
    wait_for_deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Well I' word"));
}

TEST_F(hurried_reply, takes_a_sentence_end_that_still_waits_for_its_peek) {
    d.tokens("Well", ".");
    d.pass(200ms);
    d.tokens("");
    d.pass(600ms);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Well.' sentence"));
}

TEST_F(hurried_reply, waits_for_the_end_of_its_only_word) {
    d.tokens("Incom");
    wait_for_deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
    d.token("prehensi");
    EXPECT_THAT(d.wants(), IsEmpty());
    d.token("ble things");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Incomprehensible' word"));
}

TEST_F(hurried_reply, counts_from_the_first_token_of_each_chunk) {
    d.tokens("One", ".", " Two");
    d.wants();
    d.pass(5s);
    d.go_on(0);
    d.grant(1);
    d.ask();
    d.wants();
    d.pass(5s);
    d.token(" three");
    d.pass(799ms);
    d.deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
    d.pass(1ms);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 1", "chunk 1 ' Two' word"));
}

TEST_F(hurried_reply, does_not_hurry_before_there_is_text) {
    wait_for_deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
}

TEST(hurried_reply_of_sure_sentences, does_not_hurry_for_the_time_that_the_voice_took) {
    machine_driver d(hurried(), {.first_min_tokens = 0}, "P", tandem::boundary_rule::spoken);
    d.begin();
    d.tokens("It", " works", ".", " The");
    d.pass(9s);
    d.ask();
    d.go_on(0);
    d.grant(1);
    d.wants();
    d.token(" sailors");
    d.pass(799ms);
    d.deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
}

TEST(unhurried_reply, has_no_deadline) {
    machine_driver d;
    d.begin();
    d.tokens("Well", ",", " I", " th");
    d.pass(9s);
    d.deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
}

TEST(hurried_reply_ahead, has_time_while_another_chunk_is_spoken) {
    auto rules = hurried();
    rules.pacing = tandem::detail::make_pacing_rules(tandem::pacing::ahead, {});
    machine_driver d(rules);
    d.begin();
    d.tokens("One", ".", " Well", ",", " I", " th");
    d.wants();
    d.pass(2s);
    d.deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
    d.ask();
    d.go_on(0);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' Well,' clause"));
}

}  // namespace
