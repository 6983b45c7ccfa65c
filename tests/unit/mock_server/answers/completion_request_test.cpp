#include "answers/completion_request.hpp"

#include <gtest/gtest.h>

namespace tandem::mock {
namespace {

completion_request request_of(const std::string& body, bool add_bos = true) {
    auto result = parse_completion_request(body, add_bos);
    if (const auto* e = std::get_if<api_error>(&result)) {
        ADD_FAILURE() << body << ": " << e->message;
        return {};
    }
    return std::get<completion_request>(result);
}

TEST(completion_request, reads_a_prompt_in_each_form) {
    const token_id hi = tokenize("Hi", true)[0];
    const token_id you = tokenize(" you", true)[0];
    const struct {
        std::string body;
        std::vector<token_id> tokens;
        bool as_ids;
    } table[] = {
        {R"({"prompt":"Hi"})", {bos_token, hi}, false},
        {R"({"prompt":"Hi<|im_end|>"})", {bos_token, hi, eos_token}, false},
        {R"({"prompt":["Hi"]})", {bos_token, hi}, false},
        {R"({"prompt":[72,105]})", {72, 105}, true},
        {R"({"prompt":["Hi",33," you"]})", {bos_token, hi, 33, you}, false},
        {R"({"prompt":[33,"Hi"]})", {33, hi}, false},
        {R"({"prompt":""})", {}, false},
    };
    for (const auto& row : table) {
        const completion_request r = request_of(row.body);
        EXPECT_EQ(r.prompt, row.tokens) << row.body;
        EXPECT_EQ(r.prompt_as_ids, row.as_ids) << row.body;
    }
}

TEST(completion_request, has_no_bos_if_the_model_has_none) {
    EXPECT_EQ(request_of(R"({"prompt":"Hi"})", false).prompt, tokenize("Hi", true));
}

TEST(completion_request, refuses_what_the_server_refuses) {
    const struct {
        std::string body;
        std::string message;  // part of the message
    } table[] = {
        {"{", "parse_error"},
        {"[]", "type_error"},
        {R"({"n_predict":3})", "'prompt' not found"},
        {R"({"prompt":{}})", "\"prompt\" elements must be"},
        {R"({"prompt":[]})", "must not be empty"},
        {R"({"prompt":[1,999999999999]})", "Prompt contains invalid tokens"},
        {R"({"prompt":["a","b"]})", "several prompts"},
        {R"({"prompt":"a","stream":"yes"})", "Field 'stream': "},
        {R"({"prompt":"a","n_predict":"3"})", "Field 'n_predict': "},
        {R"({"prompt":"a","n_predict":-2})",
         "Field 'n_predict': Value must be between -1 <= value <= 2147483647, but got -2"},
        {R"({"prompt":"a","n_cmpl":2})", "Field 'n_cmpl': "},
        {R"({"prompt":"a","mock_fault":"earthquake"})", "unknown kind"},
        {R"json({"prompt":"a","grammar":"root ::= (\"a\""})json", "failed to parse grammar"},
        {R"json({"prompt":"a","grammar":"root ::= (\")\""})json", "failed to parse grammar"},
        {R"json({"prompt":"a","grammar":"leaf ::= \"a\""})json", "failed to parse grammar"},
    };
    for (const auto& row : table) {
        const auto result = parse_completion_request(row.body, true);
        const auto* e = std::get_if<api_error>(&result);
        ASSERT_TRUE(e) << row.body;
        EXPECT_EQ(e->status, 400) << row.body;
        EXPECT_EQ(e->type, "invalid_request_error") << row.body;
        EXPECT_NE(e->message.find(row.message), std::string::npos) << e->message;
    }
}

TEST(completion_request, takes_brackets_in_the_texts_of_a_grammar_for_text) {
    for (const std::string grammar : {R"(root ::= (\"a\" | \"b\"))", R"(root ::= \"(\")",
                                      R"(root ::= \":-)\" [(] [^)\\](])", R"(root ::= \"\\\"(\")"})
        request_of(R"({"prompt":"a","grammar":")" + grammar + "\"}");
}

TEST(completion_request, takes_null_and_unknown_fields_as_absent) {
    const auto r = request_of(R"({"prompt":"a","n_predict":null,"no_such_field":1})");
    EXPECT_EQ(r.n_predict, -1);
}

TEST(completion_request, takes_a_slot_that_is_no_number_as_absent) {
    EXPECT_EQ(request_of(R"({"prompt":"a","id_slot":"1"})").id_slot, -1);
    EXPECT_EQ(request_of(R"({"prompt":"a","id_slot":7})").id_slot, 7);
}

TEST(completion_request, takes_stop_as_string_or_array) {
    using words = std::vector<std::string>;
    EXPECT_EQ(request_of(R"({"prompt":"a","stop":"x"})").stop, words{"x"});
    EXPECT_EQ(request_of(R"({"prompt":"a","stop":["x","y"]})").stop, (words{"x", "y"}));
}

TEST(completion_request, knows_the_other_names_of_n_predict) {
    EXPECT_EQ(request_of(R"({"prompt":"a","max_tokens":5})").n_predict, 5);
    EXPECT_EQ(request_of(R"({"prompt":"a","n_predict":3,"max_tokens":5})").n_predict, 3);
}

}  // namespace
}  // namespace tandem::mock
