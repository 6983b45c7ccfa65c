// Many conversations on two servers, and their final histories.

#include "contract/contract_fixture.hpp"
#include "support/run_settings.hpp"
#include "support/slot_overlaps.hpp"

#include "tandem/service.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <deque>
#include <iostream>
#include <map>
#include <random>
#include <unistd.h>

namespace tandem::testing {
namespace {

using test::number_from_environment;

class caller;

class conversations_contract : public contract {
 protected:
    void SetUp() override {
        contract::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        if (GetParam() == server_kind::real)
            second_real_ = std::make_unique<real_server>(arguments_);
        else
            second_mock_ = std::make_unique<mock::server>(mock_options_);
    }

    std::string second_url() const {
        return second_mock_ ? second_mock_->url() : second_real_->url();
    }
    service_config two_servers() {
        service_config c;
        c.servers = {url(), second_url()};
        c.client = client_config();
        c.client.server.slots = 0;
        return c;
    }
    std::size_t turns_to_compare(const caller& c) const;
    conversation_state state_of(conversation& c) { return loop().state_of(c); }
    // Describes the requests that overlapped on a slot of a mock server.
    std::vector<std::string> overlaps() const {
        std::vector<std::string> found;
        const mock::server* const second = second_mock_.get();
        for (const auto* s : {the_mock(), second})
            if (s)
                for (auto& overlap : slot_overlaps(s->observe())) found.push_back(overlap);
        return found;
    }

