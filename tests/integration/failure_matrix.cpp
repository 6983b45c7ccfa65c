#include "integration/failure_matrix.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace tandem::testing {
namespace {

using kind = mock::fault_kind;
using state = reply_state;

constexpr auto no_limit = 1h;
// --- the table

constexpr whole_reply whole{};
constexpr interrupted_reply interrupted{};
constexpr auto first_token = errc::first_token_timeout;
constexpr auto between_tokens = errc::between_tokens_timeout;
constexpr auto incomplete = errc::stream_incomplete;
constexpr auto bad = errc::bad_response;
constexpr auto failed = errc::server_error;
constexpr auto loading = errc::model_loading;
constexpr auto refused = errc::connect_failed;

constexpr cannot_be headers_first =
    "the server sends a stream's headers as soon as a slot begins: what breaks comes after them";
constexpr cannot_be headers_gone = "it comes in place of the headers, and they are there";
constexpr cannot_be not_arrived = "the server has not got the request that is cut";
constexpr cannot_be nothing_cut = "no request runs that could be cut";
constexpr cannot_be ends_itself = "this request ends by itself, and is not cut";

struct row {
    kind what;
    const char* name;
    std::array<outcome, reply_states> in_state;
};

// clang-format off
constexpr std::array<row, 12> table{{
    {kind::stall, "stall",
     {whole, first_token, headers_first, first_token, between_tokens, whole, whole, first_token,
      whole, between_tokens}},
    {kind::reset, "reset",
     {whole, incomplete, headers_first, incomplete, incomplete, whole, incomplete, incomplete,
      whole, incomplete}},
    {kind::close, "close",
     {whole, incomplete, headers_first, incomplete, incomplete, whole, incomplete, incomplete,
      whole, incomplete}},
    {kind::half_event, "half_event",
     {whole, incomplete, headers_first, incomplete, incomplete, whole, incomplete, incomplete,
      whole, incomplete}},
    {kind::garbage, "garbage",
     {whole, bad, headers_first, bad, bad, whole, bad, bad, whole, bad}},
    {kind::no_final, "no_final",
     {whole, incomplete, headers_first, incomplete, incomplete, whole, incomplete, incomplete,
      whole, incomplete}},
    {kind::stream_error, "stream_error",
     {whole, failed, headers_first, failed, failed, whole, failed, failed, whole, failed}},
    {kind::slow_headers, "slow_headers",
     {whole, first_token, first_token, headers_gone, headers_gone, headers_gone, headers_gone,
      first_token, whole, headers_gone}},
    {kind::unavailable, "unavailable",
     {whole, loading, loading, headers_gone, headers_gone, headers_gone, headers_gone, loading,
      whole, headers_gone}},
    {kind::http_error, "http_error",
     {whole, failed, failed, headers_gone, headers_gone, headers_gone, headers_gone, failed, whole,
      headers_gone}},
    {kind::crash, "crash",
     {refused, refused, refused, incomplete, incomplete, refused, incomplete, refused, refused,
      incomplete}},
    {kind::unnoticed_cut, "unnoticed_cut",
     {whole, nothing_cut, not_arrived, interrupted, interrupted, whole, whole, nothing_cut,
      ends_itself, ends_itself}},
}};
// clang-format on

// A new kind of fault causes a compiler warning here, as a reminder to add the kind to the table.
constexpr bool is_kind(kind k) {
    switch (k) {
        case kind::stall:
        case kind::reset:
        case kind::close:
        case kind::half_event:
        case kind::garbage:
        case kind::no_final:
        case kind::stream_error:
        case kind::slow_headers:
        case kind::unavailable:
        case kind::http_error:
        case kind::crash:
        case kind::unnoticed_cut:
            return true;
    }
    return false;
}

constexpr bool has_one_row_for_each_kind() {
    for (std::size_t i = 0; i < table.size(); ++i)
        if (table[i].what != static_cast<kind>(i) || !is_kind(table[i].what)) return false;
    return !is_kind(static_cast<kind>(table.size()));
}
static_assert(has_one_row_for_each_kind());

std::vector<combination> cells_of_table() {
    std::vector<combination> cells;
    for (const auto& r : table)
        for (std::size_t s = 0; s < reply_states; ++s)
            cells.push_back({r.what, static_cast<state>(s), r.in_state[s]});
    return cells;
}

// --- helpers

bool is_to_prefill(const mock::request_record& r) {
    return r.body.find("\"n_predict\":1,") != std::string::npos ||
           r.body.find("\"n_predict\":1}") != std::string::npos;
}

// Sends a request directly, without the client, to a server that may crash because of it.
void ask_for_health(std::uint16_t port) {
    using boost::asio::ip::tcp;
    boost::asio::io_context ioc;
    tcp::socket socket(ioc);
    socket.connect({boost::asio::ip::address_v4::loopback(), port});
    boost::system::error_code ignored;
    boost::asio::write(socket, boost::asio::buffer(std::string("GET /health HTTP/1.1\r\n\r\n")),
                       ignored);
    std::array<char, 1> answer{};
    boost::asio::read(socket, boost::asio::buffer(answer), ignored);
}

}  // namespace

