// A two-turn conversation in which the user interrupts the bot, over one or more servers.
//   example_conversation http://127.0.0.1:8080 "Tell me a story."
#include <tandem/tandem.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>  // Boost 1.74's awaitable.hpp needs it

using boost::asio::redirect_error;
using boost::asio::use_awaitable;

// Stands for your synthesizer. Returns the share of `text` that was heard, which is less than 1 if
// the user talks over the bot.
double speak(const std::string& text, bool user_interrupts) {
    std::cout << "bot: " << text << (user_interrupts ? " (interrupted half-way)\n" : "\n");
    return user_interrupts ? 0.5 : 1.0;
}

// Speaks the answer. If `user_interrupts` is set, the user interrupts the second sentence.
boost::asio::awaitable<void> answer(tandem::conversation& talk, std::string question,
                                    bool user_interrupts) {
    std::cout << "user: " << question << "\n";
    auto reply = talk.say(std::move(question));
    // The result describes an error in more detail than an exception would.
    tandem::error_code ec;
    while (auto chunk = co_await reply.async_next_chunk(redirect_error(use_awaitable, ec))) {
        const bool is_cut_short = user_interrupts && chunk->id.seq == 1;
        talk.heard_share(chunk->id, speak(chunk->speech, is_cut_short));
        if (is_cut_short)
            talk.interrupt();  // delivers no more chunks
        else
            reply.continue_after(chunk->id);
    }
    if (reply.result().error) throw std::runtime_error(reply.result().diagnostics.to_string());
}

boost::asio::awaitable<void> converse(tandem::service& bots, std::string question) {
    auto talk = bots.create(
        {.messages = {{.role = "system", .content = "You are kind."}}, .interrupted_mark = "…"});
    co_await answer(talk, question, true);
    co_await answer(talk, "Go on, please.", false);
    const auto state = co_await talk.async_state(use_awaitable);
    std::cout << "\nThe history holds what was heard:\n";
    for (const auto& m : state.history) std::cout << "  " << m.role << ": " << m.content << "\n";
}

int main(int argc, char** argv) try {
    boost::asio::io_context ioc;
    tandem::service bots(ioc.get_executor(),
                         {.servers = {argc > 1 ? argv[1] : "http://127.0.0.1:8080"}});
    co_spawn(ioc, converse(bots, argc > 2 ? argv[2] : "Hello"), [](std::exception_ptr e) {
        if (e) std::rethrow_exception(e);
    });
    ioc.run();
} catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
}
