// Compares requests through the gateway with direct requests to the server in the same run, and
// measures many WebSockets at once. docs/gateway-operation.md contains the results. COUNT is the
// number of pairs, sockets or clients that disconnect. With --url, plain, first and stream use a
// real llama-server instead of a mock server.
//   gateway_load plain 500 | first 300 | stream 20 | sockets 500 | cuts 100 | leave 200 [--url URL]
// `sockets` sends one request per reply; `cuts` sends one request per chunk, and each request waits
// for the server's next step. In both modes, the gateway runs alone on the last core.

#include "cpu_seconds.hpp"
#include "gateway/http_client.hpp"
#include "gateway/server/gateway_server.hpp"
#include "percentile.hpp"
#include "tandem_mock/server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using nlohmann::json;
using tandem::testing::cpu_seconds_of_this_thread;
using tandem::testing::http_client;
using tandem::testing::percentile;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
using error_code = boost::system::error_code;

constexpr int max_slots = 64;

double ms_since(clock_type::time_point from) {
    return std::chrono::duration<double, std::milli>(clock_type::now() - from).count();
}

int cores() {
    return static_cast<int>(std::thread::hardware_concurrency());
}

/// Restricts this thread, and the threads that it starts, to the cores from `first` to `end` - 1.
void run_this_thread_on(int first, int end) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int core = first; core < end; ++core) CPU_SET(core, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

void leave_the_last_core() {
    if (cores() > 1) run_this_thread_on(0, cores() - 1);
}

std::string sentences(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "All is quite well in the old town here. ";
    return text;
}

// --- servers and gateway

using mocks = std::vector<std::unique_ptr<tandem::mock::server>>;

mocks start_mocks(int slots, double tokens_per_second, const std::string& text) {
    mocks list;
    for (; slots > 0; slots -= max_slots) {
        tandem::mock::options o;
        o.parallel = std::min(slots, max_slots);
        o.ctx_size = o.parallel * 4096;
        o.tokens_per_second = tokens_per_second;
        o.replies = {{"", text}};
        list.push_back(std::make_unique<tandem::mock::server>(std::move(o)));
    }
    return list;
}

/// An event loop on its own thread.
class loop_thread {
 public:
    ~loop_thread() {
        work_.reset();
        if (thread_.joinable()) thread_.join();
    }
    void run() {
        thread_ = std::thread([this] { loop.run(); });
    }
    template <class Function>
    void call(Function f) {
        std::promise<void> done;
        asio::post(loop, [&] {
            f();
            done.set_value();
        });
        done.get_future().wait();
    }

    asio::io_context loop{1};

 private:
    asio::executor_work_guard<asio::io_context::executor_type> work_{loop.get_executor()};
    std::thread thread_;
};

/// A gateway on its own thread.
class running_gateway {
 public:
    explicit running_gateway(const std::vector<std::string>& servers,
                             tandem::pacing pacing = tandem::pacing::warm) {
        tandem::gateway::gateway_options o;
        o.port = 0;
        o.service.servers = servers;
        o.answer_cache.entries = 0;  // so that each request reaches the server
        auto& s = o.service.client;
        s.server.proxy = "none";
        s.server.reuse_guard = 0s;
        s.pacing.mode = pacing;
        s.chunking.first_chunk_min_tokens = 0;
        s.generation.temperature = 0;
        gate_.emplace(loop_.loop, std::move(o));
        port_ = gate_->port();
        loop_.run();
    }
    ~running_gateway() {
        loop_.call([this] { gate_.reset(); });
    }
    running_gateway(const running_gateway&) = delete;
    running_gateway& operator=(const running_gateway&) = delete;

    std::uint16_t port() const { return port_; }
    double cpu_seconds() {
        double seconds = 0;
        loop_.call([&] { seconds = cpu_seconds_of_this_thread(); });
        return seconds;
    }
    /// Moves the gateway's thread to the last core.
    void settle() {
        loop_.call([] { run_this_thread_on(cores() - 1, cores()); });
    }

 private:
    loop_thread loop_;
    std::optional<tandem::gateway::gateway_server> gate_;
    std::uint16_t port_ = 0;
};

/// A llama-server, mock or real, and a gateway in front of it.
struct pair_of_ways {
    pair_of_ways(const std::string& url, int slots, double tokens_per_second,
                 const std::string& text)
        : servers(url.empty() ? start_mocks(slots, tokens_per_second, text) : mocks()),
          server(url.empty() ? servers[0]->url() : url),
          gateway({server}) {}

    std::uint16_t server_port() const {
        return static_cast<std::uint16_t>(std::atoi(server.c_str() + server.rfind(':') + 1));
    }

    mocks servers;
    std::string server;
    running_gateway gateway;
};

// Both requests cause the same work for the server: it evaluates one prompt token and generates
// `tokens` tokens.
json direct_request(int tokens, bool is_stream) {
    return {{"prompt", "Once upon a time"},
            {"n_predict", tokens},
            {"temperature", 0},
            {"cache_prompt", true},
            {"stream", is_stream}};
}

json gateway_request(int tokens, bool is_stream) {
    return {{"model", "default"},
            {"prompt", "Once upon a time"},
            {"max_tokens", tokens},
            {"temperature", 0},
            {"stream", is_stream}};
}

/// Sends the request on a new connection, and waits until `until` arrives. If `until` is empty,
/// waits for the whole answer.
double ms_of(std::uint16_t port, const char* path, const json& request, const std::string& until) {
    http_client client(port);
    const auto began = clock_type::now();
    client.send_request("POST", path, request.dump());
    const bool has_come =
        until.empty() ? client.read_answer().status == 200 : client.read_until(until);
    if (!has_come) {
        std::cerr << path << " failed\n";
        std::exit(1);
    }
    return ms_since(began);
}

struct two_ways {
    std::vector<double> direct, through;
};

template <class Direct, class Through>
two_ways in_turn(int count, Direct direct, Through through) {
    two_ways times;
    for (int i = -count / 10 - 1; i < count; ++i) {  // the first pairs warm up
        const double one = direct();
        const double other = through();
        if (i < 0) continue;
        times.direct.push_back(one);
        times.through.push_back(other);
    }
    return times;
}

void print(const char* what, two_ways& t) {
    std::cout << t.direct.size() << " pairs, " << what;
    for (const double share : {0.5, 0.9, 0.99}) {
        const double direct = percentile(t.direct, share);
        const double through = percentile(t.through, share);
        std::cout << "; p" << static_cast<int>(share * 100 + 0.5) << " " << direct << " direct, "
                  << through << " by the gateway (+" << through - direct << ")";
    }
    std::cout << " ms\n";
}

int measure_plain(int count, const std::string& url) {
    pair_of_ways ways(url, 1, 0, sentences(1));
    auto times = in_turn(
        count,
        [&] { return ms_of(ways.server_port(), "/completion", direct_request(8, false), {}); },
        [&] {
            return ms_of(ways.gateway.port(), "/v1/completions", gateway_request(8, false), {});
        });
    print("plain requests of 8 tokens", times);
    return 0;
}

int measure_first(int count, const std::string& url) {
    pair_of_ways ways(url, 1, 0, sentences(1));
    auto times = in_turn(
        count,
        [&] { return ms_of(ways.server_port(), "/completion", direct_request(8, true), "data: "); },
        [&] {
            return ms_of(ways.gateway.port(), "/v1/completions", gateway_request(8, true),
                         "data: ");
        });
    print("to the first token", times);
    return 0;
}

// Most models for voice bots generate no faster than the mock server does here.
int measure_stream(int count, const std::string& url) {
    constexpr int tokens = 400;
    pair_of_ways ways(url, 1, 500, sentences(60));
    auto times = in_turn(
        count,
        [&] {
            return ms_of(ways.server_port(), "/completion", direct_request(tokens, true),
                         "\"stop\":true");
        },
        [&] {
            return ms_of(ways.gateway.port(), "/v1/completions", gateway_request(tokens, true),
                         "[DONE]");
        });
    print("streams of up to 400 tokens", times);
    std::cout << "tokens per second by the gateway: "
              << 100 * percentile(times.direct, 0.5) / percentile(times.through, 0.5)
              << " % of those directly\n";
    return 0;
}

// --- sockets

/// A session that immediately continues each chunk. The delay of a chunk is the time from the
/// previous continue to the chunk's arrival, minus the time in which the server generates its
/// tokens. The gateway, the mock server and this program cause this delay. After the tokens of the
/// last chunk, the server generates one more token, which ends the reply.
class listener {
 public:
    listener(asio::io_context& loop, std::uint16_t port, double token_ms, int& running)
        : stream_(loop), token_ms_(token_ms), running_(running) {
        stream_.next_layer().connect({asio::ip::address_v4::loopback(), port});
        stream_.next_layer().set_option(tcp::no_delay(true));
        stream_.handshake("gateway", "/v1/voice");
    }

    void start() {
        ++running_;
        write({{"type", "start"}, {"text", "Tell me."}, {"options", {{"temperature", 0}}}});
        read();
    }
    bool has_ended() const { return has_ended_; }
    /// The delays in ms of all chunks except the first.
    const std::vector<double>& delays() const { return delays_; }

 private:
    void write(const json& message) {
        // The message is short, so the write does not block.
        const auto text = message.dump();
        stream_.write(asio::buffer(text));
    }
    void read() {
        stream_.async_read(bytes_, [this](error_code ec, std::size_t) {
            if (ec) return end();
            const auto* const text = static_cast<const char*>(bytes_.data().data());
            const auto message = json::parse(text, text + bytes_.size());
            bytes_.clear();
            take(message);
        });
    }
    void take(const json& m) {
        if (m["type"] == "error") std::cerr << m.dump() << '\n';
        if (m["type"] == "end" || m["type"] == "error") {
            has_ended_ = m["type"] == "end";
            return end();
        }
        if (m["type"] == "chunk") {
            const int tokens = m["tokens"].get<int>() + (m["boundary"] == "end" ? 1 : 0);
            if (m["seq"] > 0) delays_.push_back(ms_since(continued_) - tokens * token_ms_);
            continued_ = clock_type::now();
            write({{"type", "continue"}, {"chunk", m["id"]}});
        }
        read();
    }
    void end() { --running_; }

    websocket::stream<tcp::socket> stream_;
    boost::beast::flat_buffer bytes_;
    double token_ms_;
    int& running_;
    bool has_ended_ = false;
    clock_type::time_point continued_{};
    std::vector<double> delays_;
};

/// Starts the callers one after the other, within a second.
void start_all(asio::io_context& loop, std::vector<std::unique_ptr<listener>>& all) {
    const auto work = asio::make_work_guard(loop);
    const auto pause = clock_type::duration(1s) / all.size();
    const auto began = clock_type::now();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto due = began + i * pause;
        while (clock_type::now() < due) loop.run_one_until(due);
        all[i]->start();
    }
}

