#include "wire/calls/token_list_reader.hpp"

#include "wire/calls/server_messages.hpp"
#include "wire/json/wire_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using tandem::wire::read_token_list;
using tandem::wire::token_id;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(token_list, is_read_as_llama_server_writes_it) {
    std::vector<token_id> ids{7};
    ASSERT_TRUE(read_token_list(R"({"tokens":[1,0,15043,2147483647]})", ids));
    EXPECT_THAT(ids, ElementsAre(1, 0, 15043, 2147483647));
}

TEST(token_list, may_be_empty) {
    std::vector<token_id> ids{7};
    ASSERT_TRUE(read_token_list(R"({"tokens":[]})", ids));
    EXPECT_THAT(ids, IsEmpty());
}

TEST(token_list, of_another_form_is_left_to_the_general_decoder) {
    for (const std::string_view body : {"",
                                        "{}",
                                        R"({"tokens":})",
                                        R"({"tokens":[)",
                                        R"({"tokens":[1)",
                                        R"({"tokens":[1])",
                                        R"({"tokens":[1,]})",
                                        R"({"tokens":[,1]})",
                                        R"({"tokens":[1,,2]})",
                                        R"({"tokens":[1 ,2]})",
                                        R"({"tokens": [1]})",
                                        R"({"tokens":[-1]})",
                                        R"({"tokens":[+1]})",
                                        R"({"tokens":[-0]})",
                                        R"({"tokens":[01]})",
                                        R"({"tokens":[1.5]})",
                                        R"({"tokens":[1e3]})",
                                        R"({"tokens":[2147483648]})",
                                        R"({"tokens":["1"]})",
                                        R"({"tokens":[1]} )",
                                        R"({"tokens":[1],"more":2})",
                                        R"({"tokens":[1]}{)",
                                        R"( {"tokens":[1]})"}) {
        std::vector<token_id> ids;
        EXPECT_FALSE(read_token_list(body, ids)) << body;
    }
}

TEST(token_list, of_too_many_values_is_left_to_the_general_decoder) {
    // The object, the key and the list count toward the limit, so it allows three ids fewer.
    const auto body_of = [](std::size_t ids) {
        std::string body = "{\"tokens\":[";
        for (std::size_t i = 1; i < ids; ++i) body += "1,";
        return body + "1]}";
    };
    std::vector<token_id> ids;
    tandem::diagnostics diag;
    for (const auto count :
         {tandem::wire::max_answer_values - 3, tandem::wire::max_answer_values - 2}) {
        const auto body = body_of(count);
        const bool is_quick = read_token_list(body, ids);
        const auto general = tandem::wire::decode_tokens({200, " " + body}, ids, diag);
        EXPECT_EQ(is_quick, !general) << count;
    }
}

}  // namespace
