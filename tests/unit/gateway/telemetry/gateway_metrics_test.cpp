#include "gateway/telemetry/gateway_metrics.hpp"

#include "tandem/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainerEq;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string near_url = "http://127.0.0.1:8081";
const std::string far_url = "http://user:secret@10.0.0.7:8081";

struct counting : ::testing::Test {
    counting() { metrics.add_servers("talk", {near_url, far_url}); }

    gateway_metrics metrics{1'700'000'000};

    /// The value on the line of this series, or nothing if there is no such line.
    std::optional<double> value(const std::string& series) const {
        std::istringstream in(metrics.to_prometheus_text());
        for (std::string line; std::getline(in, line);)
            if (line.starts_with(series + " ")) return std::stod(line.substr(series.size()));
        return std::nullopt;
    }
    std::size_t series() const {
        const auto text = metrics.to_prometheus_text();
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }
};

reply_result a_reply() {
    reply_result r{.finish_reason = finish_reason::eos, .servers = {far_url, near_url}};
    r.usage = {.prompt = 100,
               .cached = 75,
               .evaluated = 25,
               .warmed = 5,
               .generated = 20,
               .drafted = 6,
               .draft_wasted = 3,
               .prefilled = 12,
               .handed_over = 18,
               .heard = 16,
               .wasted = 2};
    r.metrics.requests = 3;
    r.metrics.cuts = 2;
    r.metrics.verified_cuts = 1;
    r.metrics.cancel_to_idle_ms = 40;
    r.metrics.guard_waits = 1;
    r.metrics.guard_wait_ms = 1500;
    r.metrics.first_chunk_ms = 450;
    r.metrics.retries = 2;
    r.metrics.went_on = 1;
    r.metrics.total_ms = 4000;
    r.timeline = {{.what = timeline_event::kind::first_token, .at_ns = 180'000'000}};
    return r;
}

const std::string of_near = R"({model="talk",server="http://127.0.0.1:8081"})";
std::string of_near_and(const std::string& label) {
    return "{" + label + "," + of_near.substr(1);
}

TEST_F(counting, begins_with_nothing_of_each_server) {
    EXPECT_EQ(value("tandem_start_time_seconds"), 1.7e9);
    EXPECT_EQ(value("tandem_cuts_total" + of_near), 0);
    EXPECT_EQ(value("tandem_reply_first_token_seconds_count" + of_near), 0);
}

TEST_F(counting, gives_a_reply_to_the_server_that_it_was_at_last) {
    metrics.record_reply("talk", a_reply(), true);
    EXPECT_EQ(value("tandem_replies_total" + of_near_and(R"(finish_reason="eos")")), 1);
    EXPECT_EQ(value("tandem_server_requests_total" + of_near), 3);
    EXPECT_EQ(value("tandem_cuts_total" + of_near), 2);
    EXPECT_EQ(value("tandem_resumptions_total" + of_near), 1);
    EXPECT_EQ(value("tandem_guard_waits_total" + of_near), 1);
    EXPECT_EQ(value(R"(tandem_cuts_total{model="talk",server="http://10.0.0.7:8081"})"), 0);
}

TEST_F(counting, tells_tokens_by_kind) {
    metrics.record_reply("talk", a_reply(), true);
    metrics.record_reply("talk", a_reply(), true);
    const auto tokens = [&](const std::string& kind) {
        return value("tandem_tokens_total" + of_near_and("kind=\"" + kind + "\""));
    };
    EXPECT_EQ(tokens("prompt_evaluated"), 50);
    EXPECT_EQ(tokens("prompt_cached"), 150);
    EXPECT_EQ(tokens("prompt_warmed"), 10);
    EXPECT_EQ(tokens("prompt_prefilled"), 24);
    EXPECT_EQ(tokens("generated"), 40);
    EXPECT_EQ(tokens("draft_wasted"), 6);
    EXPECT_EQ(value("tandem_tokens_drafted_total" + of_near), 12);
    EXPECT_EQ(value("tandem_tokens_heard_total" + of_near), 32);
    EXPECT_EQ(value("tandem_tokens_wasted_total" + of_near), 4);
    EXPECT_EQ(value("tandem_reply_cache_ratio_sum" + of_near), 1.5);
}

TEST_F(counting, tells_times_in_seconds) {
    metrics.record_reply("talk", a_reply(), true);
    EXPECT_EQ(value("tandem_reply_first_token_seconds_sum" + of_near), 0.18);
    EXPECT_EQ(value("tandem_reply_first_chunk_seconds_sum" + of_near), 0.45);
    EXPECT_EQ(value("tandem_reply_guard_wait_seconds_sum" + of_near), 1.5);
    EXPECT_EQ(value("tandem_cancel_to_idle_seconds_sum" + of_near), 0.04);
    EXPECT_EQ(value("tandem_reply_duration_seconds_sum" + of_near), 4);
}

TEST_F(counting, takes_the_first_token_of_a_draft_for_that_of_the_reply) {
    auto r = a_reply();
    r.timeline = {{.what = timeline_event::kind::chunk, .at_ns = 2'000'000},
                  {.what = timeline_event::kind::first_token, .at_ns = 3'000'000'000}};
    metrics.record_reply("talk", r, true);
    EXPECT_EQ(value("tandem_reply_first_token_seconds_sum" + of_near), 0.002);
    r.usage.drafted = 0;
    metrics.record_reply("talk", r, true);
    EXPECT_EQ(value("tandem_reply_first_token_seconds_sum" + of_near), 3.002);
}

TEST_F(counting, reports_a_first_chunk_only_if_the_reader_gets_chunks) {
    metrics.record_reply("talk", a_reply(), false);
    EXPECT_EQ(value("tandem_reply_first_chunk_seconds_count" + of_near), 0);
    EXPECT_EQ(value("tandem_reply_first_token_seconds_count" + of_near), 1);
}

TEST_F(counting, tells_gaps_from_the_second_chunk_on) {
    metrics.record_chunk("talk", {.id = {1, 0}, .metrics = {.server = near_url}});
    EXPECT_EQ(value("tandem_chunk_gap_seconds_count" + of_near), 0);
    metrics.record_chunk("talk", {.id = {1, 1}, .metrics = {.server = near_url, .gap_ms = 250}});
    EXPECT_EQ(value("tandem_chunk_gap_seconds_count" + of_near), 1);
    EXPECT_EQ(value("tandem_chunk_gap_seconds_sum" + of_near), 0.25);
}

TEST_F(counting, reports_why_replies_failed) {
    metrics.record_reply("talk", {.error = errc::queue_full}, true);
    EXPECT_EQ(value(R"(tandem_reply_errors_total{code="queue_full",model="talk",server="none"})"),
              1);
    metrics.record_reply(
        "talk", {.error = boost::system::error_code(5, boost::system::system_category())}, true);
    EXPECT_EQ(value(R"(tandem_reply_errors_total{code="other",model="talk",server="none"})"), 1);
}

TEST_F(counting, tells_requests_by_route_and_status) {
    metrics.record_request("/v1/models/{+id}", 404, 20ms);
    metrics.record_request("", 404, 1ms);
    metrics.record_request("/v1/chat/completions", 0, 5s);
    EXPECT_EQ(value(R"(tandem_http_requests_total{route="/v1/models/{+id}",status="404"})"), 1);
    EXPECT_EQ(value(R"(tandem_http_requests_total{route="other",status="404"})"), 1);
    EXPECT_EQ(value(R"(tandem_http_requests_total{route="/v1/chat/completions",status="none"})"),
              1);
    EXPECT_EQ(value(R"(tandem_http_request_duration_seconds_sum{route="/v1/chat/completions"})"),
              5);
}

TEST_F(counting, takes_no_websocket_for_a_request_that_took_long) {
    metrics.record_request("/v1/voice", 101, 1h);
    EXPECT_EQ(value(R"(tandem_http_requests_total{route="/v1/voice",status="101"})"), 1);
    EXPECT_EQ(value(R"(tandem_http_request_duration_seconds_count{route="/v1/voice"})"),
              std::nullopt);
}

TEST_F(counting, reports_the_silence_and_its_parts) {
    metrics.record_voice_latency(
        "talk", 300ms, voice_timing{.detector = 500ms, .slot_wait = 100ms, .first_chunk = 150ms});
    metrics.record_voice_latency("talk", 100ms, std::nullopt);
    EXPECT_EQ(value(R"(tandem_voice_turn_first_chunk_seconds_count{model="talk"})"), 2);
    EXPECT_EQ(value(R"(tandem_voice_to_voice_seconds_count{model="talk"})"), 1);
    EXPECT_EQ(value(R"(tandem_voice_to_voice_seconds_sum{model="talk"})"), 0.75);
    EXPECT_EQ(value(R"(tandem_voice_to_voice_part_seconds_sum{model="talk",part="detector"})"),
              0.5);
}

TEST_F(counting, reports_how_its_servers_are) {
    metrics.set_servers({{.url = near_url,
                          .state = server_status::health::down,
                          .circuit_open = true,
                          .slots = 4,
                          .generating = 3,
                          .waiting = 2}});
    const std::string server = R"(server="http://127.0.0.1:8081")";
    EXPECT_EQ(value("tandem_server_state{" + server + R"(,state="down"})"), 1);
    EXPECT_EQ(value("tandem_server_state{" + server + R"(,state="up"})"), 0);
    EXPECT_EQ(value("tandem_server_circuit_open{" + server + "}"), 1);
    EXPECT_EQ(value("tandem_server_replies_running{" + server + "}"), 3);
    EXPECT_EQ(value("tandem_server_queue_depth{" + server + "}"), 2);
}

TEST_F(counting, reports_the_load_and_changes_of_residence) {
    const std::string server = R"({server="http://127.0.0.1:8081"})";
    EXPECT_EQ(value("tandem_server_residence_changes_total" + server), 0);
    EXPECT_EQ(value(R"(tandem_speech_load{model="talk"})"), 0);
    metrics.set_servers({{.url = near_url, .tokens_per_s = 320}});
    metrics.set_servers({{.url = near_url, .residence_changes = 2, .residence_change_tokens = 30}});
    metrics.set_servers({{.url = near_url, .residence_changes = 5, .residence_change_tokens = 70}});
    EXPECT_EQ(value("tandem_server_residence_changes_total" + server), 5);
    EXPECT_EQ(value("tandem_server_residence_change_tokens_total" + server), 70);
    EXPECT_EQ(value("tandem_server_tokens_per_second" + server), 0) << "no longer known";
    metrics.set_speech_load("talk", 0.75);
    EXPECT_EQ(value(R"(tandem_speech_load{model="talk"})"), 0.75);
    metrics.count_refused_session("talk");
    EXPECT_EQ(value(R"(tandem_sessions_refused_total{model="talk"})"), 1);
}

TEST_F(counting, adds_up_the_servers_of_a_name) {
    using health = server_status::health;
    metrics.add_servers("talk", {"http://llama:8080"});
    const std::string server = R"(server="http://llama:8080")";
    const std::string one = "http://llama:8080#10.0.0.1";
    const std::string two = "http://llama:8080#10.0.0.2";
    metrics.set_servers({{.url = one, .state = health::up, .waiting = 2, .residence_changes = 3},
                         {.url = two, .state = health::up, .draining = true, .waiting = 1}});
    EXPECT_EQ(value("tandem_server_state{" + server + R"(,state="up"})"), 2);
    EXPECT_EQ(value("tandem_server_draining{" + server + "}"), 1);
    EXPECT_EQ(value("tandem_server_queue_depth{" + server + "}"), 3);
    metrics.set_servers({{.url = two, .state = health::up, .residence_changes = 2}});
    EXPECT_EQ(value("tandem_server_state{" + server + R"(,state="up"})"), 1);
    EXPECT_EQ(value("tandem_server_residence_changes_total{" + server + "}"), 5);
    metrics.set_servers({});
    EXPECT_EQ(value("tandem_server_state{" + server + R"(,state="up"})"), 0);
}

TEST_F(counting, has_bounded_labels_whatever_comes) {
    const auto tell_all_of = [&](int i) {
        const auto odd = "odd " + std::to_string(i) + "\n\"";
        auto r = a_reply();
        r.servers = {"http://" + odd};
        r.error = boost::system::error_code(i, boost::system::system_category());
        r.finish_reason = finish_reason::error;
        metrics.record_reply(odd, r, true);
        metrics.record_request("/" + odd, 404, 1ms);
        metrics.record_voice_latency(odd, 1ms, voice_timing());
        metrics.record_chunk(odd, {.id = {1, 1}, .metrics = {.server = odd}});
        metrics.set_servers({{.url = odd}});
        metrics.set_speech_load(odd, 1);
        metrics.count_refused_session(odd);
    };
    tell_all_of(0);
    const auto before = series();
    for (int i = 1; i < 100; ++i) tell_all_of(i);
    EXPECT_EQ(series(), before);
    EXPECT_THAT(metrics.to_prometheus_text(), Not(HasSubstr("odd")));
}

TEST_F(counting, shows_no_credentials_of_servers) {
    EXPECT_THAT(metrics.to_prometheus_text(), HasSubstr("http://10.0.0.7:8081"));
    EXPECT_THAT(metrics.to_prometheus_text(), Not(HasSubstr("secret")));
}

TEST_F(counting, reports_what_was_built) {
    EXPECT_THAT(metrics.to_prometheus_text(),
                HasSubstr(",version=\"" TANDEM_VERSION_STRING "\"} 1\n"));
    EXPECT_THAT(metrics.to_prometheus_text(), HasSubstr("tandem_build_info{compiler=\""));
}

TEST_F(counting, reports_the_process) {
    const auto text = metrics.to_prometheus_text({.cpu_seconds = 1.5,
                                                  .start_time_seconds = 1'700'000'000.25,
                                                  .resident_memory_bytes = 5 << 20,
                                                  .virtual_memory_bytes = 6 << 20,
                                                  .open_fds = 12,
                                                  .max_fds = 1024});
    for (const std::string line :
         {"# TYPE process_cpu_seconds_total counter", "process_cpu_seconds_total 1.5",
          "process_start_time_seconds 1700000000.25", "process_resident_memory_bytes 5242880",
          "process_virtual_memory_bytes 6291456", "process_open_fds 12", "process_max_fds 1024"})
        EXPECT_THAT(text, HasSubstr("\n" + line + "\n"));
}

TEST(process_stats, are_those_of_this_process) {
    const auto before = static_cast<double>(std::time(nullptr));
    const auto first = read_process_stats();
    std::ifstream one_more("/proc/self/stat");
    const auto later = read_process_stats();
    EXPECT_EQ(later.open_fds, first.open_fds + 1);
    EXPECT_GE(later.max_fds, later.open_fds);
    EXPECT_GE(later.cpu_seconds, first.cpu_seconds);
    EXPECT_GT(first.resident_memory_bytes, 0);
    EXPECT_GE(first.virtual_memory_bytes, first.resident_memory_bytes);
    constexpr double a_day = 86'400, a_second = 1;
    EXPECT_LE(first.start_time_seconds, before + a_second) << "as exactly as the machine's start";
    EXPECT_GT(first.start_time_seconds, before - a_day);
}

// --- the complete text, with every possible series

struct family {
    std::string type;
    std::set<std::string> labels;

    friend bool operator==(const family&, const family&) = default;
};
void PrintTo(const family& f, std::ostream* out) {
    *out << f.type;
    for (const auto& l : f.labels) *out << ' ' << l;
}
using families = std::map<std::string, family>;

struct all_counted : counting {
    all_counted() {
        auto failed = a_reply();
        failed.finish_reason = finish_reason::error;
        failed.error = errc::server_error;
        metrics.record_reply("talk", failed, true);
        metrics.record_request("/health", 200, 1ms);
        metrics.record_voice_latency("talk", 1ms, voice_timing());
        metrics.set_servers({{.url = near_url}});
    }
};

// The family of a sample. In a histogram, the name of a sample has a suffix.
std::string family_of(const std::string& sample, const families& known) {
    for (const std::string end : {"_bucket", "_sum", "_count"}) {
        if (!sample.ends_with(end)) continue;
        const auto base = sample.substr(0, sample.size() - end.size());
        if (const auto found = known.find(base);
            found != known.end() && found->second.type == "histogram")
            return base;
    }
    return sample;
}

/// Reads the text format strictly: each line is of one of three kinds, and each sample belongs to
/// the family of the last TYPE line.
families read(const std::string& text) {
    static const std::regex help("# HELP ([a-z_]+) [^\\\\]+"), type("# TYPE ([a-z_]+) ([a-z]+)"),
        sample(
            R"(([a-z_]+)(\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? ([-+0-9.e]+|NaN|[+-]Inf))"),
        label("([a-z_]+)=\"(?:[^\"\\\\]|\\\\.)*\"");
    families found;
    std::string current;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        std::smatch m;
        if (std::regex_match(line, m, help)) continue;
        if (std::regex_match(line, m, type)) {
            EXPECT_FALSE(found.contains(m[1])) << "told twice: " << line;
            found[current = m[1]].type = m[2];
            continue;
        }
        EXPECT_TRUE(std::regex_match(line, m, sample)) << line;
        EXPECT_EQ(family_of(m[1], found), current) << line;
        const auto labels = m[3].str();
        for (std::sregex_iterator l(labels.begin(), labels.end(), label), end; l != end; ++l)
            if ((*l)[1] != "le") found[current].labels.insert((*l)[1]);
    }
    return found;
}

TEST_F(all_counted, is_well_formed) {
    const auto text = metrics.to_prometheus_text();
    EXPECT_TRUE(text.ends_with('\n'));
    EXPECT_GT(read(text).size(), 30u);
}

TEST_F(all_counted, has_histograms_that_end_with_all_that_they_counted) {
    const std::string name = "tandem_reply_first_token_seconds";
    EXPECT_EQ(value(name + "_bucket" + of_near.substr(0, of_near.size() - 1) + ",le=\"+Inf\"}"),
              value(name + "_count" + of_near));
}

std::set<std::string> names_in(const std::string& cell) {
    static const std::regex name("`([a-z_]+)`");
    std::set<std::string> names;
    for (std::sregex_iterator n(cell.begin(), cell.end(), name), end; n != end; ++n)
        names.insert(n->str(1));
    return names;
}

/// The tables in docs/metrics.md. The head of a table lists the labels that all its metrics have. A
/// row may list several metrics, and further labels for them.
families documented() {
    static const std::regex head(R"(\| (.*) \| type \| meaning \|)"),
        row(R"(\| (`(?:tandem|process)_[a-z_`, ]+`) \| ([a-z]+) \| .+)");
    std::ifstream in(TANDEM_SOURCE_DIR "/docs/metrics.md");
    families found;
    std::set<std::string> shared;
    for (std::string line; std::getline(in, line);) {
        std::smatch m;
        if (std::regex_match(line, m, head)) shared = names_in(m[1]);
        if (!std::regex_match(line, m, row)) continue;
        std::set<std::string> metrics, labels = shared;
        for (const auto& n : names_in(m[1]))
            (n.starts_with("tandem_") || n.starts_with("process_") ? metrics : labels).insert(n);
        for (const auto& n : metrics) found[n] = {m[2], labels};
    }
    return found;
}

const tandem::cluster::cluster_status in_cluster{.has_lease = true,
                                                 .servers = {{"near:1", {.slots = 4, .held = 2}}}};

TEST_F(counting, tells_from_the_start_all_that_its_document_names) {
    EXPECT_THAT(read(metrics.to_prometheus_text({}, in_cluster)), ContainerEq(documented()));
}

TEST_F(counting, reports_a_cluster_only_in_one) {
    EXPECT_THAT(metrics.to_prometheus_text(), Not(HasSubstr("tandem_cluster")));
    EXPECT_THAT(metrics.to_prometheus_text({}, in_cluster),
                HasSubstr("tandem_cluster_slots_held{server=\"near:1\"} 2\n"));
}

TEST_F(counting, begins_with_0_for_each_error_of_a_reply) {
    for (const std::string code : {"connect_failed", "server_error", "stream_incomplete"})
        EXPECT_EQ(value("tandem_reply_errors_total" + of_near_and("code=\"" + code + "\"")), 0);
}

TEST_F(all_counted, is_what_its_document_says) {
    EXPECT_THAT(read(metrics.to_prometheus_text({}, in_cluster)), ContainerEq(documented()));
}

}  // namespace
}  // namespace tandem::gateway
