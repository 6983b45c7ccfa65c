#include "gateway/voice/voice_turn_machine.hpp"
#include "support/run_settings.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Sessions in which client, sockets, library and gateway act in any order. Each action is checked
// against the rules.
namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// A reply in the library.
struct played_reply {
    std::uint64_t number = 0;
    int chunks = 0;  // number of chunks if no interrupt comes
    std::uint32_t next = 0;
    bool is_asked = false;
    bool is_speaking = false;
    bool is_interrupted = false;
    bool is_aside = false;
    std::vector<tool_call> calls{};
    // Whether the handler of a chunk was posted before the interrupt.
    bool has_posted = false;
};

const std::string time_please =
    R"({"type":"start","turn":"t","text":"Time?","options":{"tools":[{"function":{"name":"clock"}}]},)"
    R"("filler":{"after_ms":100,"texts":["Hm."],"history":true}})";

const std::string hello_at_once = R"({"type":"start","turn":"t","text":"Hello",)"
                                  R"("filler":{"after_ms":0,"texts":["Hm."],"history":true}})";

using tally = std::map<std::string, std::uint64_t>;

class random_session {
 public:
    /// Counts the events in `seen`, so that the test can check that each kind occurred.
    random_session(unsigned seed, tally& seen)
        : random_(seed), seen_(seen), turns_({.session = "s-1", .limits = {.waiting_turns = 3}}) {
        attach();
    }

    void step() {
        now_ += std::chrono::milliseconds(below(3000));
        if (below(3) != 0) return react();
        if (below(3) == 0) check();
        if (below(8) == 0) return say_result(some_call());
        switch (below(16)) {
            case 0:
                return drop();
            case 1:
                return attach();
            case 2:
                return below(20) == 0 ? drain() : check();
            case 3:
                return below(10) == 0 ? say(R"({"type":"end"})") : check();
            default:
                say(some_message());
        }
    }
    /// Lets the reply, its calls and the checks of turns end while a client is attached.
    void finish() {
        if (!turns_.is_over() && sockets_.empty()) attach();
        for (int i = 0; i < 500 && !is_settled(); ++i) {
            react();
            speak();
            if (!open_.empty()) say_result(*open_.begin());
            if (reply_) continue;
            now_ += 30s;  // an aside may wait until the continue of an ended reply is overdue
            check();
        }
        EXPECT_TRUE(is_settled());
        EXPECT_TRUE(turns_.is_over() || promised_ == 0) << "ends that ready lists never came";
    }
    void check_ends() {
        // If the session is over before a client reconnects, no client receives the end messages.
        if (turns_.is_over() && over_without_socket_) return;
        for (const auto number : accepted_) EXPECT_EQ(ends_[number], 1) << "reply " << number;
    }

 private:
    std::size_t below(std::size_t n) { return random_() % n; }

    // The client

