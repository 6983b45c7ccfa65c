// Conversations from several threads at once. These tests are also run with the thread sanitizer.

#include "service_fixture.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <thread>

namespace {

using namespace tandem;
using namespace tandem::testing;

class service_threads : public service_and_mocks {
 protected:
    // Interrupts a turn at its second chunk and resumes the turn. Returns the final text of the
    // turn in the history.
    static std::string talk_and_cough(service& bots) {
        auto talk = bots.create();
        {
            auto reply = talk.say("Hello!");
            while (auto piece = reply.async_next_chunk(boost::asio::use_future).get()) {
                talk.heard(piece->id, piece->speech.size());
                if (piece->id.seq == 1) talk.interrupt();
                reply.continue_after(piece->id);
            }
        }
        auto rest = talk.resume();
        while (auto piece = rest.async_next_chunk(boost::asio::use_future).get())
            rest.continue_after(piece->id);
        const auto state = talk.async_state(boost::asio::use_future).get();
        return state.history.empty() ? std::string() : state.history.back().content;
    }
};

TEST_F(service_threads, talk_interrupt_and_resume_on_a_loop_with_four_threads) {
    config.client.pacing.mode = pacing::strict;
    server_options.parallel = 4;
    for (int i = 0; i < 2; ++i) {
        mocks.push_back(std::make_unique<mock::server>(server_options));
        config.servers.push_back(mocks.back()->url());
    }
    boost::asio::io_context ioc;
    auto busy = boost::asio::make_work_guard(ioc);
    std::vector<std::thread> loops;
    for (int i = 0; i < 4; ++i) loops.emplace_back([&] { ioc.run(); });
    std::vector<std::string> texts(12);
    {
        service many(ioc.get_executor(), config, instruments);
        std::vector<std::thread> callers;
        for (auto& text : texts) callers.emplace_back([&] { text = talk_and_cough(many); });
        for (auto& t : callers) t.join();
    }
    busy.reset();
    for (auto& t : loops) t.join();
    for (const auto& text : texts)
        EXPECT_EQ(text, "Hello. How are you? I am very well today, thank you.");
}

}  // namespace
