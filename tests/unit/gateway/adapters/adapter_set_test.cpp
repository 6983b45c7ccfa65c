#include "gateway/adapters/adapter_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> one{"talk"};
const std::vector<std::string> two{"talk", "code"};

adapter_set of_two_models() {
    return {{{"formal", 0, "talk"}, {"slang", 2, "talk"}, {"rust", 0, "code"}}, two};
}

std::vector<adapter_scale> asked(const adapter_set& s, std::vector<requested_adapter> wanted) {
    return std::get<std::vector<adapter_scale>>(s.select_adapters("talk", wanted));
}

api_error refusal_of(const adapter_set& s, std::vector<requested_adapter> wanted) {
    return std::get<api_error>(s.select_adapters("talk", wanted));
}

TEST(adapter_set, names_all_of_a_model_so_that_the_server_lets_go_of_others) {
    EXPECT_THAT(of_two_models().deployed_scales("talk"),
                ElementsAre(adapter_scale{0, 0}, adapter_scale{2, 0}));
}

TEST(adapter_set, says_nothing_for_a_model_without_adapters) {
    const adapter_set s({{"rust", 0, "code"}}, two);
    EXPECT_THAT(s.deployed_scales("talk"), IsEmpty());
    EXPECT_THAT(asked(s, {}), IsEmpty());
}

TEST(adapter_set, counts_what_is_deployed_if_nothing_is_asked) {
    auto s = of_two_models();
    EXPECT_FALSE(s.has_deployed_adapters("talk"));
    s.set_deployed_scale("slang", 0.5);
    EXPECT_TRUE(s.has_deployed_adapters("talk"));
    EXPECT_FALSE(s.has_deployed_adapters("code"));
    EXPECT_EQ(s.deployed_scale("slang"), 0.5);
    EXPECT_THAT(std::get<0>(s.select_adapters("talk", std::nullopt)),
                ElementsAre(adapter_scale{0, 0}, adapter_scale{2, 0.5}));
}

TEST(adapter_set, counts_what_is_asked_and_nothing_else) {
    auto s = of_two_models();
    s.set_deployed_scale("slang", 0.5);
    EXPECT_THAT(asked(s, {{"formal", 0.25}}),
                ElementsAre(adapter_scale{0, 0.25}, adapter_scale{2, 0}));
    EXPECT_THAT(asked(s, {}), ElementsAre(adapter_scale{0, 0}, adapter_scale{2, 0}));
}

TEST(adapter_set, takes_the_servers_number_for_a_name) {
    EXPECT_THAT(asked(of_two_models(), {{"2", 1}}),
                ElementsAre(adapter_scale{0, 0}, adapter_scale{2, 1}));
}

TEST(adapter_set, gives_the_only_model_to_adapters_without_one) {
    EXPECT_THAT(adapter_set({{"formal", 1}}, one).deployed_scales("talk"),
                ElementsAre(adapter_scale{1, 0}));
}

TEST(adapter_set, allows_none_but_its_own) {
    for (const char* name : {"rust", "1", "-1", "x"}) {
        const auto e = refusal_of(of_two_models(), {{"formal", 1}, {name, 1}});
        EXPECT_EQ(e.status, 400) << name;
        EXPECT_EQ(e.code, "adapter_not_found") << name;
        EXPECT_EQ(e.param, "lora[1].id") << name;
        EXPECT_THAT(e.message, HasSubstr("available: formal, slang")) << name;
    }
}

TEST(adapter_set, takes_each_once) {
    EXPECT_THAT(refusal_of(of_two_models(), {{"formal", 1}, {"0", 1}}).message,
                HasSubstr("formal is given twice"));
}

// --- the list

std::string faults_of(const std::vector<allowed_adapter>& list,
                      const std::vector<std::string>& models) {
    std::string all;
    for (const auto& f : check_adapters(list, models)) all += f.field + ' ' + f.message + '\n';
    return all;
}

TEST(adapter_list, may_have_an_id_again_for_another_model) {
    EXPECT_EQ(faults_of({{"a", 0, "talk"}, {"b", 0, "code"}}, two), "");
    EXPECT_EQ(faults_of({{"a", 0}, {"b", 1, "talk"}}, one), "");
}

TEST(adapter_list, is_told_what_is_wrong) {
    EXPECT_THAT(faults_of({{"a b", 0}}, one), HasSubstr("adapters a b is not a valid name"));
    EXPECT_THAT(faults_of({{".a", 0}}, one), HasSubstr("is not a valid name"));
    EXPECT_THAT(faults_of({{"a", -1}}, one), HasSubstr("a has the id -1"));
    EXPECT_THAT(faults_of({{"a", 0}}, two), HasSubstr("a does not name a model"));
    EXPECT_THAT(faults_of({{"a", 0, "x"}}, two), HasSubstr("the model x, which is not served"));
    EXPECT_THAT(faults_of({{"a", 0}, {"a", 1}}, one), HasSubstr("a is given twice"));
    EXPECT_THAT(faults_of({{"a", 0}, {"b", 0}}, one), HasSubstr("a and b have the id 0"));
    std::vector<allowed_adapter> many;
    for (int i = 0; i < 65; ++i) many.push_back({"a" + std::to_string(i), i});
    EXPECT_THAT(faults_of(many, one), HasSubstr("has 65 adapters; the maximum is 64"));
}

}  // namespace
}  // namespace tandem::gateway
