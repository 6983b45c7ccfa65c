// Measures how one slow consumer delays other consumers. Runs channels over a mock server, with one
// thread for each channel, and measures the time from the hand-over of an item to its pop.
// docs/channel.md contains the results.
//   channel_load 100

#include "percentile.hpp"
#include "tandem_mock/server.hpp"

#include "tandem/tandem.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
using tandem::testing::percentile;
using channels = std::vector<std::shared_ptr<tandem::chunk_channel>>;

constexpr const char* story =
    "The island lies in the warm sea, not far from the coast. Its old town is built of pale coral "
    "stone and dark wood. The narrow lanes smell of cloves, pepper and fresh bread. In the evening "
    "the whole town walks down to the harbour.";
constexpr int slots = 50;

// Several rounds spread the machine's other load evenly over both cases.
constexpr int rounds = 5;

struct latencies {
    std::vector<double> microseconds;
    bool is_complete = true;
};

tandem::mock::options server_options() {
    tandem::mock::options o;
    o.parallel = slots;
    o.ctx_size = slots * 4096;
    o.tokens_per_second = 100;  // lets replies overlap, as in real use
    o.replies = {{"", story}};
    return o;
}

tandem::config config_for(const tandem::mock::server& server) {
    tandem::config c;
    c.server.url = server.url();
    c.server.proxy = "none";
    c.server.reuse_guard = 0s;
    c.server.slots = slots;
    c.pacing.mode = tandem::pacing::stream;
    return c;
}

struct consumed {
    std::vector<double> microseconds;
    std::string text;

    void add(const tandem::stream_chunk& item) {
        if (item.finished) return;
        const auto waited = clock_type::now() - item.handed_over;
        microseconds.push_back(std::chrono::duration<double, std::micro>(waited).count());
        text += item.text;
    }
};

// A slow consumer of the first channel keeps its first item until all other consumers have
// finished.
std::vector<consumed> consume(const channels& all, bool one_is_slow) {
    std::vector<consumed> seen(all.size());
    std::latch others(static_cast<std::ptrdiff_t>(all.size()) - 1);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < all.size(); ++i)
        threads.emplace_back([&, i] {
            all[i]->consume([&](const tandem::stream_chunk& item) {
                seen[i].add(item);
                if (i == 0 && one_is_slow) others.wait();
            });
            if (i > 0) others.count_down();
        });
    for (auto& t : threads) t.join();
    return seen;
}

// Runs one round, and adds its latencies to `sum`.
void measure(std::size_t count, bool one_is_slow, latencies& sum) {
    const tandem::mock::server server(server_options());
    boost::asio::io_context ioc(1);
    auto busy = boost::asio::make_work_guard(ioc);
    std::thread loop([&ioc] { ioc.run(); });
    {
        tandem::client llm(ioc.get_executor(), config_for(server));
        channels all;
        for (std::size_t i = 0; i < count; ++i)
            all.push_back(tandem::chunk_channel::create({.pace = tandem::pace::text}));
        const std::vector<std::string> prompts(count, "Tell me about the island.");
        if (tandem::chunk_channel::start_all(llm, prompts, all)) std::abort();
        const auto seen = consume(all, one_is_slow);
        for (const auto& s : seen) sum.is_complete = sum.is_complete && s.text == story;
        for (std::size_t i = 1; i < seen.size(); ++i)
            sum.microseconds.insert(sum.microseconds.end(), seen[i].microseconds.begin(),
                                    seen[i].microseconds.end());
    }
    busy.reset();
    loop.join();
}

struct shares {
    double p50, p99;
};

shares print(const char* what, latencies& l) {
    const shares s{percentile(l.microseconds, 0.5), percentile(l.microseconds, 0.99)};
    std::cout << what << ": p50 " << s.p50 << ", p99 " << s.p99 << " us over "
              << l.microseconds.size() << " items\n";
    return s;
}

}  // namespace

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 0;
    if (count < 2) {
        std::cerr << "usage: channel_load COUNT (2 or more)\n";
        return 2;
    }
    latencies without_slow, with_slow;
    for (int round = 0; round < rounds; ++round) {
        measure(static_cast<std::size_t>(count), false, without_slow);
        measure(static_cast<std::size_t>(count), true, with_slow);
    }
    std::cout << count << " channels, hand-over to pop of all but the first\n";
    const auto alone = print("  no slow consumer", without_slow);
    const auto beside = print("  one slow consumer", with_slow);
    std::cout << "  ratio: p50 " << beside.p50 / alone.p50 << ", p99 " << beside.p99 / alone.p99
              << "\n";
    return without_slow.is_complete && with_slow.is_complete ? 0 : 1;
}