// The gateway runs on the last core, and everything else on the other cores.
int measure_sockets(int count, tandem::pacing pacing) {
    constexpr double tokens_per_second = 50;
    leave_the_last_core();
    const auto servers = start_mocks(count, tokens_per_second, sentences(40));
    std::vector<std::string> urls;
    for (const auto& s : servers) urls.push_back(s->url());
    running_gateway gateway(urls, pacing);
    gateway.settle();
    asio::io_context loop(1);
    int running = 0;
    std::vector<std::unique_ptr<listener>> all;
    for (int i = 0; i < count; ++i)
        all.push_back(
            std::make_unique<listener>(loop, gateway.port(), 1000 / tokens_per_second, running));
    const double cpu = gateway.cpu_seconds();
    const auto began = clock_type::now();
    start_all(loop, all);
    while (running > 0) loop.run_one();
    const double seconds = ms_since(began) / 1000;
    std::vector<double> delays;
    int failed = 0;
    for (const auto& one : all) {
        if (!one->has_ended()) ++failed;
        for (const double d : one->delays()) delays.push_back(d);
    }
    std::cout << count << " WebSockets at 50 tokens/s: " << failed << " failed; " << delays.size()
              << " chunks, late by p50 " << percentile(delays, 0.5) << ", p99 "
              << percentile(delays, 0.99) << ", max " << percentile(delays, 1)
              << " ms; the gateway's loop busy " << 100 * (gateway.cpu_seconds() - cpu) / seconds
              << " % of " << seconds << " s\n";
    return failed == 0 ? 0 : 1;
}

