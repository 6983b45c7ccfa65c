// A paced reply in a coroutine: each chunk is spoken before the next one is requested.
//   example_coroutine http://127.0.0.1:8080 "Tell me a story."
#include <tandem/tandem.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <utility>  // Boost 1.74's awaitable.hpp needs it

// Throws errors with an explanation.
const auto throwing = tandem::with_diagnostics(boost::asio::use_awaitable);

// Stands for your synthesizer.
boost::asio::awaitable<void> speak(const std::string& text) {
    std::cout << "[" << text << "]" << std::endl;
    co_return;
}

boost::asio::awaitable<void> answer(tandem::client& llm, std::string question) {
    auto prompt = co_await llm.async_apply_template({{"user", question}}, throwing);
    auto reply = llm.start(std::move(prompt));
    while (auto chunk = co_await reply.async_next_chunk(throwing)) {
        co_await speak(chunk->speech);
        reply.continue_after(chunk->id);
    }
    const auto& result = reply.result();
    std::cout << to_string(result.finish_reason) << ", " << result.metrics_line() << "\n";
}

int main(int argc, char** argv) try {
    boost::asio::io_context ioc;
    const std::string url = argc > 1 ? argv[1] : "http://127.0.0.1:8080";
    tandem::client llm(ioc.get_executor(), {.server = {.url = url}});
    const std::string question = argc > 2 ? argv[2] : "Hello";
    co_spawn(ioc, answer(llm, question), [](std::exception_ptr e) {
        if (e) std::rethrow_exception(e);
    });
    ioc.run();
} catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
}
