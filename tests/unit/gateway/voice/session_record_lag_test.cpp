// A gateway dies before it has recorded everything that it sent. The client reports to another
// gateway what the listener has heard.

#include "conversation/history/turn_history.hpp"
#include "gateway/cluster/session_record_writer.hpp"
#include "gateway/cluster/unrecorded_chunk.hpp"
#include "gateway/voice/voice_turn_machine.hpp"
#include "unit/conversation/chunks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tandem::gateway {
namespace {

using nlohmann::json;

const std::string whole_story = "One two. Three four. Five six.";
constexpr std::size_t story_sentences = 3;
constexpr voice_socket story_line = 1;

/// A gateway whose model tells `whole_story`, one sentence per chunk.
class telling_gateway {
 public:
    telling_gateway() : turns_({.session = "s-1", .model = "talk"}) {}
    explicit telling_gateway(session_record record)
        : turns_({.session = "s-1", .model = "talk"}, std::move(record), {}, {}) {
        perform_all();
    }

    /// Returns false if `last` names a chunk that the session has not sent.
    bool attach(const json& start) {
        auto first = std::get<voice::start>(read(start));
        if (turns_.find_fault(first)) return false;
        turns_.on_socket_attached({}, story_line, std::move(first));
        perform_all();
        return true;
    }
    void say(const json& message) {
        turns_.on_message({}, story_line, read(message));
        perform_all();
    }
    /// The next message to the client; null if the session waits for the client.
    json next_message() {
        while (sent_.empty() && std::exchange(is_asked_, false)) give_chunk();
        if (sent_.empty()) return {};
        auto text = std::move(sent_.front());
        sent_.pop_front();
        return json::parse(text);
    }
    /// One record for each change of the session.
    const std::vector<session_record>& records() const { return records_; }
    std::vector<chat_message> transcript() const { return history_->transcript(); }

 private:
    static voice_message read(const json& m) {
        return std::get<voice_message>(parse_voice_message(m.dump()));
    }

    void give_chunk() {
        const auto begin = history_->spoken().size();
        if (is_interrupted_ || begin >= whole_story.size()) return end_reply();
        const auto length = whole_story.find('.', begin) + 1 - begin;
        auto c = conversations::spoken_chunk_of({reply_, chunks_++},
                                                whole_story.substr(begin, length), {});
        history_->on_handed_over(c);
        turns_.on_chunk({}, number_, c);
        perform_all();
    }
    void end_reply() {
        const auto why = is_interrupted_ ? finish_reason::interrupted : finish_reason::eos;
        history_->on_turn_ended({}, why);
        is_running_ = false;
        turns_.on_reply_ended({}, number_, {.finish_reason = why});
        perform_all();
    }
    void begin(std::uint64_t number) {
        history_->begin_reply(++reply_);
        number_ = number;
        chunks_ = 0;
        is_running_ = true;
        is_interrupted_ = false;
    }

    void perform_all() {
        bool is_changed = false;
        for (auto actions = turns_.take_actions(); !actions.empty();
             actions = turns_.take_actions())
            for (auto& a : actions) {
                is_changed = is_changed || changes_record(a);
                std::visit([this](auto& value) { perform(value); }, a);
            }
        if (is_changed) records_.push_back(make_record());
    }
    session_record make_record() const {
        auto r = turns_.record();
        if (history_) r.conversation = saved_text(history_->saved());
        return std::get<session_record>(parse_record(encode_record(std::move(r))));
    }

    template <class Other>
    void perform(const Other&) {}
    void perform(voice_action::send& a) { sent_.push_back(std::move(a.text)); }
    void perform(const voice_action::check_turn& a) {
        turns_.on_turn_permitted({}, a.turn->number);
    }
    void perform(voice_action::open_conversation& a) { history_.emplace(std::move(a.options)); }
    void perform(const voice_action::load_conversation& a) {
        saved_conversation saved;
        EXPECT_FALSE(read_saved(a.text, saved));
        history_.emplace(std::move(saved), time_point{});
        reply_ = history_->newest_reply();
    }
    void perform(voice_action::append& a) { history_->append(std::move(a.message)); }
    void perform(const voice_action::generate& a) {
        history_->begin_turn();
        begin(a.turn->number);
    }
    void perform(const voice_action::resume& a) {
        EXPECT_TRUE(history_->resume({}, a.speaking));
        begin(a.turn->number);
    }
    void perform(const voice_action::next_chunk&) { is_asked_ = true; }
    void perform(const voice_action::continue_after& a) { history_->on_continued({}, a.id); }
    void perform(const voice_action::heard& a) {
        if (a.share)
            history_->record_heard_share({}, a.id, *a.share);
        else
            history_->record_heard({}, a.id, static_cast<std::size_t>(a.chars));
    }
    void perform(const voice_action::interrupt&) {
        is_interrupted_ = true;
        if (!is_running_) history_->on_interrupted({});
    }

