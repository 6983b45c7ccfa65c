// What many streams cost one event loop, and how late their chunks are: from the time when the
// token that decides that a chunk ends was in the socket to the chunk in the consumer's hands, and
// from a cut to the server's sight of it. A program with servers of its own; docs/performance.md
// has its figures.
//   stream_load STREAMS TOKENS_PER_SECOND SECONDS [stream|strict|warm|bare]
// `bare` reads the same with epoll and recv alone, and is the limit.

#include "bare_reader.hpp"
#include "cpu_seconds.hpp"
#include "percentile.hpp"
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
#include <deque>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using boost::asio::awaitable;
using boost::asio::use_awaitable;
using tandem::testing::cpu_seconds_of_this_thread;
using tandem::testing::percentile;
using tandem::testing::read_bare;
using tandem::testing::token_hose;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

struct load {
    int streams = 1;
    double tokens_per_second = 50;
    double seconds = 5;
    std::optional<tandem::pacing> pacing = tandem::pacing::stream;  ///< none: bare sockets

    int tokens() const { return static_cast<int>(seconds * tokens_per_second); }
};

// All streams begin within so long.
constexpr auto begin_within = 1s;

tandem::service_config config_of(const token_hose& hose, const load& l) {
    tandem::service_config c;
    c.servers = hose.urls();
    c.server.proxy = "none";
    c.server.slots = token_hose::slots_of_a_server;
    c.server.reuse_guard = 0s;
    c.server.pacing = *l.pacing;
    // So that a token decides about each chunk, and not the end of a wait.
    c.server.peek_hold = 10s;
    c.slots_per_conversation = 1;
    return c;
}

// One stream, as its consumer saw it.
struct heard_stream {
    std::vector<clock_type::time_point> chunks{};  // when each was in hand
    std::vector<clock_type::time_point> cuts{};
    bool failed = false;
};

// The time line begins a little later than the reply is asked for; but the reply cannot have heard
// of a continue before it was said.
void keep_cuts(const tandem::reply_result& r, heard_stream& heard) {
    clock_type::time_point began{};
    for (const auto& e : r.timeline)
        if (e.what == tandem::timeline_event::kind::continued)
            began = std::max(began, heard.chunks.at(static_cast<std::size_t>(e.chunk)) -
                                        std::chrono::nanoseconds(e.at_ns));
    for (const auto& e : r.timeline)
        if (e.what == tandem::timeline_event::kind::cut)
            heard.cuts.push_back(began + std::chrono::nanoseconds(e.at_ns));
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

double us(clock_type::duration d) {
    return std::chrono::duration<double, std::micro>(d).count();
}

double resident_bytes() {
    std::ifstream file("/proc/self/statm");
    double size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double most_resident_bytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

struct lateness {
    std::vector<double> hand_over{}, cut{};  // us
};

// The mark of a sentence like these decides at once. The last chunk is decided by the end.
void add_hand_overs(const std::vector<clock_type::time_point>& chunks,
                    const std::deque<token_hose::sent_request>& sent, lateness& sum) {
    const bool is_cut = sent.size() > 1;
    for (std::size_t i = 0; i + 1 < chunks.size(); ++i) {
        const auto& tokens = sent.at(is_cut ? i : 0).tokens;
        const std::size_t sentences = is_cut ? 1 : i + 1;
        const auto mark = sentences * token_hose::tokens_of_a_sentence - 1;
        if (mark < tokens.size()) sum.hand_over.push_back(us(chunks[i] - tokens[mark]));
    }
}

void add_cuts(const heard_stream& heard, const std::deque<token_hose::sent_request>& sent,
              lateness& sum) {
    for (std::size_t i = 0; i < heard.cuts.size() && i < sent.size(); ++i)
        if (sent[i].closed) sum.cut.push_back(us(*sent[i].closed - heard.cuts[i]));
}

void print_row(const char* name, std::vector<double>& values) {
    if (values.empty()) return;
    fmt::print("  {:<12} p50 {:>8.0f}  p90 {:>8.0f}  p99 {:>8.0f}  max {:>8.0f} us   n {}\n", name,
               percentile(values, 0.5), percentile(values, 0.9), percentile(values, 0.99),
               percentile(values, 1), values.size());
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
    for (auto& ends : read_bare(hose.urls(), l.streams, l.tokens(), begin_within))
        heard.push_back({.chunks = std::move(ends)});
    return heard;
}

int measure(const load& l) {
    token_hose hose(l.streams, l.tokens_per_second);
    const auto began = clock_type::now();
    const auto memory = resident_bytes();
    const double before = cpu_seconds_of_this_thread();
    const auto heard = l.pacing ? hear_all(hose, l) : read_all(hose, l);
    const double cpu = cpu_seconds_of_this_thread() - before;
    const double seconds = us(clock_type::now() - began) / 1e6;
    const auto grown = most_resident_bytes() - memory;
    hose.stop();

    lateness sum;
    int failed = 0;
    for (const auto& [number, sent] : hose.sent()) {
        const auto& h = heard[static_cast<std::size_t>(number)];
        failed += h.failed ? 1 : 0;
        add_hand_overs(h.chunks, sent, sum);
        add_cuts(h, sent, sum);
    }
    const auto tokens = static_cast<double>(hose.tokens());
    fmt::print("{} streams of {} tokens/s, {:.1f} s: {:.0f} tokens/s, {} failed\n", l.streams,
               l.tokens_per_second, seconds, tokens / seconds, failed);
    print_row("hand-over", sum.hand_over);
    print_row("cut to FIN", sum.cut);
    fmt::print(
        "  processor    {:.2f} us a token, {:.0f} % of a core; the servers {:.2f} us, {:.0f} %\n",
        cpu * 1e6 / tokens, 100 * cpu / seconds, hose.cpu_seconds() * 1e6 / tokens,
        100 * hose.cpu_seconds() / seconds);
    fmt::print("  memory       {:.0f} KiB a stream, of which {:.0f} are times of tokens\n",
               grown / l.streams / 1024,
               tokens * sizeof(clock_type::time_point) / l.streams / 1024);
    return failed == 0 ? 0 : 1;
}

constexpr std::array<std::pair<std::string_view, std::optional<tandem::pacing>>, 4> modes{{
    {"stream", tandem::pacing::stream},
    {"strict", tandem::pacing::strict},
    {"warm", tandem::pacing::warm},
    {"bare", std::nullopt},
}};

}  // namespace

int main(int argc, char** argv) {
    load l;
    const std::string_view name = argc > 4 ? argv[4] : "stream";
    const auto mode = std::ranges::find(modes, name, [](const auto& m) { return m.first; });
    if (argc > 3) l = {std::atoi(argv[1]), std::atof(argv[2]), std::atof(argv[3])};
    if (argc < 4 || mode == modes.end() || l.streams < 1 || l.tokens_per_second <= 0 ||
        l.seconds <= 0) {
        fmt::print(
            stderr,
            "usage: stream_load STREAMS TOKENS_PER_SECOND SECONDS [stream|strict|warm|bare]\n");
        return 2;
    }
    l.pacing = mode->second;
    return measure(l);
}