 private:
    std::unique_ptr<mock::server> second_mock_;
    std::unique_ptr<real_server> second_real_;
};
TANDEM_CONTRACT(conversations_contract);

// --- the next turn's prompt

std::vector<mock::dialogue> two_turn_dialogues() {
    std::vector<mock::dialogue> some;
    for (auto& d : mock::load_dialogues(talk_file)) {
        const auto replies = std::count_if(d.messages.begin(), d.messages.end(),
                                           [](auto& m) { return m.role == "assistant"; });
        if (replies == 2) some.push_back(std::move(d));
    }
    return some;
}

struct dialogue_parts {
    conversation_options options;     // with the system message, if there is one
    std::vector<mock::message> left;  // the messages of user and assistant
};

dialogue_parts parts_of(const mock::dialogue& d) {
    dialogue_parts parts{{}, d.messages};
    const auto& first = d.messages.front();
    if (first.role != "system") return parts;
    parts.options.messages.push_back({.role = "system", .content = first.content});
    parts.left.erase(parts.left.begin());
    return parts;
}

TEST_P(conversations_contract, second_turn_evaluates_its_own_new_tokens_only) {
    service bots(loop().ioc.get_executor(), two_servers(), kept_log());
    const auto dialogues = two_turn_dialogues();
    ASSERT_GE(dialogues.size(), 6u);
    int worst = 0;
    for (const auto& d : dialogues) {
        const auto [options, left] = parts_of(d);
        auto talk = bots.create(options);
        consumer first(talk.say(left[0].content));
        loop().run_to_end(first);
        ASSERT_EQ(first.text(), left[1].content) << d.id;
        const int said = first.result().usage.prompt + first.result().usage.generated - 1;
        loop().run_until([&] { return state_of(talk).known_tokens == said; });
        consumer second(talk.say(left[2].content));
        loop().run_to_end(second);
        EXPECT_EQ(second.text(), left[3].content) << d.id;
        ASSERT_FALSE(second.chunks().empty());
        const int its_own = second.result().usage.prompt - said;
        const int over = second.chunks()[0].metrics.evaluated - its_own;
        EXPECT_LE(over, 2) << d.id;
        worst = std::max(worst, over);
    }
    std::cout << dialogues.size() << " second turns; at most " << worst
              << " tokens over their own evaluated\n";
}

// --- the life of a conversation

TEST_P(conversations_contract, lives_from_its_creation_to_its_end) {
    service bots(loop().ioc.get_executor(), two_servers(), kept_log());
    const auto& turn = talk_turn_of("hello");
    auto talk = bots.create();
    EXPECT_FALSE(talk.append({.role = "user", .content = "Hello!"}));
    consumer reply(talk.generate());
    loop().run_to_end(reply);
    EXPECT_EQ(reply.text(), turn.reply);
    EXPECT_EQ(reply.result().finish_reason, finish_reason::eos);
    talk.end();
    consumer late(talk.generate());
    loop().run_to_end(late);
    EXPECT_EQ(late.error(), errc::session_not_found);
}

TEST_P(conversations_contract, continues_after_it_was_cancelled_as_if_it_had_not_been) {
    auto config = two_servers();
    config.client.chunking.first_chunk_min_tokens = 0;
    service bots(loop().ioc.get_executor(), config, kept_log());
    const auto& story = talk_turn_of("soup-recipe");
    const auto dialogues = mock::load_dialogues(talk_file);
    const auto soup = std::find_if(dialogues.begin(), dialogues.end(),
                                   [](auto& d) { return d.id == "soup-recipe"; });
    auto talk = bots.create();
    std::string heard;
    consumer reply(talk.say(soup->messages[0].content), [&](consumer& c, const chunk& piece) {
        if (piece.id.seq == 3) return talk.interrupt();
        heard += piece.text;
        c.go_on(piece);
    });
    loop().run_to_end(reply);
    EXPECT_EQ(reply.result().finish_reason, finish_reason::interrupted);
    consumer rest(talk.resume());
    loop().run_to_end(rest);
    EXPECT_EQ(heard + rest.text(), story.reply);
    const auto state = state_of(talk);
    EXPECT_EQ(state.history.back().content, story.reply);
    EXPECT_EQ(state.metrics.resumed, 1);
}

TEST_P(conversations_contract, use_slots_again_that_others_have_left) {
    auto config = two_servers();
    config.servers = {url()};
    service bots(loop().ioc.get_executor(), config, kept_log());
    const auto& turn = talk_turn_of("hello");
    for (int i = 0; i < 12; ++i) {
        auto talk = bots.create();
        consumer reply(talk.say("Hello!"));
        loop().run_to_end(reply);
        EXPECT_EQ(reply.text(), turn.reply);
        if (i == 0) continue;
        EXPECT_EQ(reply.chunks().at(0).metrics.evaluated, 1) << "the same prompt on the same slot";
    }
}

class sleeping_conversations : public conversations_contract {
 protected:
    void SetUp() override {
        arguments_ = {"--slot-save-path", ::testing::TempDir()};
        mock_options_.slot_actions = true;
        conversations_contract::SetUp();
    }
};
TANDEM_CONTRACT(sleeping_conversations);

TEST_P(sleeping_conversations, continue_from_their_file) {
    auto config = two_servers();
    config.servers = {url()};
    service bots(loop().ioc.get_executor(), config, kept_log());
    const auto [options, left] = parts_of(two_turn_dialogues().at(0));
    const auto file = "tandem-test-" + std::to_string(::getpid()) + ".bin";
    auto talk = bots.create(options);
    consumer first(talk.say(left[0].content));
    loop().run_to_end(first);
    const auto [save_error, saved] =
        loop().call<slot_file_result>([&](auto h) { talk.async_save_slot(file, std::move(h)); });
    ASSERT_FALSE(save_error) << save_error.message();
    // Other conversations overwrite both slots.
    for (int i = 0; i < 2; ++i) {
        auto other = bots.create();
        consumer reply(other.say(i == 0 ? "Hello!" : "Are you open on Sundays?"));
        loop().run_to_end(reply);
    }
    const auto [restore_error, restored] =
        loop().call<slot_file_result>([&](auto h) { talk.async_restore_slot(file, std::move(h)); });
    ASSERT_FALSE(restore_error) << restore_error.message();
    EXPECT_EQ(restored.tokens, saved.tokens);
    consumer second(talk.say(left[2].content));
    loop().run_to_end(second);
    EXPECT_EQ(second.text(), left[3].content);
    EXPECT_GE(second.chunks().at(0).metrics.cached, saved.tokens - 1);
    std::remove((::testing::TempDir() + file).c_str());
}

// --- many conversations at once

constexpr int tokens_of_a_turn = 40;

bool is_said(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("&$%+<=>@^", c);
}

std::size_t behind_marks(const std::string& text, std::size_t at, std::size_t end) {
    while (at < end && std::strchr(".,;:!?)]}\"'", text[at])) ++at;
    return at;
}

// The words of `text` that a listener has heard completely after `offset` bytes, in a chunk that
// ends at `chunk_end`. Punctuation after a word is heard with the word. Texts are ASCII here. The
// function checks the library's rule, so it shares no code with the library.
std::string whole_words_of(const std::string& text, std::size_t offset, std::size_t chunk_end) {
    std::size_t kept = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto word = text.find_first_not_of(" \n", begin);
        if (word == std::string::npos) break;
        const auto end = std::min(text.find_first_of(" \n", word), text.size());
        auto core = end;
        while (core > word && !is_said(text[core - 1])) --core;
        if (core > word && core <= offset)
            kept = behind_marks(text, std::min(end, offset), chunk_end);
        begin = end;
    }
    return text.substr(0, kept);
}

bool is_ascii(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
}

// A user who talks with a bot and interrupts the bot at random. Keeps its own history, to check
// that of the conversation.
class caller {
 public:
    // With `is_marked`, a system message contains the caller's marker.
    caller(service& bots, int number, bool is_marked, std::vector<std::string> questions,
           std::uint64_t seed)
        : marker_("K" + std::to_string(number)),
          questions_(questions.begin(), questions.end()),
          random_(seed) {
        conversation_options options;
        if (is_marked)
            options.messages.push_back(
                {.role = "system", .content = "You talk with " + marker_ + "."});
        history_ = options.messages;
        talk_.emplace(bots.create(std::move(options)));
    }