    voice_turn_machine turns_;
    std::optional<conversations::turn_history> history_;
    std::deque<std::string> sent_;
    std::vector<session_record> records_;
    std::uint64_t reply_ = 0;
    std::uint64_t number_ = 0;
    std::uint32_t chunks_ = 0;
    bool is_asked_ = false;
    bool is_running_ = false;
    bool is_interrupted_ = false;
};

enum class death_place { speaking, word, end_of_chunk, continued, end_of_reply };

/// When the gateway dies: while or after the listener hears chunk number `chunk`. The gateway's
/// last `lag` records are lost.
struct death {
    std::size_t chunk = 1;
    death_place place = death_place::speaking;
    std::size_t lag = 0;
};

/// A listener who asks for the story twice.
class story_listener {
 public:
    explicit story_listener(const death& d) : death_(d) { here_.emplace().attach(make_question()); }

    /// Listens until the gateway sends nothing more.
    void listen() {
        for (auto m = here_->next_message(); !m.is_null(); m = here_->next_message()) handle(m);
    }
    const std::vector<std::string>& heard() const { return heard_; }
    int count_questions() const {
        return static_cast<int>(
            std::ranges::count(here_->transcript(), "user", &chat_message::role));
    }

 private:
    json make_question() const {
        const auto number = std::to_string(heard_.size());
        return {{"type", "start"}, {"turn", "t" + number}, {"text", "Story " + number + "?"}};
    }

    void handle(const json& m) {
        if (m["type"] == "chunk") return hear(m);
        if (m["type"] != "end" || m["finish_reason"] == "interrupted" || heard_.size() == 2) return;
        if (death_.place == death_place::end_of_reply && chunks_ == death_.chunk)
            come_back({{"share", 1}});
        heard_.emplace_back();
        here_->say(make_question());
    }
    void hear(const json& m) {
        if (std::exchange(reply_, m["reply"]) != m["reply"]) text_.clear();
        last_ = m["id"];
        text_ += m["text"];
        const std::string words = m["text"];
        if (++chunks_ != death_.chunk || death_.place == death_place::end_of_reply)
            return go_on(words);
        if (death_.place == death_place::continued) go_on(words);
        if (death_.place == death_place::end_of_chunk) heard_.back() += words;
        if (death_.place == death_place::word)
            heard_.back() += words.substr(0, words.find_last_of(' '));
        if (!come_back(make_report())) return ask_again();
        if (death_.place == death_place::speaking) go_on(words);
    }
    json make_report() const {
        if (death_.place == death_place::word) return {{"words", 1}};
        if (death_.place == death_place::speaking) return {{"speaking", true}};
        return {{"share", 1}};
    }
    void ask_again() {
        heard_.back().clear();
        here_->say(make_question());
    }
    void go_on(const std::string& words) {
        heard_.back() += words;
        here_->say({{"type", "continue"}, {"chunk", last_}});
    }
    /// Continues at the next gateway. Returns whether its record contains the question.
    bool come_back(json last) {
        const auto& records = here_->records();
        auto record = records[records.size() - 1 - std::min(death_.lag, records.size() - 1)];
        last["chunk"] = last_;
        last["text"] = text_;
        json start{{"type", "start"}, {"session", "s-1"}, {"last", last}};
        const auto read = parse_voice_message(start.dump());
        add_unrecorded_chunk(record, *std::get<voice::start>(std::get<voice_message>(read)).last,
                             prompt_filter({}));
        here_.emplace(std::move(record));
        if (!here_->attach(start)) {
            start.erase("last");
            here_->attach(start);
        }
        return !here_->next_message()["turns"].empty();
    }

    death death_;
    std::optional<telling_gateway> here_;
    std::vector<std::string> heard_{""};
    std::string last_;   // the last chunk
    std::string reply_;  // the reply of this chunk, whose text so far is `text_`
    std::string text_;
    std::size_t chunks_ = 0;
};

std::vector<death> list_deaths() {
    std::vector<death> all;
    for (std::size_t chunk = 1; chunk <= 2 * story_sentences; ++chunk)
        for (const auto place : {death_place::speaking, death_place::word,
                                 death_place::end_of_chunk, death_place::continued})
            for (std::size_t lag = 0; lag <= 2; ++lag) all.push_back({chunk, place, lag});
    for (std::size_t lag = 0; lag <= 2; ++lag)
        all.push_back({story_sentences, death_place::end_of_reply, lag});
    return all;
}

TEST(session_record_lag, loses_and_repeats_no_word_and_no_question) {
    for (const auto& d : list_deaths()) {
        SCOPED_TRACE(fmt::format("in chunk {}, place {}, {} records lost", d.chunk,
                                 static_cast<int>(d.place), d.lag));
        story_listener c(d);
        c.listen();
        EXPECT_EQ(c.heard(), (std::vector{whole_story, whole_story}));
        EXPECT_EQ(c.count_questions(), 2);
    }
}

}  // namespace
}  // namespace tandem::gateway
