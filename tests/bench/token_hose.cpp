#include "token_hose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <queue>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tandem::testing {
namespace {

using clock_type = std::chrono::steady_clock;
using namespace std::string_view_literals;

constexpr std::array words = {" The", " boats", " come", " home",  " to",      " the",
                              " old", " town",  " in",   " early", " evening", "."};
static_assert(words.size() == token_hose::tokens_of_a_sentence);

constexpr int first_word = 100;  // the id of the first word
constexpr int max_token_count = 1 << 16;
constexpr int max_later_tokens = 1024;

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::system_category(), what);
}

std::string in_chunk(const std::string& event) {
    return fmt::format("{:x}\r\n{}\r\n", event.size(), event);
}

// The number after `mark`; `otherwise` if there is none.
int number_behind(std::string_view text, std::string_view mark, int otherwise) {
    const auto at = text.find(mark);
    if (at == text.npos) return otherwise;
    int value = otherwise;
    std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), value);
    return value;
}

int stream_of(std::string_view body) {
    return number_behind(body, "Stream number ", 0);
}

// The word that follows the last word of the prompt. The prompt must be text.
std::size_t next_word(std::string_view body) {
    const auto prompt = body.substr(0, body.find("\",\"id_slot\""));
    for (std::size_t i = 0; i < words.size(); ++i)
        if (prompt.ends_with(words.at(i))) return (i + 1) % words.size();
    return 0;
}

// The events of a reply that begins with this word.
std::vector<std::string> events_from(std::size_t word, int count) {
    std::vector<std::string> events;
    for (int i = 0; i < count; ++i, word = (word + 1) % words.size())
        events.push_back(in_chunk(fmt::format(
            R"(data: {{"index":0,"content":"{}","tokens":[{}],"stop":false,"id_slot":-1,)"
            R"("tokens_predicted":{},"tokens_evaluated":8}}{})",
            words.at(word), first_word + static_cast<int>(word), i + 1, "\n\n")));
    return events;
}

std::string json_answer(const std::string& body) {
    return fmt::format(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
        "Connection: close\r\n\r\n{}",
        body.size(), body);
}

std::string props() {
    return fmt::format(R"({{"total_slots":{},"default_generation_settings":{{"n_ctx":65536}},)"
                       R"("model_alias":"hose","build_info":"b11669-hose"}})",
                       token_hose::slots_of_a_server);
}

constexpr auto head_of_stream =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
    "Connection: close\r\n\r\n"sv;

std::string final_event(int tokens) {
    return in_chunk(
               fmt::format(R"(data: {{"index":0,"content":"","tokens":[],"stop":true,"id_slot":-1,)"
                           R"("tokens_predicted":{},"tokens_evaluated":8,"stop_type":"limit",)"
                           R"("timings":{{"cache_n":0,"prompt_n":8}}}}{})",
                           tokens, "\n\n")) +
           "0\r\n\r\n";
}

struct connection {
    int fd = -1;
    std::uint64_t number = 0;
    std::string input{};
    token_hose::sent_request* log = nullptr;  // the record of a completion
    int wanted = 0;                           // the number of tokens
    const std::vector<std::string>* events = nullptr;
};

}  // namespace

class token_hose::thread_of_servers {
 public:
    thread_of_servers(int ports, double tokens_per_second);
    ~thread_of_servers();

    void run(const std::atomic<bool>& stopping);
    const std::vector<int>& ports() const { return ports_; }

    std::map<int, std::deque<sent_request>> sent{};

 private:
    struct due_token {
        time_point at;
        int fd;
        std::uint64_t number;
        bool operator>(const due_token& o) const { return at > o.at; }
    };

    void listen();
    void look(int fd);
    void accept(int listener);
    void read(connection& c);
    void answer(connection& c, std::string_view path, std::string_view body);
    void begin(connection& c, std::string_view body);
    void send_due(time_point now);
    void send_tokens(connection& c, time_point due, time_point now);
    void close(connection& c);
    static void put(const connection& c, std::string_view bytes);
    int milliseconds_to_next() const;

    clock_type::duration period_;
    int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    std::vector<int> listeners_, ports_;
    std::vector<connection> connections_;  // indexed by descriptor
    std::uint64_t last_number_ = 0;
    std::array<std::vector<std::string>, words.size()> events_;  // indexed by the first word
    std::string bytes_;                                          // the bytes of one write
    std::priority_queue<due_token, std::vector<due_token>, std::greater<>> due_;
};

token_hose::thread_of_servers::thread_of_servers(int ports, double tokens_per_second)
    : period_(std::chrono::duration_cast<clock_type::duration>(
          std::chrono::duration<double>(1 / tokens_per_second))) {
    for (int i = 0; i < ports; ++i) listen();
    for (std::size_t word = 0; word < words.size(); ++word)
        events_.at(word) = events_from(word, word == 0 ? max_token_count : max_later_tokens);
}

token_hose::thread_of_servers::~thread_of_servers() {
    for (auto& c : connections_)
        if (c.fd >= 0) ::close(c.fd);
    for (const int fd : listeners_) ::close(fd);
    ::close(epoll_);
}

void token_hose::thread_of_servers::listen() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) fail("socket");
    listeners_.push_back(fd);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd, generic, size) != 0 || ::listen(fd, 1024) != 0) fail("listen");
    ::getsockname(fd, generic, &size);
    ports_.push_back(ntohs(address.sin_port));
    epoll_event e{.events = EPOLLIN, .data = {.fd = fd}};
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &e);
}

