// A voice bot that reads what the user says from stdin: example_talk http://127.0.0.1:8080
#include <tandem/tandem.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iostream>
#include <string>
#include <utility>  // Boost 1.74's awaitable.hpp needs it

namespace asio = boost::asio;

// Your synthesizer: completes when the sentence has been heard.
asio::awaitable<void> speak(std::string sentence) {
    std::cout << sentence << std::endl;
    co_return;
}

asio::awaitable<void> answer(tandem::conversation& talk, std::string question) {
    auto reply = talk.say(std::move(question));
    tandem::error_code ec;
    while (auto chunk = co_await reply.async_next_chunk(redirect_error(asio::use_awaitable, ec))) {
        co_await speak(chunk->speech);
        reply.continue_after(chunk->id);  // heard: now the next sentence may be generated
    }
    if (ec) std::cerr << reply.result().diagnostics.to_string() << "\n";
}

asio::awaitable<void> converse(tandem::service& bots) {
    auto talk = bots.create({.messages = {{.role = "system", .content = "You are friendly."}}});
    // Your speech recognition goes here.
    for (std::string question; std::getline(std::cin, question);) co_await answer(talk, question);
}

int main(int argc, char** argv) {
    const std::string url = argc > 1 ? argv[1] : "http://127.0.0.1:8080";
    asio::io_context ioc;
    tandem::service bots(ioc.get_executor(), {.servers = {url}});
    asio::co_spawn(ioc, converse(bots), asio::detached);
    ioc.run();
}
