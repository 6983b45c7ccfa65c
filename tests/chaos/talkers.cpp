#include "chaos/talkers.hpp"

#include "support/poll_until.hpp"
#include "support/talk.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace tandem::testing {

namespace asio = boost::asio;
using asio::redirect_error;
using asio::use_awaitable;

namespace {

constexpr std::size_t kept_of_a_kind = 10;

void keep(std::vector<strange_reply>& list, const std::string& turn, const reply_result& r) {
    if (list.size() < kept_of_a_kind)
        list.push_back({turn, r.text, r.error, r.diagnostics.to_string()});
}

// The text of a failed reply must be a prefix of the expected text.
bool is_right(const std::string& expected, const reply_result& r) {
    return r.error ? expected.starts_with(r.text) : r.text == expected;
}

}  // namespace

std::string talk_totals::to_string() const {
    return fmt::format(
        "{} replies, {} failed, {} wrong texts, {} hang; {} requests, {} retries, at most {} for a "
        "reply; "
        "longest pause {:.0f} ms, longest wait for a first chunk {:.0f} ms",
        replies, failed, wrong, hanging, requests, retries, max_retries, longest_pause_ms,
        longest_first_chunk_ms);
}

// A running dialogue. next() starts the reply to the next question.
class talkers::session {
 public:
    session(service& bots, const mock::dialogue& d) : dialogue_(d) {
        conversation_options options;
        for (const auto& m : d.messages) {
            if (m.role != "system") break;
            options.messages.push_back({.role = m.role, .content = m.content});
        }
        talk_.emplace(bots.create(std::move(options)));
    }
    session(client& llm, const mock::dialogue& d) : dialogue_(d), llm_(&llm) {}

    // Empty at the end of the dialogue.
    std::optional<reply> next() {
        const auto& all = dialogue_.messages;
        while (at_ < all.size() && all[at_].role != "user") ++at_;
        if (at_ == all.size()) return std::nullopt;
        ++at_;
        if (talk_) return talk_->say(all[at_ - 1].content);
        return llm_->start(
            mock::render_prompt({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at_)}));
    }

 private:
    const mock::dialogue& dialogue_;
    std::optional<conversation> talk_;
    client* llm_ = nullptr;
    std::size_t at_ = 0;
};

// Runs one dialogue after another.
class talkers::talker {
 public:
    using start_session = std::function<session(const mock::dialogue&)>;

    talker(talkers& all, int number, start_session start)
        : all_(all), start_(std::move(start)), random_(all.plan_.seed * 1000 + unsigned(number)) {}

    asio::awaitable<void> talk() {
        asio::steady_timer voice(co_await asio::this_coro::executor);
        while (const auto* d = all_.next_dialogue()) {
            auto said = start_(*d);
            int number = 0;
            while (auto r = said.next()) {
                co_await listen(*r, voice);
                all_.note(fmt::format("{}/{}", d->id, ++number), r->result());
                // After a failure, the history differs, so the text of the next turn cannot be
                // compared.
                if (r->result().error) break;
            }
        }
        --all_.totals_.hanging;
    }

 private:
    asio::awaitable<void> listen(reply& r, asio::steady_timer& voice) {
        for (;;) {
            error_code ec;
            const auto piece = co_await r.async_next_chunk(redirect_error(use_awaitable, ec));
            if (!piece) co_return;
            ++all_.chunks_;
            if (all_.plan_.max_speech.count() > 0) {
                voice.expires_after(some_speech());
                co_await voice.async_wait(redirect_error(use_awaitable, ec));
            }
            r.continue_after(piece->id);
        }
    }
    std::chrono::microseconds some_speech() {
        const std::chrono::microseconds most = all_.plan_.max_speech;
        return std::chrono::microseconds(
            std::uniform_int_distribution<std::int64_t>(0, most.count())(random_));
    }

    talkers& all_;
    start_session start_;
    std::mt19937_64 random_;
};

talkers::talkers(std::variant<service_config, tandem::config> library, instruments i,
                 talk_plan plan, turn_texts expected)
    : plan_(plan),
      texts_(std::move(expected)),
      compares_(!texts_.empty()),
      dialogues_(mock::load_dialogues(talk_file)) {
    thread_ = std::thread([this, l = std::move(library), with = std::move(i)]() mutable {
        run(std::move(l), std::move(with));
        done_ = true;
    });
}

talkers::~talkers() {
    finish();
}

talk_totals talkers::finish() {
    finishing_ = true;
    if (!poll_until([this] { return done(); }, std::chrono::minutes(2))) ioc_.stop();
    if (thread_.joinable()) thread_.join();
    return totals_;
}

void talkers::run(std::variant<service_config, tandem::config> library, instruments i) {
    std::optional<service> bots;
    std::optional<client> llm;
    if (auto* of_service = std::get_if<service_config>(&library))
        bots.emplace(ioc_.get_executor(), std::move(*of_service), std::move(i));
    else
        llm.emplace(ioc_.get_executor(), std::move(std::get<tandem::config>(library)),
                    std::move(i));
    std::vector<std::unique_ptr<talker>> people;
    for (int number = 0; number < plan_.at_a_time; ++number) {
        people.push_back(std::make_unique<talker>(*this, number, [&](const mock::dialogue& d) {
            return bots ? session(*bots, d) : session(*llm, d);
        }));
        asio::co_spawn(ioc_, people.back()->talk(), asio::detached);
    }
    totals_.hanging = plan_.at_a_time;
    ioc_.run();
}

const mock::dialogue* talkers::next_dialogue() {
    const bool is_last = plan_.dialogues > 0 ? begun_ >= plan_.dialogues : finishing_.load();
    if (is_last) return nullptr;
    return &dialogues_[static_cast<std::size_t>(begun_++) % dialogues_.size()];
}

void talkers::note(const std::string& turn, const reply_result& r) {
    const auto& m = r.metrics;
    ++totals_.replies;
    totals_.retries += m.retries;
    totals_.max_retries = std::max(totals_.max_retries, m.retries);
    totals_.requests += m.requests;
    totals_.longest_pause_ms = std::max(totals_.longest_pause_ms, m.longest_gap_ms);
    totals_.longest_first_chunk_ms = std::max(totals_.longest_first_chunk_ms, m.first_chunk_ms);
    if (r.error) {
        ++totals_.failed;
        keep(totals_.failures, turn, r);
    }
    if (!compares_) {
        texts_[turn] = r.text;
    } else if (!is_right(texts_[turn], r)) {
        ++totals_.wrong;
        keep(totals_.wrong_texts, turn, r);
    }
    ++replies_;
}

}  // namespace tandem::testing
