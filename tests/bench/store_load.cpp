// Measures how long a claim of slots takes. A turn waits for the claim if its gateway has no idle
// slot. A local redis-server gets one claim after another, each for 8 slots, on one connection.
//   store_load COMMANDS

#include "cluster/store/store_script.hpp"
#include "loop/clock.hpp"
#include "percentile.hpp"
#include "support/redis_server.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::cluster;

using microseconds = std::chrono::duration<double, std::micro>;

// The microseconds that each answered command took.
std::vector<double> measure(boost::asio::io_context& loop, store_link& link, std::size_t commands) {
    const std::vector<std::string> keys{"members", "processes", "slots", "wishes"};
    const std::vector<std::string> arguments{"gateway", "channel", "8", "turn", "0"};
    std::vector<double> times;
    const std::function<void()> run = [&] {
        scripts::claim_slots().run(link, keys, arguments,
                                   [&, sent = detail::now()](const auto& answer) {
                                       if (!answer || answer->kind != answer_kind::list)
                                           return loop.stop();
                                       times.push_back(microseconds(detail::now() - sent).count());
                                       times.size() < commands ? run() : loop.stop();
                                   });
    };
    link.start(run);
    loop.run();
    return times;
}

}  // namespace

int main(int argc, char** argv) {
    const auto commands = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000;
    const tandem::testing::redis_server store;
    boost::asio::io_context loop;
    store_link link(loop.get_executor(), {.address = parse_store_address(store.url()).address}, {});
    auto times = measure(loop, link, commands);
    fmt::print("{} commands: p50 {:.0f} us, p99 {:.0f} us\n", times.size(),
               tandem::testing::percentile(times, 0.5), tandem::testing::percentile(times, 0.99));
    return times.size() == commands ? 0 : 1;
}
