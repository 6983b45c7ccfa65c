// A bot that calls a function while it speaks, and then says what came of it.
//   example_functions http://127.0.0.1:8080 "What time is it?"
#include <tandem/tandem.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <utility>  // Boost 1.74's awaitable.hpp needs it

using boost::asio::use_awaitable;

const tandem::generation_options with_functions{.tools = R"([{
    "type": "function",
    "function": {"name": "get_time", "description": "The time of day",
                 "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}}}}])"};

// Stands for your function. Its result is text for the model to read.
std::string run(const tandem::tool_call& call) {
    std::cout << "     (calls " << call.name << " " << call.arguments << ")\n";
    return call.name == "get_time" ? "16:05" : "There is no such function.";
}

// Speaks a reply, and meanwhile answers its calls. Returns whether it called a function.
boost::asio::awaitable<bool> speak(tandem::conversation& talk, tandem::reply reply) {
    // Bound to the coroutine's executor, the handler runs before the coroutine sees the end.
    reply.async_tool_calls(
        boost::asio::bind_executor(co_await boost::asio::this_coro::executor,
                                   [&talk](tandem::error_code, tandem::called_functions called) {
                                       for (const auto& call : called.calls)
                                           talk.answer_call(call.id, run(call));
                                   }));
    while (auto chunk = co_await reply.async_next_chunk(use_awaitable)) {
        std::cout << "bot: " << chunk->speech << "\n";  // stands for your synthesizer
        reply.continue_after(chunk->id);
    }
    co_return !reply.result().calls.empty();
}

boost::asio::awaitable<void> converse(tandem::service& bots, std::string question) {
    auto talk = bots.create({.messages = {{.role = "system", .content = "You are kind."}}});
    co_await speak(talk, talk.say_text("Good afternoon."));
    std::cout << "user: " << question << "\n";
    talk.append({.role = "user", .content = std::move(question)});
    constexpr int most_rounds = 5;  // a model may call again and again
    for (int round = 0; round < most_rounds; ++round)
        if (!co_await speak(talk, talk.generate(with_functions))) break;
}

int main(int argc, char** argv) try {
    boost::asio::io_context ioc;
    tandem::service bots(ioc.get_executor(),
                         {.servers = {argc > 1 ? argv[1] : "http://127.0.0.1:8080"}});
    co_spawn(ioc, converse(bots, argc > 2 ? argv[2] : "What time is it?"),
             [](std::exception_ptr e) {
                 if (e) std::rethrow_exception(e);
             });
    ioc.run();
} catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
}
