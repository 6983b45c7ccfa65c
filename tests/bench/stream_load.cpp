// Measures the cost of many streams for one event loop, and two delays: from the time when the
// server sends the token that ends a chunk to the delivery of the chunk, and from a cut to the time
// when the server detects it. The program has its own servers. docs/performance.md contains the
// results.
//   stream_load STREAMS TOKENS_PER_SECOND SECONDS [stream|strict|bare]
// `bare` reads the same streams with only epoll and recv, and gives the lower limit. All figures
// except memory cover only the time in which all streams run.

#include "bare_reader.hpp"
#include "percentile.hpp"
#include "support/process.hpp"
#include "token_hose.hpp"

#include "tandem/tandem.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <exception>
#include <optional>
#include <pthread.h>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <thread>
#include <utility>
#include <vector>

namespace {

using boost::asio::awaitable;
using boost::asio::use_awaitable;
using tandem::testing::percentile;
using tandem::testing::read_with_epoll;
using tandem::testing::token_hose;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
using sent_requests = std::deque<token_hose::sent_request>;

struct load {
    int streams = 1;
    double tokens_per_second = 50;
    double seconds = 5;
    std::optional<tandem::pacing> pacing = tandem::pacing::stream;  ///< none: bare sockets

    bool is_cut() const { return pacing == tandem::pacing::strict; }
    int tokens() const { return static_cast<int>(seconds * tokens_per_second); }
    int sentences() const {
        constexpr int each = token_hose::tokens_of_a_sentence;
        return (tokens() + each - 1) / each;
    }
};

// The streams begin one after the other within this time, because the start of a conversation costs
// more than a token.
constexpr clock_type::duration begin_within = 1s;
constexpr clock_type::duration settle_within = 500ms;

constexpr std::size_t tokens_peeked_at = 1;

// The time in which all streams run.
struct steady_time {
    clock_type::time_point from{}, to{};

