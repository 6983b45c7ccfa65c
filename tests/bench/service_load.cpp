// Measures the cost of conversations: the memory of idle conversations, many conversations that
// speak at once, and the round trip to another thread. The program starts its own mock servers.
// docs/conversations.md contains the results.
//   service_load idle 10000 | speaking 1000 | hops 20000

#include "cpu_seconds.hpp"
#include "percentile.hpp"
#include "tandem_mock/server.hpp"

#include "tandem/tandem.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <malloc.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using boost::asio::awaitable;
using boost::asio::use_awaitable;
using tandem::mock::server;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
using tandem::testing::cpu_seconds_of_this_thread;
using tandem::testing::percentile;

constexpr const char* story =
    "The island lies in the warm sea, not far from the coast. Its old town is built of pale coral "
    "stone and dark wood. The narrow lanes smell of cloves, pepper and fresh bread. In the evening "
    "the whole town walks down to the harbour.";

using servers = std::vector<std::unique_ptr<server>>;

servers start_servers(int count, int slots, double tokens_per_second) {
    servers list;
    for (int i = 0; i < count; ++i) {
        tandem::mock::options o;
        o.parallel = slots;
        o.ctx_size = slots * 4096;
        o.tokens_per_second = tokens_per_second;
        o.replies = {{"", story}};
        list.push_back(std::make_unique<server>(std::move(o)));
    }
    return list;
}

tandem::service_config config_of(const servers& list) {
    tandem::service_config c;
    for (const auto& s : list) c.servers.push_back(s->url());
    c.client.server.proxy = "none";
    c.client.server.reuse_guard = 0s;
    c.client.limits.queue_limit = 100'000;
    c.client.limits.queue_timeout = 1h;
    return c;
}

double ms(clock_type::duration d) {
    return std::chrono::duration<double, std::milli>(d).count();
}

// --- idle conversations

struct tally {
    int running = 0;
    int failed = 0;
    std::vector<double> gaps;
};

// Speaks a turn at `words_per_minute`. 0 means that speech takes no time.
awaitable<void> speak_turn(tandem::conversation& talk, double words_per_minute, tally& sum) {
    boost::asio::steady_timer voice(co_await boost::asio::this_coro::executor);
    tandem::error_code ec;
    auto reply = talk.say("Tell me about the island, please.");
    while (auto chunk = co_await reply.async_next_chunk(redirect_error(use_awaitable, ec))) {
        if (chunk->id.seq > 0) sum.gaps.push_back(chunk->metrics.gap_ms);
        if (words_per_minute > 0) {
            const auto words = std::count(chunk->text.begin(), chunk->text.end(), ' ') + 1;
            voice.expires_after(std::chrono::duration_cast<clock_type::duration>(
                std::chrono::duration<double>(static_cast<double>(words) * 60 / words_per_minute)));
            co_await voice.async_wait(use_awaitable);
        }
        reply.continue_after(chunk->id);
    }
    if (ec || reply.result().text != story) ++sum.failed;
    --sum.running;
}

int measure_idle(int count) {
    const auto list = start_servers(2, 8, 0);
    boost::asio::io_context ioc(1);
    tandem::service bots(ioc.get_executor(), config_of(list));
    std::vector<tandem::conversation> talks;
    talks.reserve(static_cast<std::size_t>(count));
    tally sum;
    const auto say_all = [&](std::size_t from) {
        ioc.restart();  // the context stopped, because no reply was running
        for (auto i = from; i < talks.size(); ++i) {
            ++sum.running;
            co_spawn(ioc, speak_turn(talks[i], 0, sum), [](std::exception_ptr) {});
            while (sum.running > 64) ioc.run_one();
        }
        while (sum.running > 0) ioc.run_one();
        ioc.run_for(200ms);
    };
    // The first conversations are not measured, because they also allocate buffers and connections
    // that remain.
    const auto first = std::min(count / 10 + 1, 200);
    for (int i = 0; i < first; ++i) talks.push_back(bots.create());
    say_all(0);
    sum.gaps = {};
    const auto before = mallinfo2().uordblks;
    for (int i = 0; i < count; ++i) talks.push_back(bots.create());
    say_all(static_cast<std::size_t>(first));
    sum.gaps = {};
    const double each = static_cast<double>(mallinfo2().uordblks - before) / count;
    std::cout << count << " idle conversations of one turn: " << each / 1024 << " KiB each, "
              << sum.failed << " failed turns\n";
    return sum.failed == 0 && each < 32 * 1024 ? 0 : 1;
}

// --- speaking conversations

int measure_speaking(int count) {
    constexpr int slots = 64;
    const auto list = start_servers((count + slots - 1) / slots, slots, 30);
    boost::asio::io_context ioc(1);
    auto config = config_of(list);
    tandem::service bots(ioc.get_executor(), config);
    std::vector<tandem::conversation> talks;
    talks.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) talks.push_back(bots.create());
    tally sum;
    sum.running = count;
    const auto began = clock_type::now();
    const double cpu_before = cpu_seconds_of_this_thread();
    for (auto& talk : talks) co_spawn(ioc, speak_turn(talk, 150, sum), [](std::exception_ptr) {});
    while (sum.running > 0) ioc.run_one();
    const double seconds = ms(clock_type::now() - began) / 1000;
    const double cpu = cpu_seconds_of_this_thread() - cpu_before;
    std::cout << count << " conversations at once on one thread: " << sum.failed << " failed, "
              << sum.gaps.size() << " continues; gap p50 " << percentile(sum.gaps, 0.5) << ", p99 "
              << percentile(sum.gaps, 0.99) << ", max " << percentile(sum.gaps, 1)
              << " ms; thread busy " << 100 * cpu / seconds << " % of " << seconds << " s\n";
    return sum.failed == 0 ? 0 : 1;
}

// --- hops

// Measures the round trip from a consumer's thread to the library's thread.
int measure_hops(int count) {
    const auto list = start_servers(1, 2, 0);
    boost::asio::io_context library(1), consumer(1);
    tandem::config c;
    c.server.url = list[0]->url();
    c.server.proxy = "none";
    tandem::client llm(library.get_executor(), c);
    auto busy = boost::asio::make_work_guard(library);
    std::thread thread([&] { library.run(); });
    std::vector<double> times;
    int left = count;
    // A request for a chunk of an ended reply is answered immediately, so only the round trip takes
    // time.
    auto reply = llm.start("Hello");
    reply.interrupt();
    std::function<void()> ask = [&] {
        const auto asked = clock_type::now();
        reply.async_next_chunk(
            boost::asio::bind_executor(consumer.get_executor(), [&, asked](auto, const auto&) {
                times.push_back(ms(clock_type::now() - asked) * 1000);
                if (--left > 0) ask();
            }));
    };
    ask();
    auto waits = boost::asio::make_work_guard(consumer);
    while (left > 0) consumer.run_one();
    busy.reset();
    library.stop();
    thread.join();
    std::cout << count << " ways to another thread and back: p50 " << percentile(times, 0.5)
              << ", p99 " << percentile(times, 0.99) << " us\n";
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const int count = argc > 2 ? std::atoi(argv[2]) : 0;
    if (what == "idle" && count > 0) return measure_idle(count);
    if (what == "speaking" && count > 0) return measure_speaking(count);
    if (what == "hops" && count > 0) return measure_hops(count);
    std::cerr << "usage: service_load idle|speaking|hops COUNT\n";
    return 2;
}
