// The user talks over the bot: the voice stops at once, and history keeps what the user heard.
//   example_barge_in http://127.0.0.1:8080 "Tell me a story."
#include <tandem/tandem.hpp>

#include <boost/asio.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

using namespace std::chrono_literals;
using boost::asio::awaitable, boost::asio::redirect_error, boost::asio::use_awaitable;

// One call, on one thread. The timer stands for your synthesizer, and takes 40 ms for each letter.
struct call {
    tandem::conversation talk;
    boost::asio::steady_timer voice;

    // Returns the share of `text` that was heard.
    awaitable<double> speak(std::string text) {
        std::cout << "bot: " << text << std::endl;
        const auto length = 40ms * (text.size() + 1);
        voice.expires_after(length);
        tandem::error_code stopped;
        co_await voice.async_wait(redirect_error(use_awaitable, stopped));
        const auto unheard = voice.expiry() - std::chrono::steady_clock::now();
        co_return stopped ? 1 - 1.0 * unheard / length : 1;
    }

    void user_talks() {
        talk.interrupt();  // delivers no more chunks, not even one that is on its way
        voice.cancel();
    }

    awaitable<void> answer(std::string question) {
        std::cout << "user: " << question << std::endl;
        auto reply = talk.say(std::move(question));
        tandem::error_code ec;  // the result describes an error in more detail
        while (auto chunk = co_await reply.async_next_chunk(redirect_error(use_awaitable, ec))) {
            talk.heard_share(chunk->id, co_await speak(chunk->speech));
            reply.continue_after(chunk->id);  // has no effect after an interrupt
        }
        if (reply.result().error) throw std::runtime_error(reply.result().diagnostics.to_string());
    }

    awaitable<void> converse(std::string question) {
        co_await answer(std::move(question));
        co_await answer("Sorry, go on.");
        std::cout << "\nThe history holds what was heard:\n";
        const auto state = co_await talk.async_state(use_awaitable);
        for (const auto& m : state.history) std::cout << m.role << ": " << m.content << "\n";
    }
};

int main(int argc, char** argv) try {
    boost::asio::io_context ioc;
    const std::string url = argc > 1 ? argv[1] : "http://127.0.0.1:8080";
    tandem::service bots(ioc.get_executor(), {.servers = {url}});
    call caller{bots.create(), boost::asio::steady_timer(ioc)};
    // Stands for your voice detector. In this example, the user talks 3 s after the call begins.
    boost::asio::steady_timer detector(ioc, 3s);
    detector.async_wait([&caller](tandem::error_code) { caller.user_talks(); });
    co_spawn(ioc, caller.converse(argc > 2 ? argv[2] : "Hello"), [](std::exception_ptr e) {
        if (e) std::rethrow_exception(e);
    });
    ioc.run();
} catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
}