void token_hose::thread_of_servers::run(const std::atomic<bool>& stopping) {
    std::array<epoll_event, 256> ready{};
    while (!stopping) {
        const int count = ::epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()),
                                       milliseconds_to_next());
        for (int i = 0; i < count; ++i) look(ready.at(static_cast<std::size_t>(i)).data.fd);
        send_due(clock_type::now());
    }
}

// epoll waits for whole milliseconds, so a token may be a millisecond late. Its recorded time is
// the time of sending.
int token_hose::thread_of_servers::milliseconds_to_next() const {
    if (due_.empty()) return 50;
    const auto left = due_.top().at - clock_type::now();
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    return static_cast<int>(std::clamp<decltype(ms)>(ms, 0, 50));
}

void token_hose::thread_of_servers::look(int fd) {
    if (std::find(listeners_.begin(), listeners_.end(), fd) != listeners_.end()) return accept(fd);
    read(connections_[static_cast<std::size_t>(fd)]);
}

void token_hose::thread_of_servers::accept(int listener) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connections_.size() <= static_cast<std::size_t>(fd))
        connections_.resize(static_cast<std::size_t>(fd) + 1);
    connections_[static_cast<std::size_t>(fd)] = {.fd = fd, .number = ++last_number_};
    epoll_event e{.events = EPOLLIN, .data = {.fd = fd}};
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &e);
}

void token_hose::thread_of_servers::read(connection& c) {
    std::array<char, 8192> buffer{};
    const auto count = ::recv(c.fd, buffer.data(), buffer.size(), 0);
    if (count <= 0) return close(c);
    c.input.append(buffer.data(), static_cast<std::size_t>(count));
    const auto head = c.input.find("\r\n\r\n");
    if (head == c.input.npos) return;
    const auto length = number_behind(c.input, "Content-Length: ", 0);
    const auto body = std::string_view(c.input).substr(head + 4);
    if (body.size() < static_cast<std::size_t>(length)) return;
    const auto path = std::string_view(c.input).substr(c.input.find(' ') + 1);
    answer(c, path.substr(0, path.find(' ')), body);
    c.input.clear();
}

void token_hose::thread_of_servers::answer(connection& c, std::string_view path,
                                           std::string_view body) {
    if (path == "/completion") return begin(c, body);
    if (path == "/props")
        put(c, json_answer(props()));
    else
        put(c, json_answer(R"({"status":"ok"})"));
    close(c);
}

void token_hose::thread_of_servers::begin(connection& c, std::string_view body) {
    c.log = &sent[stream_of(body)].emplace_back();
    c.events = &events_.at(next_word(body));
    const auto most = static_cast<int>(c.events->size());
    c.wanted = std::min(number_behind(body, "\"n_predict\":", most), most);
    c.log->tokens.reserve(static_cast<std::size_t>(c.wanted));
    put(c, head_of_stream);
    // Distributes the streams over the period, as with independent servers.
    const auto shift = period_ * (c.number * 7919 % 1000) / 1000;
    due_.push({clock_type::now() + shift, c.fd, c.number});
}

void token_hose::thread_of_servers::send_due(time_point now) {
    while (!due_.empty() && due_.top().at <= now) {
        const auto next = due_.top();
        due_.pop();
        auto& c = connections_[static_cast<std::size_t>(next.fd)];
        if (c.fd >= 0 && c.number == next.number) send_tokens(c, next.at, now);
    }
}

// Sends all due tokens together, as a late server would.
void token_hose::thread_of_servers::send_tokens(connection& c, time_point due, time_point now) {
    auto& times = c.log->tokens;
    const auto all = static_cast<std::size_t>(c.wanted);
    const auto before = times.size();
    bytes_.clear();
    auto until = before;
    for (; until < all && due <= now; due += period_) bytes_ += (*c.events)[until++];
    if (before == all) bytes_ = final_event(c.wanted);
    const auto from = clock_type::now();
    put(c, bytes_);
    times.resize(until, {from, clock_type::now()});
    if (before == all) return close(c);
    due_.push({due, c.fd, c.number});
}

void token_hose::thread_of_servers::close(connection& c) {
    if (c.log) c.log->closed = clock_type::now();
    ::close(std::exchange(c.fd, -1));
}

// Ends the stream of a client that reads too slowly, so that the client reports a failure.
void token_hose::thread_of_servers::put(const connection& c, std::string_view bytes) {
    const auto written = ::send(c.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written != static_cast<ssize_t>(bytes.size())) ::shutdown(c.fd, SHUT_RDWR);
}

token_hose::token_hose(int streams, double tokens_per_second)
    : servers_(std::make_unique<thread_of_servers>(
          (streams + slots_of_a_server - 1) / slots_of_a_server, tokens_per_second)),
      thread_([this] { servers_->run(stopping_); }) {}

token_hose::~token_hose() {
    stop();
}

std::vector<std::string> token_hose::urls() const {
    std::vector<std::string> list;
    for (const int port : servers_->ports())
        list.push_back(fmt::format("http://127.0.0.1:{}", port));
    return list;
}

std::string token_hose::prompt_of(int stream) {
    return fmt::format("Stream number {} tells:", stream);
}

void token_hose::stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
}

const std::map<int, std::deque<token_hose::sent_request>>& token_hose::sent() const {
    return servers_->sent;
}

}  // namespace tandem::testing
