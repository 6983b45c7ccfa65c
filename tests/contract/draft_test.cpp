// Drafts that become the beginning of a reply.

#include "contract/contract_fixture.hpp"

#include "tandem/service.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

namespace tandem::testing {
namespace {

class draft_contract : public contract {
 protected:
    service_config one_server() {
        service_config c;
        c.servers = {url()};
        c.client = client_config();
        return c;
    }
    /// Returns the user's first words, and appends the messages before them to the options.
    static std::string begin(const mock::dialogue& d, conversation_options& options) {
        for (const auto& m : d.messages) {
            if (m.role == "user") return m.content;
            options.messages.push_back({.role = m.role, .content = m.content});
        }
        return {};
    }
    static std::string reply_of(const mock::dialogue& d) {
        return std::ranges::find(d.messages, "assistant", &mock::message::role)->content;
    }
    int draft(conversation& talk, const std::string& words) {
        const auto [ec, tokens] =
            loop().call<int>([&](auto h) { talk.async_draft(words, std::move(h)); });
        EXPECT_FALSE(ec) << words << ": " << ec.message();
        return tokens;
    }
    static double middle(std::vector<double> values) {
        std::ranges::sort(values);
        return values.at(values.size() / 2);
    }
};
TANDEM_CONTRACT(draft_contract);

TEST_P(draft_contract, a_committed_draft_has_the_text_of_a_reply_without_one) {
    service bots(loop().ioc.get_executor(), one_server(), kept_log());
    std::vector<double> drafted_ms;
    std::vector<double> plain_ms;
    for (const auto& d : mock::load_dialogues(talk_file)) {
        conversation_options options;
        const auto words = begin(d, options);
        auto talk = bots.create(options);
        const int tokens = draft(talk, words);
        consumer reply(talk.say(words));
        loop().run_to_end(reply);
        EXPECT_EQ(reply.text(), reply_of(d)) << d.id;
        EXPECT_EQ(reply.result().usage.drafted, tokens) << d.id;
        drafted_ms.push_back(reply.result().metrics.first_chunk_ms);
        auto other = bots.create(options);
        consumer plain(other.say(words));
        loop().run_to_end(plain);
        EXPECT_EQ(plain.text(), reply_of(d)) << d.id;
        plain_ms.push_back(plain.result().metrics.first_chunk_ms);
    }
    std::cout << drafted_ms.size() << " replies; the first chunk after " << middle(drafted_ms)
              << " ms with a draft, " << middle(plain_ms) << " ms without\n";
}

TEST_P(draft_contract, a_draft_of_other_words_changes_no_text) {
    service bots(loop().ioc.get_executor(), one_server(), kept_log());
    for (const auto& d : mock::load_dialogues(talk_file)) {
        conversation_options options;
        const auto words = begin(d, options);
        auto talk = bots.create(options);
        const int tokens = draft(talk, words + " and then");
        consumer reply(talk.say(words));
        loop().run_to_end(reply);
        EXPECT_EQ(reply.text(), reply_of(d)) << d.id;
        EXPECT_EQ(reply.result().usage.draft_wasted, tokens) << d.id;
    }
}

}  // namespace
}  // namespace tandem::testing
