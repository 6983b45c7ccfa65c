// A paced reply in a coroutine: each chunk is spoken before the next one is asked for.
//   example_coroutine http://127.0.0.1:8080 "Tell me a story."
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

// Stands for your synthesiser.
boost::asio::awaitable<void> speak(const std::string& text) {
    std::cout << "[" << text << "]" << std::endl;
    co_return;
}

boost::asio::awaitable<void> answer(tandem::client& llm, std::string question) {
    auto prompt = co_await llm.async_apply_template({{"user", question}}, use_awaitable);
    auto reply = llm.start(std::move(prompt));
    // The result tells more of an error than an exception would.
    tandem::error_code ec;
    while (auto chunk = co_await reply.async_next_chunk(redirect_error(use_awaitable, ec))) {
        co_await speak(chunk->speech);
        reply.continue_after(chunk->id);
    }
    const auto& result = reply.result();
    if (result.error) throw std::runtime_error(result.diagnostics.to_string());
    std::cout << to_string(result.finish_reason) << ", " << result.metrics_line() << "\n";
}

int main(int argc, char** argv) try {
    boost::asio::io_context ioc;
    tandem::client llm(ioc.get_executor(), {.url = argc > 1 ? argv[1] : "http://127.0.0.1:8080"});
    const std::string question = argc > 2 ? argv[2] : "Hello";
    co_spawn(ioc, answer(llm, question), [](std::exception_ptr e) {
        if (e) std::rethrow_exception(e);
    });
    ioc.run();
} catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
}
