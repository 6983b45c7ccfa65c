// A bot that answers once. The tests build it with each way to link tandem.
//   bot http://127.0.0.1:8080
#include <tandem/tandem.hpp>

#include <boost/asio/io_context.hpp>

#include <iostream>
#include <optional>
#include <string>
#include <utility>

int main(int argc, char** argv) {
    boost::asio::io_context ioc;
    tandem::client llm(ioc.get_executor(),
                       {.server = {.url = argc > 1 ? argv[1] : "http://127.0.0.1:8080"}});
    std::optional<tandem::reply> reply;
    const auto say = [](const tandem::error_code& ec, const std::optional<tandem::chunk>& chunk) {
        std::cout << (chunk ? chunk->speech : ec.message()) << '\n';
    };
    const auto ask = [&](const tandem::error_code& ec, std::string prompt) {
        if (ec) return say(ec, {});
        reply.emplace(llm.start(std::move(prompt)));
        reply->async_next_chunk([&](auto&&... what) {
            say(what...);
            reply->interrupt();
        });
    };
    llm.async_apply_template({{"user", "Are you open on Sundays?"}}, ask);
    ioc.run();
}