    // Advances without waiting. Returns true if the conversation is over.
    bool advance() {
        if (said_ && !said_->ended()) return false;
        if (said_) on_turn_ended();
        if (questions_.empty()) return true;
        const auto mark = prompts_.empty() ? std::string() : marker_ + ": ";
        history_.push_back({.role = "user", .content = mark + questions_.front()});
        prompts_.push_back(history_);
        questions_.pop_front();
        kept_.clear();
        spoken_ = 0;
        interrupted_ = false;
        said_.emplace(talk_->say(history_.back().content),
                      [this](consumer& c, const chunk& piece) { hear(c, piece); });
        return false;
    }

    conversation& talk() { return *talk_; }
    const std::string& marker() const { return marker_; }
    const std::vector<chat_message>& history() const { return history_; }
    /// prompts() and texts() have one item for each turn.
    const std::vector<std::vector<chat_message>>& prompts() const { return prompts_; }
    const std::vector<std::string>& texts() const { return texts_; }
    int interruptions() const { return interruptions_; }
    const std::vector<std::string>& failures() const { return failures_; }

 private:
    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

    void hear(consumer& c, const chunk& piece) {
        if (interrupted_) return;
        if (pick(0, 9) < 6 || !is_ascii(kept_ + piece.text)) {
            kept_ += piece.text;
            if (piece.boundary != boundary::limit) spoken_ = kept_.size();
            return c.go_on(piece);
        }
        const auto heard = static_cast<std::size_t>(pick(0, static_cast<int>(piece.text.size())));
        talk_->heard(piece.id, heard);
        heard_ = kept_.size() + heard;
        chunk_end_ = kept_.size() + piece.text.size();
        if (heard == piece.text.size() && piece.boundary != boundary::limit) spoken_ = heard_;
        interrupted_ = true;
        ++interruptions_;
        talk_->interrupt();
    }

    void on_turn_ended() {
        if (said_->error()) failures_.push_back(said_->result().diagnostics.to_string());
        texts_.push_back(said_->text());
        const auto all = said_->text() + said_->result().unspoken_text;
        // The whole text has been heard if only white space is left of it.
        const bool all_heard =
            !interrupted_ || all.find_first_not_of(" \n", heard_) == std::string::npos;
        kept_ = all_heard ? all : heard_of(all);
        if (!kept_.empty()) history_.push_back({.role = "assistant", .content = kept_});
        said_.reset();
    }

    // A chunk that was spoken completely has been heard, even if its last word is joined to the
    // next word.
    std::string heard_of(const std::string& all) const {
        const auto spoken = all.substr(0, all.find_last_not_of(" \n", spoken_ - 1) + 1);
        const auto words = whole_words_of(all, heard_, chunk_end_);
        return spoken_ > 0 && spoken.size() > words.size() ? spoken : words;
    }