std::string name_of(reply_state s) {
    constexpr std::array names{"while_queued",     "while_waiting_for_the_guard",
                               "while_connecting", "before_the_first_token",
                               "in_mid_sentence",  "at_the_peek",
                               "while_holding",    "while_waiting_for_continue",
                               "while_warming",    "while_finishing"};
    return names[static_cast<std::size_t>(s)];
}

std::string name_of(const combination& c) {
    const auto found = std::ranges::find(table, c.kind, &row::what);
    return std::string(found->name) + "_" + name_of(c.state);
}

const std::vector<combination>& all_combinations() {
    static const auto cells = cells_of_table();
    return cells;
}

std::vector<combination> possible_combinations(bool has_retries) {
    auto cells = all_combinations();
    std::erase_if(cells, [](const combination& c) { return !c.can_be(); });
    for (auto& c : cells) c.has_retries = has_retries;
    return cells;
}

// --- the reply

failing_reply::failing_reply() {
    server_options.replies = {{prompt, told}};
    server_options.poll_interval = 10ms;
    config.limits.connect_timeout = config.limits.first_token_timeout =
        config.limits.between_tokens_timeout = config.limits.continue_timeout =
            config.limits.request_timeout = config.limits.queue_timeout = no_limit;
    config.chunking.first_chunk_min_tokens = 0;
    config.chunking.peek_hold = 60s;
    own_log_ = instruments.log;
    instruments.log.write = [this](log_level level, std::string_view line) {
        if (!is_rehearsed_) return;
        own_log_.write(level, line);
        logged(level, line);
    };
}

void failing_reply::prepare(const combination& c) {
    what = c;
    config.failover.retries = c.has_retries ? 3 : 0;
    config.failover.resume_within = 60s;
    if (c.state == state::queued || c.state == state::waiting_for_the_guard ||
        c.kind == kind::unnoticed_cut)
        config.server.slots = 1;
    if (c.state == state::waiting_for_the_guard) config.server.reuse_guard = 100ms;
    if (c.state == state::warming) config.pacing.mode = pacing::warm;
    if (c.state == state::holding) config.chunking.boundary_rule = boundary_rule::classic;
    // The server is slow, so that the interrupt comes while a request is running.
    if (c.is_interrupted())
        (c.has_text() ? server_options.tokens_per_second
                      : server_options.prompt_tokens_per_second) = 50;
    limit_clocks();
    server.emplace(server_options);
    config.server.url = server->url();
    rehearse();
    connect();
}

