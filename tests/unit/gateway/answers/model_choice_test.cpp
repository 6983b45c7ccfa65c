#include "gateway/answers/model_choice.hpp"

#include "unit/gateway/access/authorizer_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace tandem::gateway {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class model_choice : public ::testing::Test {
 protected:
    /// The choice for a client that may use the `allowed` models. An empty list allows all models.
    auto choose(const std::vector<std::string>& names, const std::string& asked,
                std::vector<std::string> allowed = {}) {
        auto key = key_named("bot");
        key.models = std::move(allowed);
        gate g({key});
        const auto let_in = g.chat(bearer("bot"));
        return choose_model(names, asked, std::get<admitted_request>(let_in));
    }
    std::size_t place(const std::vector<std::string>& names, const std::string& asked,
                      std::vector<std::string> allowed = {}) {
        return std::get<std::size_t>(choose(names, asked, std::move(allowed)));
    }
    api_error refusal(const std::vector<std::string>& names, const std::string& asked,
                      std::vector<std::string> allowed = {}) {
        return std::get<api_error>(choose(names, asked, std::move(allowed)));
    }
};

TEST_F(model_choice, takes_any_name_for_the_one_model) {
    EXPECT_EQ(place({"talk"}, "talk"), 0u);
    EXPECT_EQ(place({"talk"}, "gpt-4o"), 0u);
    EXPECT_EQ(place({"talk"}, ""), 0u);
}

TEST_F(model_choice, goes_by_the_name_if_there_are_several) {
    EXPECT_EQ(place({"talk", "code"}, "talk"), 0u);
    EXPECT_EQ(place({"talk", "code"}, "code"), 1u);
}

TEST_F(model_choice, knows_no_other_name_then) {
    const auto e = refusal({"talk", "code"}, "Talk");
    EXPECT_EQ(e.status, 404);
    EXPECT_EQ(e.code, "model_not_found");
    EXPECT_THAT(e.message, HasSubstr("available: talk, code"));
}

TEST_F(model_choice, needs_a_name_then) {
    const auto e = refusal({"talk", "code"}, "");
    EXPECT_EQ(e.status, 400);
    EXPECT_EQ(e.param, "model");
    EXPECT_THAT(e.message, HasSubstr("available: talk, code"));
}

TEST_F(model_choice, is_bound_to_the_models_of_the_key) {
    EXPECT_EQ(place({"talk", "code"}, "code", {"code"}), 1u);
    EXPECT_EQ(refusal({"talk", "code"}, "talk", {"code"}).code, "model_not_allowed");
    EXPECT_EQ(refusal({"talk"}, "gpt-4o", {"gpt-4o"}).status, 403)
        << "another name does not bypass the limit";
}

TEST_F(model_choice, tells_a_key_of_no_models_but_its_own) {
    EXPECT_THAT(refusal({"talk", "code"}, "x", {"code"}).message, Not(HasSubstr("talk")));
}

TEST(make_model_not_found_error, lists_the_models_that_there_are) {
    const auto e = make_model_not_found_error("gpt-4", std::vector<std::string>{"a", "b"});
    EXPECT_EQ(e.status, 404);
    EXPECT_EQ(e.code, "model_not_found");
    EXPECT_EQ(e.param, "model");
    EXPECT_EQ(e.message, "the model \"gpt-4\" does not exist; available: a, b");
    EXPECT_THAT(make_model_not_found_error("x", {}).message, EndsWith("available: none"));
    EXPECT_THAT(make_model_not_found_error("x", std::vector<std::string>(17, "m")).message,
                EndsWith("m, ..."));
}

TEST(make_unserved_model_warnings, are_reported_with_those_that_there_are) {
    const api_keys keys({{.name = "desk", .models = {"talk", "tlak"}}, {.name = "all"}});
    const std::vector<std::string> served{"talk", "code"};
    EXPECT_THAT(make_unserved_model_warnings(keys, served),
                ElementsAre(AllOf(HasSubstr("\"desk\""), HasSubstr("\"tlak\""),
                                  HasSubstr("available: talk, code"))));
}

}  // namespace
}  // namespace tandem::gateway
