// The flags of `tandem serve` and `tandem key`.

#include "gateway/access/api_keys.hpp"
#include "support/certificate.hpp"
#include "unit/command/arguments_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace tandem::command;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class serve_arguments : public arguments {
 protected:
    command_line serve(std::vector<std::string> args) {
        args.insert(args.begin(), "serve");
        return parse(std::move(args));
    }
    std::string keys() {
        return file_with(fmt::format(R"({{"keys": [{{"name": "bot", "sha256": "{}"}}]}})",
                                     tandem::gateway::make_api_key().sha256));
    }
};

TEST_F(serve_arguments, have_defaults_for_this_machine_alone) {
    const auto c = serve({});
    ASSERT_TRUE(c.serve) << c.err;
    const auto& g = c.serve->gateway;
    EXPECT_EQ(g.address, "127.0.0.1");
    EXPECT_EQ(g.port, 8090);
    EXPECT_TRUE(g.keys.is_empty());
    ASSERT_EQ(c.serve->servers.size(), 1u);
    EXPECT_EQ(c.serve->servers[0].model, "") << "the server reports it";
    EXPECT_EQ(g.stream_by, tandem::stream_by::token);
    EXPECT_EQ(g.max_connections, 10'000u);
    EXPECT_EQ(g.prompts.max_bytes, std::size_t{1} << 20);
    EXPECT_EQ(g.service.client.server.slots, std::nullopt) << "all slots of the server";
    EXPECT_EQ(g.service.client.server.reuse_guard, tandem::auto_guard);
    EXPECT_EQ(c.serve->drain, 30s);
    EXPECT_EQ(g.voice.session_kept, 60s);
    EXPECT_EQ(g.voice.call_timeout, 60s);
    EXPECT_EQ(c.serve->log_level, tandem::log_level::info);
    EXPECT_EQ(c.serve->log_format, log_format::text);
}

TEST_F(serve_arguments, have_values_of_every_kind) {
    const auto c = serve({"--listen",
                          "[::1]:0",
                          "--model",
                          "talk",
                          "--stream-by",
                          "chunk",
                          "--max-connections",
                          "5",
                          "--drain",
                          "250ms",
                          "--session-kept",
                          "10m",
                          "--call-timeout",
                          "5s",
                          "--placement",
                          "round_robin",
                          "--max-prompt-bytes",
                          "0",
                          "--audit",
                          "-",
                          "--audit-prompts",
                          "--log-level",
                          "debug",
                          "--log-format",
                          "json",
                          "--url",
                          "http://a:1",
                          "--server",
                          "http://b:1",
                          "--slots",
                          "3"});
    ASSERT_TRUE(c.serve) << c.err;
    const auto& g = c.serve->gateway;
    EXPECT_EQ(g.address, "::1");
    EXPECT_EQ(g.port, 0);
    EXPECT_THAT(c.serve->servers, ElementsAre(named_server{"talk", "http://a:1"},
                                              named_server{"talk", "http://b:1"}));
    EXPECT_EQ(g.stream_by, tandem::stream_by::chunk);
    EXPECT_EQ(g.max_connections, 5u);
    EXPECT_EQ(g.prompts.max_bytes, 0u);
    EXPECT_TRUE(g.audit_prompts);
    EXPECT_EQ(g.service.placement, tandem::placement::round_robin);
    EXPECT_EQ(g.service.client.server.slots, 3);
    EXPECT_THAT(g.service.servers, ElementsAre("http://a:1", "http://b:1"));
    EXPECT_EQ(c.serve->drain, 250ms);
    EXPECT_EQ(g.voice.session_kept, 10min);
    EXPECT_EQ(g.voice.call_timeout, 5s);
    EXPECT_EQ(c.serve->audit, "-");
    EXPECT_EQ(c.serve->log_level, tandem::log_level::debug);
    EXPECT_EQ(c.serve->log_format, log_format::json);
}

TEST_F(serve_arguments, name_a_collector_for_traces_with_its_headers) {
    variables_ = {{"OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b"}};
    const auto c = serve({"--otlp-endpoint", "http://c:4318", "--otlp-texts"});
    ASSERT_TRUE(c.serve) << c.err;
    const auto& traces = c.serve->gateway.traces;
    EXPECT_EQ(traces.endpoint, "http://c:4318");
    EXPECT_TRUE(traces.texts);
    EXPECT_THAT(traces.headers, ElementsAre(testing::Pair("api-key", "a b")));
}

TEST_F(serve_arguments, refuse_what_is_no_collector) {
    EXPECT_THAT(serve({"--otlp-texts"}).err,
                HasSubstr("--otlp-texts requires --otlp-endpoint URL"));
    EXPECT_THAT(serve({"--otlp-endpoint", ""}).err, HasSubstr("--otlp-endpoint is empty"));
    EXPECT_THAT(serve({"--otlp-endpoint", "localhost:4318"}).err,
                HasSubstr("--otlp-endpoint: \"localhost:4318\" is not a URL"));
    EXPECT_THAT(serve({"--otlp-endpoint", "http://c:4318/v1/traces"}).err,
                HasSubstr("remove /v1/traces at its end"));
    variables_ = {{"OTEL_EXPORTER_OTLP_HEADERS", "secret"}};
    EXPECT_THAT(serve({"--otlp-endpoint", "http://c:4318"}).err,
                AllOf(HasSubstr("OTEL_EXPORTER_OTLP_HEADERS has a pair that is not a header"),
                      Not(HasSubstr("secret"))));
}

TEST_F(serve_arguments, read_the_configuration_from_all_its_sources) {
    variables_ = {{"TANDEM_TEMPERATURE", "0.25"}};
    const auto c = serve({"--config", file_with(R"({"servers": ["http://a:1"], "slots": 4})")});
    ASSERT_TRUE(c.serve) << c.err;
    EXPECT_EQ(c.serve->gateway.service.client.generation.temperature, 0.25);
    EXPECT_EQ(c.serve->gateway.service.client.server.slots, 4);
    EXPECT_THAT(c.serve->gateway.service.servers, ElementsAre("http://a:1"));
}

TEST_F(serve_arguments, may_name_the_models_of_servers) {
    const std::vector<named_server> all{
        {"talk", "http://a:1"}, {"org/code=7b", "https://b:1"}, {"", "http://c:1/x=y"}};
    const auto flags = serve({"--url", "talk=http://a:1", "--url", "org/code=7b=https://b:1",
                              "--url", "http://c:1/x=y"});
    ASSERT_TRUE(flags.serve) << flags.err;
    EXPECT_EQ(flags.serve->servers, all);
    const auto file = serve({"--config", file_with(R"({"servers": [
        {"url": "http://a:1", "model": "talk"}, "org/code=7b=https://b:1",
        {"url": "http://c:1/x=y"}]})")});
    ASSERT_TRUE(file.serve) << file.err;
    EXPECT_EQ(file.serve->servers, all);
    EXPECT_EQ(serve({"--url", "talk=http://a:1"}).serve->gateway.service.servers.front(),
              "http://a:1");
}

TEST_F(serve_arguments, may_name_servers_by_a_host_or_a_file) {
    const auto listed = file_with("http://b:1\nhttp://c:1\n");
    const auto c = serve({"--url", "talk=dns+https://llama:8080", "--url", "code=file:" + listed});
    ASSERT_TRUE(c.serve) << c.err;
    EXPECT_THAT(
        c.serve->servers,
        ElementsAre(named_server{.model = "talk", .url = "https://llama:8080", .is_name = true},
                    named_server{.model = "code", .url = "http://b:1", .file = listed},
                    named_server{.model = "code", .url = "http://c:1", .file = listed}));
    EXPECT_THAT(serve({"--url", "file:/nowhere"}).err, HasSubstr("--url file:/nowhere: "));
    EXPECT_THAT(serve({"--url", "dns+ftp://llama"}).err, HasSubstr("must begin with http://"));
    EXPECT_THAT(replay({"--url", "dns+http://llama"}).err, HasSubstr("must begin with http://"));
}

TEST_F(serve_arguments, have_servers_of_one_model_without_the_names) {
    EXPECT_THAT(replay({"--url", "talk=http://a:1"}).err, HasSubstr("--url"));
    EXPECT_THAT(serve({"--config", file_with(R"({"servers": [{"model": "talk"}]})")}).err,
                HasSubstr("servers must be a list of strings, or of"));
}

TEST_F(serve_arguments, may_allow_adapters) {
    const auto c = serve({"--adapter", "formal=0", "--adapter", "slang=12", "--state", "s.db"});
    ASSERT_TRUE(c.serve) << c.err;
    const auto& g = c.serve->gateway;
    ASSERT_EQ(g.adapters.size(), 2u);
    EXPECT_EQ(g.adapters[1].name, "slang");
    EXPECT_EQ(g.adapters[1].id, 12);
    EXPECT_EQ(g.adapters[1].model, "");
    EXPECT_EQ(g.state_file, "s.db");
    const auto several = serve({"--adapter", "rust=0@org/code=7b@x"});
    ASSERT_TRUE(several.serve) << several.err;
    EXPECT_EQ(several.serve->gateway.adapters[0].model, "org/code=7b@x");
}

TEST_F(serve_arguments, may_have_keys_and_then_any_address) {
    const auto file = keys();
    const auto c = serve({"--keys", file, "--listen", "0.0.0.0:8090"});
    ASSERT_TRUE(c.serve) << c.err;
    ASSERT_EQ(c.serve->gateway.keys.all().size(), 1u);
    EXPECT_EQ(c.serve->gateway.keys.all()[0].name, "bot");
    EXPECT_EQ(c.serve->key_file, file);
}

TEST_F(serve_arguments, need_keys_if_others_reach_the_port) {
    const auto c = serve({"--listen", "0.0.0.0:8090"});
    EXPECT_EQ(c.status, 2);
    EXPECT_THAT(c.err,
                HasSubstr("tandem serve: --listen is 0.0.0.0, which other machines can reach: "
                          "configure keys, or listen on 127.0.0.1; use --keys FILE\n"));
}

TEST_F(serve_arguments, report_all_faults_of_the_key_file) {
    const auto file = file_with(R"({"keys": [{"name": ""}]})");
    const auto c = serve({"--keys", file, "--listen", "0.0.0.0:1"});
    EXPECT_EQ(c.status, 2);
    EXPECT_THAT(c.err, AllOf(HasSubstr("--keys " + file + ": keys[0].name must be 1 to 64"),
                             HasSubstr("--keys " + file + ": keys[0].sha256 is missing"),
                             Not(HasSubstr("--listen"))));
}

TEST_F(serve_arguments, may_have_a_certificate_and_its_key) {
    const tandem::testing::certificate c("IP:127.0.0.1");
    const auto both = file_with(c.key + c.cert);
    const auto read = serve({"--tls-cert", both, "--tls-key", both});
    ASSERT_TRUE(read.serve) << read.err;
    ASSERT_TRUE(read.serve->gateway.tls);
    EXPECT_EQ(read.serve->gateway.tls->certificates, c.key + c.cert);
    EXPECT_EQ(read.serve->tls.key, both);
    EXPECT_FALSE(serve({}).serve->gateway.tls);
}

TEST_F(serve_arguments, are_told_what_is_wrong_with_the_certificate) {
    const auto file = file_with("no certificate");
    const auto c = serve({"--tls-cert", file, "--tls-key", file});
    EXPECT_EQ(c.status, 2);
    EXPECT_THAT(
        c.err, HasSubstr("--tls-cert " + file + ": has no valid PEM certificate; it must contain"));
}

TEST_F(serve_arguments, have_denied_words_a_line_each) {
    const auto c = serve({"--denied", file_with("secret\n\nsecret sauce\n")});
    ASSERT_TRUE(c.serve) << c.err;
    EXPECT_THAT(c.serve->gateway.prompts.denied, ElementsAre("secret", "secret sauce"));
}

TEST_F(serve_arguments, report_the_lines_of_words_that_cannot_be_denied) {
    const auto c = serve({"--denied", file_with("secret\n\nx\n" + std::string(300, 'y'))});
    EXPECT_EQ(c.status, 2);
    EXPECT_THAT(c.err, AllOf(HasSubstr("--denied " + file_ + ":3: has 1 byte;"),
                             HasSubstr("--denied " + file_ + ":4: has 300 bytes")));
}

TEST_F(serve_arguments, report_all_faults_at_once) {
    const auto c = serve({"--drain", "2d", "--stream-by", "word", "--slots", "-1", "--placement",
                          "any", "--url", "http://a:1", "--url", "http://a:1"});
    EXPECT_EQ(c.status, 2);
    for (const auto* fault : {"--drain is 2d", "--stream-by is word", "--slots", "--placement is",
                              "--url has http://a:1 twice"})
        EXPECT_THAT(c.err, HasSubstr(fault));
}

struct wrong_arguments {
    const char* name;
    std::vector<std::string> args;
    const char* words;
};
class refused_serve_arguments : public serve_arguments,
                                public testing::WithParamInterface<wrong_arguments> {};

TEST_P(refused_serve_arguments, are_named) {
    const auto c = parse(GetParam().args);
    EXPECT_EQ(c.status, 2);
    EXPECT_FALSE(c.serve || c.key);
    EXPECT_THAT(c.err, HasSubstr(GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(
    table, refused_serve_arguments,
    testing::Values(
        wrong_arguments{
            "no_port", {"serve", "--listen", "127.0.0.1"}, "--listen is 127.0.0.1; it must be"},
        wrong_arguments{
            "a_name", {"serve", "--listen", "example.com:1"}, "--listen is example.com:1;"},
        wrong_arguments{
            "no_connections", {"serve", "--max-connections", "0"}, "--max-connections is 0;"},
        wrong_arguments{"too_long_a_session",
                        {"serve", "--session-kept", "1h"},
                        "--session-kept is 1h; it must be a time from 1s to 59m"},
        wrong_arguments{"a_session_beyond_an_hour",
                        {"serve", "--session-kept", "2h"},
                        "--session-kept is 2h; it must be a time from 1s to 59m"},
        wrong_arguments{"too_short_a_call",
                        {"serve", "--call-timeout", "0"},
                        "--call-timeout is 0; it must be a time from 1s to 1h"},
        wrong_arguments{
            "a_size", {"serve", "--max-prompt-bytes", "1k"}, "--max-prompt-bytes is 1k;"},
        wrong_arguments{"a_level", {"serve", "--log-level", "all"}, "--log-level is all;"},
        wrong_arguments{"a_format", {"serve", "--log-format", "xml"}, "--log-format is xml;"},
        wrong_arguments{"an_empty_key_file", {"serve", "--keys", ""}, "--keys is empty"},
        wrong_arguments{
            "keys_from_stdin", {"serve", "--keys", "-"}, "--keys is -; it must be a file"},
        wrong_arguments{
            "no_key_file", {"serve", "--keys", "/no/such"}, "--keys /no/such: No such file"},
        wrong_arguments{
            "no_word_file", {"serve", "--denied", "/no/such"}, "--denied /no/such: No such"},
        wrong_arguments{"an_origin_with_a_path",
                        {"serve", "--allow-origin", "https://bot.example/page"},
                        "--allow-origin: 'https://bot.example/page' has a path"},
        wrong_arguments{"any_origin_without_keys",
                        {"serve", "--allow-origin", "*"},
                        "--allow-origin: '*' lets any web page use a gateway without keys"},
        wrong_arguments{"a_certificate_alone",
                        {"serve", "--tls-cert", "f"},
                        "--tls-cert and --tls-key must be given together"},
        wrong_arguments{
            "a_tls_key_alone", {"serve", "--tls-key", "f"}, "--tls-cert and --tls-key must"},
        wrong_arguments{"a_tls_key_from_stdin",
                        {"serve", "--tls-cert", "f", "--tls-key", "-"},
                        "must be files, because they are"},
        wrong_arguments{"no_tls_file",
                        {"serve", "--tls-cert", "/no/such", "--tls-key", "/no/key"},
                        "--tls-key /no/key: No such file"},
        wrong_arguments{
            "prompts_of_no_audit", {"serve", "--audit-prompts"}, "requires --audit FILE"},
        wrong_arguments{
            "a_model", {"serve", "--model", std::string(300, 'm')}, "--model must be 1 to 256"},
        wrong_arguments{"no_adapter",
                        {"serve", "--adapter", "formal"},
                        "--adapter is formal; it must be NAME=ID or NAME=ID@MODEL"},
        wrong_arguments{
            "an_adapters_number", {"serve", "--adapter", "formal=0x"}, "--adapter is formal=0x;"},
        wrong_arguments{
            "an_adapters_model", {"serve", "--adapter", "a=0@"}, "--adapter is a=0@; it must"},
        wrong_arguments{"adapters_with_one_number",
                        {"serve", "--adapter", "a=0", "--adapter", "b=0"},
                        "--adapter a and b have the id 0"},
        wrong_arguments{"no_state", {"serve", "--state", ""}, "--state is empty"},
        wrong_arguments{"an_argument", {"serve", "f"}, "f is an unexpected argument"},
        wrong_arguments{"an_unknown_flag", {"serve", "--key", "f"}, "did you mean --keys?"},
        wrong_arguments{"a_port_alone", {"serve", "--port", "80"}, "did you mean --listen?"},
        wrong_arguments{"a_host_alone", {"serve", "--host=::"}, "did you mean --listen?"},
        wrong_arguments{"a_wrong_url", {"serve", "--url", "localhost"}, "--url"},
        wrong_arguments{
            "an_empty_name", {"key", "--name", ""}, "--name must be 1 to 64 printable ASCII"},
        wrong_arguments{
            "a_name_that_is_taken", {"key", "--name", "anonymous"}, "must not be anonymous"},
        wrong_arguments{
            "a_name_like_a_key", {"key", "--name", "tdm_x"}, "--name begins like a key"},
        wrong_arguments{"a_name_with_control", {"key", "--name", "a\nb"}, "--name must be 1 to 64"},
        wrong_arguments{"an_argument_of_key", {"key", "bot"}, "bot is an unexpected argument"}),
    [](const auto& row) { return row.param.name; });

TEST_F(serve_arguments, may_name_a_key) {
    const auto c = parse({"key", "--name", "front desk"});
    ASSERT_TRUE(c.key) << c.err;
    EXPECT_EQ(c.key->name, "front desk");
    EXPECT_EQ(parse({"key"}).key->name, "");
}

TEST_F(serve_arguments, are_reported_by_help_in_80_columns) {
    for (const auto* command : {"serve", "key"}) {
        const auto help = parse({"help", command}).out;
        EXPECT_THAT(help, HasSubstr("Example:\n  tandem " + std::string(command)));
        std::size_t from = 0;
        for (auto end = help.find('\n'); end != help.npos; end = help.find('\n', from)) {
            EXPECT_LE(end - from, 80u) << help.substr(from, end - from);
            from = end + 1;
        }
    }
}

TEST_F(serve_arguments, name_another_file_for_each_thing_that_is_kept) {
    EXPECT_THAT(serve({"--record", "a", "--audit", "./a"}).err,
                HasSubstr("--record and --audit name the same file, a"));
    EXPECT_THAT(serve({"--record", "a", "--state", "./a"}).err,
                HasSubstr("--record and --state name the same file, a"));
    EXPECT_EQ(serve({"--record", "a", "--audit", "./a"}).status, 2);
    EXPECT_TRUE(serve({"--record", "a", "--audit", "-"}).serve);
}

}  // namespace