// Shortens only the timeout that the fault must trigger. A busy machine then triggers no other
// timeout.
void failing_reply::limit_clocks() {
    const bool is_slow = what.kind == kind::stall || what.kind == kind::slow_headers;
    if (!is_slow) return;
    const bool is_at_boundary = what.state == state::at_the_peek || what.state == state::holding;
    const bool is_in_stream = what.state == state::queued || what.state == state::finishing ||
                              what.state == state::in_mid_sentence;
    if (is_at_boundary)
        config.chunking.peek_hold = limit;
    else if (what.kind == kind::stall && is_in_stream)
        config.limits.between_tokens_timeout = limit;
    else
        config.limits.first_token_timeout = limit;
}

/// Runs the same reply without a fault, with another client. Counts the tokens of the first
/// sentence and of the last request, and the descriptors that are open after the client has been
/// destroyed.
void failing_reply::rehearse() {
    connect();
    if (!what.is_interrupted()) {
        const auto c = say();
        ASSERT_EQ(c.text(), told);
        ASSERT_EQ(c.chunks().size(), told_sentences);
        first_sentence_ = c.chunks().front().tokens;
        const auto requests = server->observe().of_path("/completion");
        last_request_ = requests.back().generated - 1;
    }
    llm.reset();
    loop.ioc.poll();  // destroys the client
    ASSERT_TRUE(server_gets_idle());
    descriptors_ = open_descriptors();
    is_rehearsed_ = true;
}

int failing_reply::place() const {
    const bool needs_token =
        what.kind == kind::stall || what.kind == kind::stream_error || what.kind == kind::crash;
    switch (what.state) {
        case state::queued:
        case state::in_mid_sentence:
            return 5;
        case state::at_the_peek:
        case state::holding:
            return first_sentence_;
        case state::finishing:
            return needs_token ? last_request_ : -1;
        default:
            return 0;
    }
}

mock::fault failing_reply::the_fault() const {
    mock::fault f{.kind = what.kind, .at_token = place()};
    if (what.kind == kind::unnoticed_cut) f.duration = unnoticed_for;
    if (what.state == state::finishing) f.skip = static_cast<int>(told_sentences) - 1;
    if (what.state == state::warming) f.when = is_to_prefill;
    return f;
}

consumer failing_reply::meet_the_fault(bool revive) {
    const bool is_struck_later = what.state == state::waiting_for_the_guard ||
                                 what.state == state::waiting_for_continue ||
                                 what.is(kind::crash, state::connecting);
    if (!is_struck_later) server->inject(the_fault());
    if (what.is(kind::crash, state::connecting)) strike_at_ = ": request to slot ";
    std::optional<consumer> holder;
    if (what.state == state::queued) holder.emplace(llm->start(prompt));
    consumer c(llm->start(prompt),
               [this](consumer& self, const chunk& piece) { take(self, piece); });
    subject_ = fmt::format("reply {}: ", c.id());
    if (what.is_interrupted()) interrupt_when_it_runs(c);
    if (what.state == state::warming) go_on_while_it_warms(c);
    loop.run_until([&] {
        if (revive && is_lost_ && server->crashed()) revive_server();
        return c.ended() && (!holder || holder->ended());
    });
    return c;
}

void failing_reply::take(consumer& c, const chunk& piece) {
    const bool is_first = piece.id.seq == 0;
    // Even the first request may have to wait for the guard after the last request of the
    // rehearsal.
    if (what.state == state::waiting_for_the_guard && is_first)
        strike_at_ = "for the reuse guard of slot";
    if (what.state == state::waiting_for_continue && is_first) strike();
    if (what.state != state::warming || !is_first) c.go_on(piece);
}

/// Continues the first chunk only after the fault has hit the warming request.
void failing_reply::go_on_while_it_warms(consumer& c) {
    ASSERT_TRUE(server_sees([](const mock::observations& o) {
        return o.crashed || std::ranges::any_of(o.of_path("/completion"), is_to_prefill);
    }));
    ASSERT_TRUE(loop.run_until([&] { return !c.chunks().empty(); }));
    c.go_on(c.chunks().front());
}