    std::string marker_;
    std::deque<std::string> questions_;
    std::mt19937_64 random_;
    std::optional<conversation> talk_;
    std::vector<chat_message> history_;
    std::vector<std::vector<chat_message>> prompts_;
    std::vector<std::string> texts_;
    std::vector<std::string> failures_;
    std::optional<consumer> said_;
    std::string kept_;  // the heard text of the turn
    std::size_t heard_ = 0;
    std::size_t chunk_end_ = 0;
    std::size_t spoken_ = 0;  // the end of the last chunk that was heard completely and ends a word
    bool interrupted_ = false;
    int interruptions_ = 0;
};

// Renders messages like the talk model's template. Joins consecutive messages of the user.
std::string rendered(const std::vector<chat_message>& messages) {
    std::vector<mock::message> list;
    for (const auto& m : messages) {
        if (!list.empty() && m.role == "user" && list.back().role == "user")
            list.back().content += "\n" + m.content;
        else
            list.push_back({m.role, m.content});
    }
    return mock::render_prompt(list);
}

// The questions that the talk model can answer without a system prompt.
std::vector<std::string> first_questions() {
    std::vector<std::string> list;
    for (const auto& d : mock::load_dialogues(talk_file))
        if (d.messages[0].role == "user") list.push_back(d.messages[0].content);
    return list;
}

// One message per line, without trailing white space.
std::string as_text(const std::vector<chat_message>& history) {
    std::string text;
    for (const auto& m : history)
        text += m.role + ": " + m.content.substr(0, m.content.find_last_not_of(" \n") + 1) + "\n";
    return text;
}

// The number of turns whose text must be the server's answer to the conversation's prompt: all on
// the mock server, where each prompt contains a marker. A marker would make the talk model generate
// unstable nonsense, so the first prompt on the real server has no marker, and later turns there
// are not compared.
std::size_t conversations_contract::turns_to_compare(const caller& c) const {
    return GetParam() == server_kind::mock ? c.texts().size()
                                           : std::min<std::size_t>(1, c.texts().size());
}

TEST_P(conversations_contract, two_hundred_at_once_with_random_interruptions) {
    auto config = two_servers();
    config.client.speech.form = speech_form::exact;
    config.client.generation.max_tokens = tokens_of_a_turn;
    config.client.limits.queue_timeout = std::chrono::minutes(5);
    service bots(loop().ioc.get_executor(), config, kept_log());
    const auto questions = first_questions();
    const int count = static_cast<int>(number_from_environment("TANDEM_CONVERSATIONS", 200));
    std::vector<std::unique_ptr<caller>> callers;
    for (int i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        callers.push_back(std::make_unique<caller>(
            bots, i, GetParam() == server_kind::mock,
            std::vector{questions[at % questions.size()], questions[(at + 7) % questions.size()]},
            at));
    }
    loop().run_until(
        [&] {
            return std::count_if(callers.begin(), callers.end(),
                                 [](auto& c) { return c->advance(); }) == count;
        },
        std::chrono::minutes(4));

    double waited = 0, longest = 0;
    int interruptions = 0;
    std::map<std::string, std::string> uncut;
    for (const auto& c : callers) {
        EXPECT_TRUE(c->failures().empty()) << c->marker() << ": " << c->failures().front();
        const auto state = state_of(c->talk());
        EXPECT_EQ(as_text(state.history), as_text(c->history())) << c->marker();
        waited += state.metrics.slot_wait_ms;
        longest = std::max(longest, state.metrics.slot_wait_ms);
        interruptions += c->interruptions();
        for (std::size_t turn = 0; turn < turns_to_compare(*c); ++turn) {
            const auto prompt = rendered(c->prompts()[turn]);
            auto& whole = uncut[prompt];
            if (whole.empty()) whole = uncut_text(url(), prompt, config.client.generation);
            EXPECT_EQ(whole.rfind(c->texts()[turn], 0), 0u) << c->marker() << " turn " << turn;
        }
    }
    EXPECT_THAT(overlaps(), ::testing::IsEmpty());
    const double mean = waited / count;
    EXPECT_LE(longest, 2 * mean) << "no conversation waits more than twice the mean";
    EXPECT_GT(interruptions, count / 4);
    std::cout << count << " conversations, " << interruptions << " interruptions; waited for slots "
              << mean << " ms in the mean, " << longest << " ms at most\n";
}

}  // namespace
}  // namespace tandem::testing