    std::string some_chunk() {
        const auto reply = below(4) ? last_chunk_.reply : below(5);
        const auto seq = below(4) ? last_chunk_.seq : below(4);
        return to_string(client_chunk_id{reply, static_cast<std::uint32_t>(seq)});
    }
    std::string some_message() {
        switch (below(16)) {
            case 0:
                return R"({"type":"interrupt"})";
            case 1:
                return R"({"type":"interrupt","heard":{"chunk":")" + some_chunk() +
                       R"(","chars":3}})";
            case 2:
                return R"({"type":"resume"})";
            case 3:
                return R"({"type":"heard","share":0.5,"chunk":")" + some_chunk() + "\"}";
            case 9:
                return R"({"type":"speaking","ends_in_ms":900,"chunk":")" + some_chunk() + "\"}";
            case 4:
                return below(2) ? hello_at_once : time_please;
            case 5:
                return R"({"type":"start","messages":[{"role":"system","content":"Noon."}]})";
            case 6:
                return R"({"type":"start","prompt":"Once"})";
            case 10:
                return R"({"type":"say","text":"Good evening."})";
            case 11:
                return R"({"type":"say","text":"One moment.","history":false})";
            case 12:
                return R"({"type":"hearing","text":"Do you have a tab"})";
            case 13:
                return R"({"type":"draft","text":"Hello"})";
            case 14:
                return R"({"type":"commit","text":"Hello","match":"exact"})";
            case 15:
                return R"({"type":"drop"})";
            default:
                return R"({"type":"continue","chunk":")" + some_chunk() + "\"}";
        }
    }
    void say(const std::string& text) {
        // A socket whose session was taken over by another socket may still send messages.
        say(text, below(10) ? last_socket_ : 1 + below(last_socket_));
    }
    void say(const std::string& text, voice_socket from) {
        if (sockets_.empty()) return;
        if (text.find("continue") == std::string::npos) promised_ = 0;
        auto message = parse_voice_message(text);
        turns_.on_message(now_, from, std::get<voice_message>(std::move(message)));
        perform();
    }
    std::string some_call() {
        const auto& expected = below(2) ? later_ : dropped_;
        if (below(4) == 0 && !expected.empty()) return *expected.begin();
        const auto reply = below(4) ? last_chunk_.reply : below(5);
        return below(2) && !open_.empty() ? *open_.begin() : name_call(reply, below(3));
    }
    static std::string name_call(std::uint64_t reply, std::size_t index) {
        return "c" + std::to_string(reply) + "-" + std::to_string(index);
    }
    /// A result is accepted if the call is open, if the result was announced for later, or if the
    /// client keeps the results of dropped calls. Copies `call`, which may be an element of open_.
    void say_result(const std::string& call) {
        if (!sockets_.contains(last_socket_)) return;
        const std::string id = call;
        const bool is_later = below(4) == 0, is_kept = below(4) == 0;
        const bool is_open = open_.erase(id) > 0;
        const bool is_expected = is_open || (!is_later && later_.contains(id)) ||
                                 (!is_later && is_kept && dropped_.contains(id));
        const auto refused = seen_["error unknown_call"];
        const auto unkept = seen_["error too_many_turns"] + seen_["error gateway_stopping"];
        say(json{{"type", "result"},
                 {"call", id},
                 {is_later ? "later" : "content", is_later ? json(true) : json("noon")},
                 {"keep", is_kept}}
                .dump(),
            last_socket_);
        if (!is_expected) return;
        EXPECT_EQ(seen_["error unknown_call"], refused);
        if (seen_["error too_many_turns"] + seen_["error gateway_stopping"] > unkept) return;
        ++seen_[is_open ? is_later ? "later" : "result" : "late result"];
        if (is_later)
            later_.insert(id);
        else
            later_.erase(id);
        dropped_.erase(id);
    }
    void attach() {
        const auto text = below(2)   ? R"({"type":"start","text":"Hello"})"
                          : below(2) ? R"({"type":"start"})"
                                     : time_please;
        auto message = std::get<voice_message>(parse_voice_message(text));
        auto start = std::get<voice::start>(std::move(message));
        if (last_socket_ > 0 && below(2)) add_last(start);
        if (!turns_.is_over()) sockets_.insert(++last_socket_);
        turns_.on_socket_attached(now_, last_socket_, std::move(start));
        perform();
    }
    void add_last(voice::start& start) {
        auto& last = start.last.emplace();
        last.chunk = below(8) ? last_chunk_ : *parse_client_chunk_id(some_chunk());
        last.speaking = below(2) > 0;
        if (!last.speaking || below(2)) last.share = static_cast<double>(below(3)) / 2;
        if (turns_.find_fault(start)) start.last.reset();
        if (start.last) ++seen_["last"];
    }
    void drop() {
        const auto socket = below(4) ? last_socket_ : 1 + below(last_socket_);
        sockets_.erase(socket);
        turns_.on_socket_lost(now_, socket);
        perform();
    }
    /// Reports that the last chunk was spoken.
    void speak() {
        if (!reply_ || !reply_->is_speaking || sockets_.empty()) return;
        auto message =
            parse_voice_message(R"({"type":"continue","chunk":")" + to_string(last_chunk_) + "\"}");
        turns_.on_message(now_, last_socket_, std::get<voice_message>(std::move(message)));
        perform();
    }

    // The gateway and the library

    void check() {
        turns_.check(now_);
        perform();
    }
    void drain() {
        below(2) ? turns_.drain(now_) : turns_.stop(now_);
        perform();
    }
    void react() {
        if (!checks_.empty() && below(2)) return answer_check();
        if (reply_ && !reply_->calls.empty() && below(3) == 0) return report_calls();
        if (reply_ && reply_->is_asked) go_on();
    }
    void answer_check() {
        const auto number = checks_.back();
        checks_.pop_back();
        if (below(5)) {
            permitted_.insert(number);
            turns_.on_turn_permitted(now_, number);
        } else {
            turns_.on_turn_refused(now_, number, {.status = 403, .code = "policy"});
        }
        perform();
    }
    void report_calls() {
        turns_.on_calls(now_, reply_->number, {.calls = reply_->calls});
        perform();
    }
    void go_on() {
        auto& r = *reply_;
        const bool has_chunk = std::cmp_less(r.next, r.chunks) && !r.is_speaking;
        if (r.is_interrupted && sockets_.empty()) ++seen_["end held"];
        if (r.is_interrupted && r.has_posted) ++seen_["chunk too late"];
        if (r.is_interrupted ? std::exchange(r.has_posted, false) : has_chunk) return hand_over();
        if (r.is_speaking && !r.is_interrupted && std::cmp_less(r.next, r.chunks) && below(8))
            return;  // the reply waits for the continue
        reply_result result{.finish_reason = finish_reason::eos};
        result.calls = r.calls;
        if (!r.calls.empty()) result.finish_reason = finish_reason::tool_calls;
        if (r.is_interrupted) result.finish_reason = finish_reason::interrupted;
        if (below(6) == 0) {
            result.finish_reason = finish_reason::error;
            result.error = errc::server_gone;
        }
        const auto number = std::exchange(reply_, {})->number;
        turns_.on_reply_ended(now_, number, result);
        perform();
    }
    void hand_over() {
        auto& r = *reply_;
        r.is_asked = false;
        r.is_speaking = true;
        const chunk c{.id = {100 + r.number, r.next++}, .text = "One. ", .speech = "One."};
        turns_.on_chunk(now_, r.number, c);
        perform();
    }
    bool is_settled() const {
        if (reply_ || !checks_.empty()) return false;
        return turns_.is_over() || (!turns_.is_busy() && open_.empty());
    }

    // The actions of the session

    void perform() {
        for (auto actions = turns_.take_actions(); !actions.empty();
             actions = turns_.take_actions())
            for (auto& a : actions) {
                EXPECT_FALSE(forgotten_) << "an action after the last one";
                ++seen_["action " + std::to_string(a.index())];
                ++actions_;
                std::visit([this](auto& value) { perform(value); }, a);
            }
    }
    void perform(const voice_action::send& a) {
        EXPECT_TRUE(sockets_.contains(a.socket)) << "sent to a socket that is closed: " << a.text;
        const auto m = json::parse(a.text);
        const std::string type = m["type"];
        ++seen_[type + " " + m.value("code", "")];
        if (type == "ready" && m["resumed"] == true && !reply_) ++seen_["taken up"];
        EXPECT_EQ(type == "ready", greeted_.insert(a.socket).second) << "ready comes first, once";
        if (type == "chunk") return chunk_sent(m);
        if (type == "call") return call_sent(m);
        if (type == "call_dropped") {
            const std::string id = m["call"];
            open_.erase(id);
            dropped_.insert(id);
            return;
        }
        if (type == "ready") promised_ = m.value("turns", json::array()).size();
        if (!m.contains("reply")) return;
        if (promised_ > 0 && m.contains("turn")) --promised_;
        const auto number = std::stoull(m["reply"].get<std::string>());
        EXPECT_TRUE(accepted_.contains(number));
        EXPECT_EQ(++ends_[number], 1) << "a second end of reply " << number;
    }
    void chunk_sent(const json& m) {
        const auto name = *parse_client_chunk_id(m["id"].get<std::string>());
        EXPECT_EQ(ends_[name.reply], 0) << "a chunk after the end";
        EXPECT_EQ(name.seq, name.reply == last_chunk_.reply ? last_chunk_.seq + 1 : 0);
        EXPECT_FALSE(reply_->is_interrupted) << "a chunk after the interrupt";
        last_chunk_ = name;
        if (!m.contains("filler")) return;
        EXPECT_EQ(reply_->next, 0u) << "a filler after the answer came";
        filled_ = name.reply;
    }
    void call_sent(const json& m) {
        const std::string id = m["id"];
        EXPECT_TRUE(called_.insert(id).second) << "a call was sent twice";
        EXPECT_EQ(ends_[std::stoull(m["reply"].get<std::string>())], 0) << "a call after the end";
        EXPECT_FALSE(is_interrupted_) << "a call after the interrupt";
        open_.insert(id);
    }
    /// Before the history continues, each call must have a result or be dropped. Without a socket,
    /// the client cannot be told that a call was dropped.
    void check_no_open_call() const {
        EXPECT_TRUE(open_.empty() || sockets_.empty()) << "an open call: " << *open_.begin();
    }
    void perform(const voice_action::close& a) {
        EXPECT_EQ(sockets_.erase(a.socket), 1u) << "closed twice, or what was gone";
        closed_at_ = actions_;
        ++seen_["close " + std::to_string(static_cast<unsigned>(a.why))];
    }
    void perform(const voice_action::check_turn& a) {
        checks_.push_back(a.turn->number);
        if (a.turn->what == voice_turn::kind::messages) return;
        EXPECT_EQ(accepted_.insert(a.turn->number).second, !a.is_again);
        if (a.is_again) permitted_.erase(a.turn->number);
    }
    void perform(const voice_action::open_conversation&) {
        EXPECT_FALSE(std::exchange(has_conversation_, true));
    }
    void perform(const voice_action::load_conversation&) {
        EXPECT_FALSE(std::exchange(has_conversation_, true));
    }
    void perform(const voice_action::add_filler&) {
        EXPECT_EQ(last_chunk_, (client_chunk_id{filled_, 0}));
    }
    void perform(const voice_action::append&) {
        EXPECT_TRUE(has_conversation_);
        EXPECT_FALSE(reply_) << "appended while a reply runs";
        check_no_open_call();
    }
    void perform(const voice_action::answer_call& a) {
        EXPECT_TRUE(has_conversation_);
        EXPECT_FALSE(reply_) << "answered while a reply runs";
        const auto& [id, content, is_final] = a.result;
        EXPECT_TRUE(called_.contains(id));
        EXPECT_FALSE(answered_.contains(id)) << "a second result of " << id;
        if (is_final) answered_.insert(id);
    }
    void perform(const voice_action::await_calls& a) {
        ASSERT_TRUE(reply_);
        EXPECT_EQ(a.number, reply_->number);
        for (std::size_t i = 0; i < below(3); ++i)
            reply_->calls.push_back({.id = name_call(a.number, i), .name = "clock"});
    }
    void begin(std::uint64_t number, bool is_aside = false) {
        EXPECT_FALSE(reply_) << "a second reply at a time";
        EXPECT_TRUE(permitted_.contains(number)) << "nobody permitted it";
        EXPECT_FALSE(sockets_.empty()) << "nobody listens";
        if (!is_aside) check_no_open_call();
        if (is_aside && !open_.empty()) ++seen_["aside while a function runs"];
        is_interrupted_ = false;
        reply_ = played_reply{
            .number = number, .chunks = static_cast<int>(below(5)), .is_aside = is_aside};
    }
    void perform(const voice_action::generate& a) {
        EXPECT_TRUE(has_conversation_);
        begin(a.turn->number);
    }
    void perform(const voice_action::generate_raw& a) { begin(a.turn->number); }
    void perform(const voice_action::resume& a) {
        EXPECT_TRUE(has_conversation_);
        if (a.speaking) ++seen_["speaks on"];
        begin(a.turn->number);
    }
    void perform(const voice_action::say_text& a) {
        EXPECT_TRUE(has_conversation_);
        begin(a.turn->number);
    }
    void perform(const voice_action::say_aside& a) {
        EXPECT_TRUE(has_conversation_);
        begin(a.turn->number, true);
    }
    void perform(const voice_action::next_chunk& a) {
        ASSERT_TRUE(reply_);
        EXPECT_EQ(a.number, reply_->number);
        EXPECT_FALSE(std::exchange(reply_->is_asked, true)) << "asked twice";
    }
    void perform(const voice_action::continue_after& a) {
        const auto fillers = filled_ == last_chunk_.reply ? 1u : 0u;
        EXPECT_EQ(a.id, (chunk_id{100 + last_chunk_.reply, last_chunk_.seq - fillers}));
        if (reply_) reply_->is_speaking = false;
    }
    void perform(const voice_action::speaks_until& a) {
        EXPECT_EQ(a.id.reply, 100 + last_chunk_.reply);
        EXPECT_LE(a.id.seq, last_chunk_.seq);
    }
    void perform(const voice_action::heard& a) {
        const auto newest = 100 + last_chunk_.reply;
        EXPECT_TRUE(a.id.reply < newest || (a.id.reply == newest && a.id.seq <= last_chunk_.seq));
    }
    void perform(const voice_action::interrupt& a) {
        is_interrupted_ = true;
        if (!reply_) return;
        EXPECT_TRUE(a.is_outside_history || !reply_->is_aside);
        EXPECT_FALSE(std::exchange(reply_->is_interrupted, true));
        reply_->has_posted = reply_->is_asked && !reply_->is_speaking && below(3) == 0;
        reply_->is_speaking = false;
    }
    void perform(const voice_action::warm&) { EXPECT_TRUE(has_conversation_); }
    void perform(const voice_action::hear&) { EXPECT_TRUE(has_conversation_ && !turns_.is_busy()); }
    void perform(const voice_action::draft&) {
        EXPECT_TRUE(has_conversation_ && !turns_.is_busy());
    }
    void perform(const voice_action::drop_draft&) { EXPECT_TRUE(has_conversation_); }
    void perform(const voice_action::first_chunk& a) { EXPECT_GE(a.since_asked, duration()); }
    void perform(const voice_action::keep&) { EXPECT_FALSE(turns_.has_socket()); }
    void perform(const voice_action::forget&) {
        EXPECT_FALSE(reply_);
        forgotten_ = true;
        over_without_socket_ = closed_at_ + 1 != actions_;
    }

    std::mt19937 random_;
    tally& seen_;
    time_point now_{1h};
    voice_turn_machine turns_;
    voice_socket last_socket_ = 0;
    std::set<voice_socket> sockets_;  // open sockets
    std::set<voice_socket> greeted_;
    std::optional<played_reply> reply_;
    bool has_conversation_ = false;
    int actions_ = 0;
    int closed_at_ = 0;
    bool forgotten_ = false;
    bool over_without_socket_ = false;
    std::vector<std::uint64_t> checks_;
    std::set<std::uint64_t> permitted_;
    std::set<std::uint64_t> accepted_;  // turns with a reply
    std::map<std::uint64_t, int> ends_;
    std::size_t promised_ = 0;  // number of ends that `ready` announced; 0 once the client acts
    client_chunk_id last_chunk_;
    std::uint64_t filled_ = 0;        // the last reply with a filler
    std::set<std::string> called_;    // calls that were sent
    std::set<std::string> open_;      // calls for which the client may send a result
    std::set<std::string> answered_;  // calls with a final result in the history
    std::set<std::string> later_;     // calls whose result was to come later
    std::set<std::string> dropped_;   // dropped calls without a result
    bool is_interrupted_ = false;     // the last reply
};

TEST(voice_session_properties, hold_whatever_happens_in_any_order) {
    tally seen;
    const auto sessions = test::random_runs(3000);
    for (unsigned seed = 0; seed < sessions && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        random_session session(seed, seen);
        for (int i = 0; i < 150; ++i) session.step();
        session.finish();
        session.check_ends();
    }
    // Skips the last action, load_conversation, which occurs only in sessions of other gateways.
    for (std::size_t i = 0; i + 1 < std::variant_size_v<voice_action::any>; ++i)
        EXPECT_GT(seen["action " + std::to_string(i)], sessions / 60) << i;
    for (const auto* what : {"end held", "chunk too late", "taken up", "close 1000", "close 1012",
                             "close 4001", "error policy", "error gateway_stopping",
                             "error unknown_call", "result", "later", "late result", "call ",
                             "call_dropped ", "aside while a function runs", "last", "speaks on"})
        EXPECT_GT(seen[what], sessions / 100) << what;
}

}  // namespace
}  // namespace tandem::gateway