void failing_reply::interrupt_when_it_runs(consumer& c) {
    server_sees([this](const mock::observations& o) {
        const auto asked = o.of_path("/completion");
        return !asked.empty() && asked.back().started &&
               (!what.has_text() || asked.back().generated > 2);
    });
    c.interrupt();
}

void failing_reply::logged(log_level level, std::string_view line) {
    is_lost_ = is_lost_ || (level == log_level::warning && line.starts_with(subject_));
    if (strike_at_.empty() || line.find(strike_at_) == line.npos) return;
    strike_at_.clear();
    strike();
}

void failing_reply::strike() {
    if (what.kind == kind::crash) return kill_server();
    server->inject(the_fault());
}

void failing_reply::kill_server() {
    server->inject({.kind = kind::crash, .path = "/health"});
    ask_for_health(server->port());
    EXPECT_TRUE(server->wait_until([](const mock::observations& o) { return o.crashed; }));
}

void failing_reply::revive_server() {
    is_revived_ = true;
    server_options.port = server->port();
    server.reset();
    server.emplace(server_options);
}

// --- expectations

void failing_reply::expect_one_end(const consumer& c) {
    const auto& r = c.result();
    const auto ends =
        std::ranges::count(r.timeline, timeline_event::kind::end, &timeline_event::what);
    EXPECT_EQ(ends, 1);
    EXPECT_EQ(r.timeline.back().what, timeline_event::kind::end);
    const auto id = c.id();
    const auto end_line =
        fmt::format("reply {}: {}: LLMSlotMetrics", id, to_string(r.finish_reason));
    EXPECT_EQ(log.count(log_level::info, end_line), 1u);
    EXPECT_EQ(r.text, c.text());
    EXPECT_EQ(std::string(told).rfind(r.text + r.unspoken_text, 0), 0u)
        << "not how the text begins";
}

// A handle keeps parts of the client alive, so the handle is destroyed first.
void failing_reply::expect_nothing_left(std::optional<consumer> gone) {
    gone.reset();
    // A crashing server breaks its connections a moment before it is dead.
    if (what.kind == kind::crash && !is_revived_) {
        EXPECT_TRUE(server->wait_until([](const mock::observations& o) { return o.crashed; }));
        revive_server();
    }
    server->clear_faults();
    EXPECT_TRUE(server_gets_idle());
    if (config.server.reuse_guard == 0s) expect_all_slots_at_once();
    EXPECT_EQ(say().text(), told);
    llm.reset();
    EXPECT_TRUE(server_gets_idle());
    EXPECT_TRUE(loop.runs_out_of_work()) << "the loop has work left";
    EXPECT_EQ(open_descriptors(), descriptors_);
}

/// Starts one reply per slot. Each reply has its own slot and does not wait.
void failing_reply::expect_all_slots_at_once() {
    const auto waits = log.count(log_level::info, ": waits for ");
    const int slot_count = config.server.slots.value_or(2);
    std::vector<consumer> all;
    for (int i = 0; i < slot_count; ++i)
        all.emplace_back(llm->start(prompt), consumer::do_not_continue);
    std::set<int> slots;
    loop.run_until([&] {
        return std::ranges::all_of(all,
                                   [](const auto& c) { return c.ended() || !c.chunks().empty(); });
    });
    EXPECT_EQ(log.count(log_level::info, ": waits for "), waits);
    for (auto& c : all) {
        if (!c.chunks().empty()) slots.insert(c.chunks()[0].metrics.slot);
        c.interrupt();
        loop.run_to_end(c);
        EXPECT_EQ(c.result().finish_reason, finish_reason::interrupted)
            << c.result().diagnostics.to_string();
    }
    EXPECT_EQ(slots.size(), static_cast<std::size_t>(slot_count));
}

}  // namespace tandem::testing