// --- clients that disconnect

int measure_leave(int count) {
    constexpr double tokens_per_second = 50;
    pair_of_ways ways({}, 1, tokens_per_second, sentences(100));
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        http_client client(ways.gateway.port());
        client.send_request("POST", "/v1/completions", gateway_request(4000, true).dump());
        if (!client.read_until("data: ")) return 1;
        const auto left = clock_type::now();
        client.close();
        const bool is_idle = ways.servers[0]->wait_until([](const auto& o) {
            return std::ranges::none_of(o.slots, [](const auto& s) { return s.is_processing; });
        });
        if (!is_idle) return 1;
        times.push_back(ms_since(left));
    }
    std::cout << count << " clients left in mid-stream: the slot was idle after p50 "
              << percentile(times, 0.5) << ", p99 " << percentile(times, 0.99) << ", max "
              << percentile(times, 1) << " ms; a token takes " << 1000 / tokens_per_second
              << " ms\n";
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const int count = argc > 2 ? std::atoi(argv[2]) : 0;
    std::string url;
    bool is_understood = true;
    for (int i = 3; i < argc; i += 2) {
        const std::string flag = argv[i];
        if (i + 1 < argc && flag == "--url")
            url = argv[i + 1];
        else
            is_understood = false;
    }
    if (count > 0 && is_understood) {
        if (what == "plain") return measure_plain(count, url);
        if (what == "first") return measure_first(count, url);
        if (what == "stream") return measure_stream(count, url);
        if (what == "sockets") return measure_sockets(count, tandem::pacing::stream);
        if (what == "cuts") return measure_sockets(count, tandem::pacing::warm);
        if (what == "leave") return measure_leave(count);
    }
    std::cerr << "usage: gateway_load plain|first|stream|sockets|cuts|leave COUNT [--url URL]\n";
    return 2;
}
