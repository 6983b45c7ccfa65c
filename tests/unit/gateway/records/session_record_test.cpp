#include "gateway/records/session_record.hpp"

#include "gateway/records/record_write_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace {

using namespace tandem::gateway;
using ::testing::HasSubstr;
using step = record_write_policy::step;

session_record make_record() {
    return {.model = "talk",
            .asked_model = "voice",
            .options = R"({"temperature":0.5})",
            .interrupted_mark = " …",
            .last_number = 7,
            .conversation = R"({"version":1})",
            .turn = recorded_turn{.number = 7, .id = "t7", .options = "{}", .timeline = true},
            .reply = recorded_reply{.number = 7,
                                    .turn = "t7",
                                    .id = 40,
                                    .chunks = 2,
                                    .text = "Hello. How are you?",
                                    .unspoken = {{.speech = "How are you?", .tokens = 4}}},
            .resumes = true,
            .ends = {{.text = "{}", .turn = "t6"}},
            .late_calls = {{.id = "a"}, {.id = "b", .is_dropped = true}}};
}

std::string fault_of(std::string_view text) {
    const auto read = parse_record(text);
    const auto* const fault = std::get_if<std::string>(&read);
    return fault ? *fault : "";
}

TEST(session_record, is_read_as_it_was_written) {
    const auto read = parse_record(encode_record(make_record()));
    ASSERT_TRUE(std::holds_alternative<session_record>(read)) << std::get<std::string>(read);
    EXPECT_EQ(std::get<session_record>(read), make_record());
}

TEST(session_record, of_a_new_session_has_no_turn) {
    const auto read = parse_record(encode_record({}));
    ASSERT_TRUE(std::holds_alternative<session_record>(read));
    EXPECT_EQ(std::get<session_record>(read), session_record());
}

TEST(session_record, that_is_wrong_names_the_field) {
    EXPECT_THAT(fault_of("{"), HasSubstr("record is not valid JSON"));
    EXPECT_EQ(fault_of("[]"), "record must be an object");
    EXPECT_EQ(fault_of("{}"), "record.version must be 1");
    EXPECT_EQ(fault_of(R"({"version":2})"), "record.version must be 1");
    EXPECT_EQ(fault_of(R"({"version":1,"model":3})"), "record.model must be a string");
    EXPECT_EQ(fault_of(R"({"version":1,"turn":[]})"), "record.turn must be an object");
    EXPECT_EQ(fault_of(R"({"version":1,"reply":{"chunks":-1}})"),
              "record.reply.chunks must be a whole number from 0 to 4294967295");
    EXPECT_EQ(fault_of(R"({"version":1,"reply":{"unspoken":[{"tokens":1e30}]}})"),
              "record.reply.unspoken[0].tokens must be a whole number from 0 to 2147483647");
    EXPECT_EQ(fault_of(R"({"version":1,"ends":{}})"), "record.ends must be a list");
    EXPECT_EQ(fault_of(R"({"version":1,"late_calls":[{"dropped":1}]})"),
              "record.late_calls[0].dropped must be true or false");
    EXPECT_THAT(fault_of("\xff"), HasSubstr("record is not valid UTF-8"));
    EXPECT_THAT(fault_of(std::string(max_record_bytes + 1, ' ')), HasSubstr("the maximum is"));
}

TEST(session_record, cut_at_any_byte_is_refused) {
    const auto text = encode_record(make_record());
    for (std::size_t i = 0; i < text.size(); ++i) EXPECT_NE(fault_of(text.substr(0, i)), "") << i;
}

TEST(record_write_policy, writes_one_record_at_a_time) {
    record_write_policy w;
    EXPECT_EQ(w.on_record_changed(), step::make);
    EXPECT_EQ(w.on_record_made(), step::write);
    EXPECT_EQ(w.on_record_changed(), step::nothing);
    EXPECT_EQ(w.on_record_changed(), step::nothing);
    EXPECT_EQ(w.on_record_written(true), step::make);
    EXPECT_FALSE(w.is_written());
    EXPECT_EQ(w.on_record_made(), step::write);
    EXPECT_EQ(w.on_record_written(true), step::nothing);
    EXPECT_TRUE(w.is_written());
}

TEST(record_write_policy, makes_a_record_again_that_changed_meanwhile) {
    record_write_policy w;
    w.on_record_changed();
    EXPECT_EQ(w.on_record_changed(), step::nothing);
    EXPECT_EQ(w.on_record_made(), step::make);
    EXPECT_EQ(w.on_record_made(), step::write);
    EXPECT_EQ(w.on_record_written(true), step::nothing);
    EXPECT_TRUE(w.is_written());
}

TEST(record_write_policy, writes_again_after_a_failure) {
    record_write_policy w;
    w.on_record_changed();
    w.on_record_made();
    EXPECT_EQ(w.on_record_written(false), step::nothing);
    EXPECT_TRUE(w.has_failed());
    EXPECT_FALSE(w.is_written());
    EXPECT_EQ(w.on_record_changed(), step::make);
    EXPECT_EQ(w.on_record_made(), step::write);
    EXPECT_EQ(w.on_record_written(true), step::nothing);
    EXPECT_TRUE(w.is_written());
    EXPECT_FALSE(w.has_failed());
}

}  // namespace