    bool has(clock_type::time_point t) const { return from <= t && t < to; }
    double seconds() const { return std::chrono::duration<double>(to - from).count(); }
};

double cpu_seconds_of(pthread_t thread) {
    clockid_t clock{};
    timespec t{};
    if (::pthread_getcpuclockid(thread, &clock) != 0 || ::clock_gettime(clock, &t) != 0) return 0;
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

// Measures the processor time of two threads in the steady time, from a third thread.
class cpu_watch {
 public:
    cpu_watch(steady_time when, pthread_t reader, pthread_t servers)
        : thread_([this, when, reader, servers] {
              std::this_thread::sleep_until(when.from);
              const auto before = std::pair(cpu_seconds_of(reader), cpu_seconds_of(servers));
              std::this_thread::sleep_until(when.to);
              reader_ = cpu_seconds_of(reader) - before.first;
              servers_ = cpu_seconds_of(servers) - before.second;
          }) {}

    std::pair<double, double> reader_and_servers() {
        thread_.join();
        return {reader_, servers_};
    }

 private:
    double reader_ = 0, servers_ = 0;
    std::thread thread_;
};

tandem::service_config config_of(const token_hose& hose, const load& l) {
    tandem::service_config c;
    c.servers = hose.urls();
    c.client.server.proxy = "none";
    c.client.server.slots = token_hose::slots_of_a_server;
    c.client.server.reuse_guard = 0s;
    c.client.pacing.mode = *l.pacing;
    // A token, not a timeout, ends each chunk. Requests are cut only at the ends of sentences, and
    // no request is repeated.
    c.client.chunking.peek_hold = 10s;
    c.client.pacing.held_chunks_max = 1024;
    c.client.failover.retries = 0;
    return c;
}

// One stream, as its consumer observed it.
struct heard_stream {
    std::vector<clock_type::time_point> chunks{};  // the time of each delivery
    std::vector<clock_type::time_point> cuts{};
    bool failed = false;
};

// The result does not contain the time at which its timeline begins. No continue can precede the
// delivery of its chunk, so each delivery gives a lower bound for this time; the latest bound is
// used.
void keep_cuts(const tandem::reply_result& r, heard_stream& heard) {
    using kind = tandem::timeline_event::kind;
    clock_type::time_point began{};
    for (const auto& e : r.timeline)
        if (e.what == kind::continued)
            began = std::max(began, heard.chunks.at(static_cast<std::size_t>(e.chunk)) -
                                        std::chrono::nanoseconds(e.at_ns));
    for (const auto& e : r.timeline)
        if (e.what == kind::cut) heard.cuts.push_back(began + std::chrono::nanoseconds(e.at_ns));
}

awaitable<void> hear(tandem::service& bots, int number, const load& l, heard_stream& heard) {
    boost::asio::steady_timer pause(co_await boost::asio::this_coro::executor);
    pause.expires_after(begin_within * number / l.streams);
    co_await pause.async_wait(use_awaitable);
    tandem::conversation_options raw;
    raw.raw = true;
    auto talk = bots.create(std::move(raw));
    talk.append({.role = "user", .content = token_hose::prompt_of(number)});
    tandem::generation_options options;
    options.max_tokens = l.tokens();
    auto reply = talk.generate(std::move(options));
    tandem::error_code ec;
    while (const auto c = co_await reply.async_next_chunk(redirect_error(use_awaitable, ec))) {
        heard.chunks.push_back(clock_type::now());
        reply.continue_after(c->id);
    }
    heard.failed = bool(ec);
    if (ec) fmt::print("stream {}: {}\n", number, reply.result().diagnostics.to_string());
    keep_cuts(reply.result(), heard);
}

std::vector<heard_stream> hear_all(const token_hose& hose, const load& l) {
    boost::asio::io_context ioc(1);
    tandem::service bots(ioc.get_executor(), config_of(hose, l));
    std::vector<heard_stream> heard(static_cast<std::size_t>(l.streams));
    int running = l.streams;
    for (int i = 0; i < l.streams; ++i)
        co_spawn(ioc, hear(bots, i, l, heard[static_cast<std::size_t>(i)]),
                 [&](std::exception_ptr e) {
                     if (e) std::rethrow_exception(e);
                     --running;
                 });
    while (running > 0) ioc.run_one();
    return heard;
}

std::vector<heard_stream> read_all(const token_hose& hose, const load& l) {
    std::vector<heard_stream> heard;
    for (auto& ends : read_with_epoll(hose.urls(), l.streams, l.tokens(), begin_within)) {
        // A reply that ends in mid-sentence has no last sentence end.
        if (l.tokens() % token_hose::tokens_of_a_sentence != 0) ends.emplace_back();
        heard.push_back({.chunks = std::move(ends)});
    }
    return heard;
}

double us(clock_type::duration d) {
    return std::chrono::duration<double, std::micro>(d).count();
}

struct figures {
    std::vector<double> hand_over{}, behind_send{}, cut{};  // in us
    std::int64_t tokens = 0;                                // sent in the steady time
    int failed = 0;
};

// Whether the numbers of chunks and requests are as expected. Otherwise, the times of the chunks
// cannot be matched with those of the tokens.
bool fits(const heard_stream& heard, const sent_requests& sent, const load& l) {
    const auto chunks = heard.chunks.size();
    if (heard.failed || chunks != static_cast<std::size_t>(l.sentences())) return false;
    return l.is_cut() ? sent.size() == chunks : sent.size() == 1;
}

// The final mark of these sentences ends a chunk immediately. The stream's end ends the last chunk.
void add_hand_overs(const heard_stream& heard, const sent_requests& sent, const load& l,
                    const steady_time& steady, figures& sum) {
    for (std::size_t i = 0; i + 1 < heard.chunks.size(); ++i) {
        const auto& tokens = sent.at(l.is_cut() ? i : 0).tokens;
        // The first token of this sentence came with the previous request, as its peek.
        const std::size_t before = l.is_cut() && i > 0 ? tokens_peeked_at : 0;
        const std::size_t sentences = l.is_cut() ? 1 : i + 1;
        const auto& mark = tokens.at(sentences * token_hose::tokens_of_a_sentence - 1 - before);
        if (!steady.has(mark.from)) continue;
        sum.hand_over.push_back(us(heard.chunks[i] - mark.from));
        sum.behind_send.push_back(us(heard.chunks[i] - mark.to));
    }
}

void add_cuts(const heard_stream& heard, const sent_requests& sent, const steady_time& steady,
              figures& sum) {
    for (std::size_t i = 0; i < heard.cuts.size() && i < sent.size(); ++i)
        if (sent[i].closed && steady.has(heard.cuts[i]))
            sum.cut.push_back(us(*sent[i].closed - heard.cuts[i]));
}

figures figures_of(const token_hose& hose, const std::vector<heard_stream>& heard, const load& l,
                   const steady_time& steady) {
    figures sum;
    sum.failed = l.streams - static_cast<int>(hose.sent().size());
    for (const auto& [number, sent] : hose.sent()) {
        const auto& h = heard[static_cast<std::size_t>(number)];
        for (const auto& r : sent)
            sum.tokens +=
                std::ranges::count_if(r.tokens, [&](const auto& t) { return steady.has(t.from); });
        if (!fits(h, sent, l)) {
            ++sum.failed;
            continue;
        }
        add_hand_overs(h, sent, l, steady, sum);
        add_cuts(h, sent, steady, sum);
    }
    return sum;
}

double max_resident_bytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

void print_row(const char* name, std::vector<double>& values) {
    if (values.empty()) return;
    fmt::print("  {:<12} p50 {:>8.0f}  p90 {:>8.0f}  p99 {:>8.0f}  max {:>8.0f} us   n {}\n", name,
               percentile(values, 0.5), percentile(values, 0.9), percentile(values, 0.99),
               percentile(values, 1), values.size());
}

int measure(const load& l) {
    token_hose hose(l.streams, l.tokens_per_second);
    const auto began = clock_type::now();
    const auto all =
        std::chrono::duration_cast<clock_type::duration>(std::chrono::duration<double>(l.seconds));
    const steady_time steady{began + begin_within + settle_within, began + all};
    const auto memory = static_cast<double>(tandem::testing::resident_bytes());
    cpu_watch watch(steady, ::pthread_self(), hose.thread());
    const auto heard = l.pacing ? hear_all(hose, l) : read_all(hose, l);
    const auto [cpu, servers_cpu] = watch.reader_and_servers();
    const auto grown = max_resident_bytes() - memory;
    hose.stop();

    auto sum = figures_of(hose, heard, l, steady);
    const auto tokens = static_cast<double>(sum.tokens);
    fmt::print("{} streams of {} tokens/s: {:.0f} tokens/s for {:.1f} s, {} failed\n", l.streams,
               l.tokens_per_second, tokens / steady.seconds(), steady.seconds(), sum.failed);
    print_row("hand-over", sum.hand_over);
    print_row("behind send", sum.behind_send);
    print_row("cut to FIN", sum.cut);
    fmt::print(
        "  processor    {:.2f} us a token, {:.0f} % of a core; the servers {:.2f}, {:.0f} %\n",
        cpu * 1e6 / tokens, 100 * cpu / steady.seconds(), servers_cpu * 1e6 / tokens,
        100 * servers_cpu / steady.seconds());
    fmt::print("  memory       {:.0f} KiB a stream, the service's own and the servers' among it\n",
               grown / l.streams / 1024);
    const bool saw_all = !sum.hand_over.empty() && (!l.is_cut() || !sum.cut.empty());
    return sum.failed == 0 && saw_all ? 0 : 1;
}

constexpr std::array<std::pair<std::string_view, std::optional<tandem::pacing>>, 3> modes{{
    {"stream", tandem::pacing::stream},
    {"strict", tandem::pacing::strict},
    {"bare", std::nullopt},
}};

}  // namespace

int main(int argc, char** argv) {
    load l;
    const std::string_view name = argc > 4 ? argv[4] : "stream";
    const auto mode = std::ranges::find(modes, name, [](const auto& m) { return m.first; });
    if (argc > 3) l = {std::atoi(argv[1]), std::atof(argv[2]), std::atof(argv[3])};
    if (argc < 4 || mode == modes.end() || l.streams < 1 || l.tokens_per_second <= 0 ||
        l.seconds < 2) {
        fmt::print(stderr,
                   "usage: stream_load STREAMS TOKENS_PER_SECOND SECONDS [stream|strict|bare]\n"
                   "SECONDS: 2 at least, as all streams run after 1.5 s\n");
        return 2;
    }
    l.pacing = mode->second;
    return measure(l);
}
