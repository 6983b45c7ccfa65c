// A conversation over two servers: stop one of them during a reply, which continues on the other.
//   example_two_servers http://127.0.0.1:8080 http://127.0.0.1:8081 "Tell me a story."
#include <tandem/tandem.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>  // Boost 1.74's awaitable.hpp needs it

using boost::asio::awaitable;
using boost::asio::redirect_error;
using boost::asio::use_awaitable;

// Stands for your synthesizer. It takes 30 ms for each letter, so there is time to stop a server.
awaitable<void> speak(const std::string& text) {
    std::cout << text << std::endl;
    boost::asio::steady_timer voice(co_await boost::asio::this_coro::executor);
    voice.expires_after(std::chrono::milliseconds(30) * text.size());
    co_await voice.async_wait(use_awaitable);
}

awaitable<void> answer(tandem::conversation& talk, std::string question) {
    std::cout << "\nuser: " << question << "\n";
    auto reply = talk.say(std::move(question));
    std::string server;
    // The result describes an error in more detail than an exception would.
    tandem::error_code ec;
    while (auto chunk = co_await reply.async_next_chunk(redirect_error(use_awaitable, ec))) {
        if (const auto& from = chunk->metrics.server; from != server)
            std::cout << "(" << (server = from) << ")\n";
        co_await speak(chunk->speech);
        reply.continue_after(chunk->id);
    }
    const auto& result = reply.result();
    if (result.error) throw std::runtime_error(result.diagnostics.to_string());
    if (result.metrics.retries > 0) std::cout << "(a server was lost, and no word of the reply)\n";
}

awaitable<void> converse(tandem::service& bots, std::string question) {
    auto talk = bots.create({.messages = {{.role = "system", .content = "You are kind."}}});
    co_await answer(talk, std::move(question));
    co_await answer(talk, "Go on, please.");
    std::cout << "\n";
    for (const auto& server : co_await bots.async_servers(use_awaitable))
        std::cout << server.url << " is " << to_string(server.state) << " " << server.fault << "\n";
}

int main(int argc, char** argv) try {
    boost::asio::io_context ioc;
    tandem::service_config config{.servers = {argc > 1 ? argv[1] : "http://127.0.0.1:8080",
                                              argc > 2 ? argv[2] : "http://127.0.0.1:8081"}};
    config.client.failover.resume_within =
        std::chrono::seconds(10);  // how long a reply waits for a server
    tandem::service bots(ioc.get_executor(), config);
    co_spawn(ioc, converse(bots, argc > 3 ? argv[3] : "Hello"), [](std::exception_ptr e) {
        if (e) std::rethrow_exception(e);
    });
    ioc.run();
} catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
}
