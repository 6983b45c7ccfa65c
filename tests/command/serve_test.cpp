// Runs `tandem serve` in front of a mock server.

#include "serve_fixture.hpp"
#include "support/poll_until.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <tuple>
#include <vector>

namespace {

using namespace tandem::testing;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string text_of(const http_answer& a) {
    std::string text;
    for (const auto& event : a.events()) {
        const auto e = json::parse(event, nullptr, false);
        if (!e.is_object() || e.value("choices", json::array()).empty()) continue;
        text += e["choices"][0].value("delta", json::object()).value("content", "");
    }
    return text;
}

TEST_F(serve_test, reports_where_it_listens_and_answers_there) {
    start_server();
    auto g = serve();
    EXPECT_THAT(g.line, StartsWith("listening on http://127.0.0.1:"));
    EXPECT_THAT(g.line, HasSubstr(", model talk, 1 server, no keys"));
    auto c = g.client();
    const auto a = c.post("/v1/chat/completions", chat());
    EXPECT_EQ(a.parsed()["choices"][0]["message"]["content"], story) << a.body;
    EXPECT_EQ(c.get("/v1/models").parsed()["data"][0]["id"], "talk");
}

TEST_F(serve_test, ends_the_replies_that_take_too_long) {
    start_server({.tokens_per_second = 1});
    auto g = serve({"--model", "talk", "--drain", "1ms"});
    std::vector<std::unique_ptr<http_client>> clients;
    for (int i = 0; i < 3; ++i) {
        clients.push_back(std::make_unique<http_client>(g.port));
        clients.back()->send_request("POST", "/v1/chat/completions", chat(true).dump());
    }
    EXPECT_EQ(g.client().get("/health").status, 200);
    EXPECT_EQ(g.stop(SIGTERM).status, 0);
    for (const auto& c : clients) EXPECT_THAT(c->read_to_any_end(), Not(HasSubstr("[DONE]")));
}

TEST_F(serve_test, streams_by_token_or_by_sentence) {
    start_server();
    for (const auto& [unit, least, most] :
         {std::tuple("token", 5u, 100u), std::tuple("chunk", 3u, 3u)}) {
        auto g = serve({"--model", "talk", "--stream-by", unit});
        const auto a = g.client().post("/v1/chat/completions", chat(true));
        EXPECT_EQ(text_of(a), story);
        // Two more events follow those of the text: the finish reason and [DONE].
        EXPECT_GE(a.events().size(), least + 2) << a.body;
        EXPECT_LE(a.events().size(), most + 2) << a.body;
    }
}

TEST_F(serve_test, asks_a_server_what_the_model_is_called) {
    start_server({.model = "small-talk"});
    auto g = serve({});
    EXPECT_THAT(g.line, HasSubstr(", model small-talk, "));
    EXPECT_EQ(g.client().get("/v1/models").parsed()["data"][0]["id"], "small-talk");
    EXPECT_THAT(g.stop(SIGTERM).err, HasSubstr("small-talk, reported by " + server_->url()));
}

TEST_F(serve_test, serves_servers_of_several_models) {
    start_server({.model = "small-talk"});
    tandem::mock::options other;
    other.model = "other";
    tandem::mock::server second(other);
    auto g = serve({"--url", second.url(), "--url", "code=http://127.0.0.1:1"});
    EXPECT_THAT(g.line, HasSubstr(", models small-talk, other, code, 3 servers, "));
    EXPECT_EQ(g.client().get("/v1/models/code").status, 200);
    EXPECT_EQ(g.client().get("/v1/models/talk").status, 404);
}

TEST_F(serve_test, uses_no_server_whose_model_nobody_knows) {
    start_server();
    const std::string away = "http://127.0.0.1:1";
    auto g = serve({"--url", "talk=http://127.0.0.1:2", "--url", away});
    EXPECT_THAT(g.line, HasSubstr(", models mock, talk, 2 servers, "));
    EXPECT_THAT(g.stop(SIGTERM).err, HasSubstr(away + " did not report its model"));
}

TEST_F(serve_test, remembers_what_is_deployed_when_it_is_started_again) {
    start_server({.lora = {"formal.gguf"}});
    const auto state = temporary_path("state");
    const std::vector<std::string> flags{"--model",  "talk",    "--adapter",
                                         "formal=0", "--state", state};
    {
        auto g = serve(flags);
        const auto job =
            g.client().post("/admin/adapters/formal/load", json{{"scale", 0.5}}).parsed()["job"];
        EXPECT_TRUE(poll_until([&] {
            return g.client().get("/admin/jobs/" + job.get<std::string>()).parsed()["state"] ==
                   "done";
        }));
        g.stop(SIGTERM);
    }
    auto g = serve(flags);
    EXPECT_EQ(g.client().get("/admin/adapters").parsed()["data"][0]["scale"], 0.5);
    const auto second = run(args(flags));
    EXPECT_EQ(second.status, 2);
    EXPECT_THAT(second.err, HasSubstr("--state " + state + ": it is in use by another process"));
}

TEST_F(serve_test, does_not_start_with_adapters_of_a_model_that_is_not_served) {
    start_server();
    const auto end = run(args({"--model", "talk", "--adapter", "rust=0@code"}));
    EXPECT_EQ(end.status, 2);
    EXPECT_THAT(end.err, HasSubstr("rust is for the model code, which is not served"));
}

TEST_F(serve_test, serves_without_a_server_that_answers) {
    start_server();
    server_->stop();
    auto g = serve({});
    EXPECT_THAT(g.line, HasSubstr(", model default, "));
    EXPECT_EQ(g.client().get("/health").status, 200);
    EXPECT_THAT(g.stop(SIGTERM).err, HasSubstr("clients use the name default"));
}

TEST_F(serve_test, reports_a_server_that_refuses_the_key_before_anybody_needs_it) {
    start_server({.api_key = "sesame"});
    auto g = serve();
    ASSERT_TRUE(poll_until(
        [&] { return g.client().get("/readyz").body.find("not asked yet") == std::string::npos; }));
    EXPECT_EQ(g.client().get("/readyz").status, 503);
    const auto log = g.stop(SIGTERM).err;
    EXPECT_THAT(log,
                HasSubstr(": down: /props: the server rejected the API key, or requires one; use "
                          "--api-key-file FILE or TANDEM_API_KEY to pass the one"));
    EXPECT_THAT(log, Not(HasSubstr(": up")));
}

TEST_F(serve_test, tells_nobody_the_passwords_in_its_urls) {
    const auto url = start_server().url();
    server_.reset();
    auto with_password = url;
    with_password.insert(std::string_view("http://").size(), "bob:secret@");
    auto g = serve(
        {"--model", "talk", "--retries", "0", "--url", with_password, "--log-level", "debug"});
    EXPECT_NE(g.client().post("/v1/chat/completions", chat()).status, 200);
    const auto ready = g.client().get("/ready").body;
    EXPECT_THAT(ready, HasSubstr("down"));
    EXPECT_THAT(ready, Not(HasSubstr("127.0.0.1"))) << "it needs no key";
    const auto log = g.stop(SIGTERM).err;
    EXPECT_THAT(log, HasSubstr("server " + url + ": down"));
    EXPECT_THAT(log, Not(HasSubstr("secret")));
}

TEST_F(serve_test, tells_programs_in_json) {
    start_server();
    auto g = serve({"--log-format", "json"});
    const auto line = json::parse(g.line);
    EXPECT_EQ(line["event"], "listening");
    EXPECT_EQ(line["url"], "http://127.0.0.1:" + std::to_string(g.port));
    EXPECT_EQ(line["model"], "mock");
    EXPECT_EQ(line["servers"], 1);
    EXPECT_EQ(line["keys"], 0);
    const auto logged = lines_of(g.stop(SIGTERM).err);
    ASSERT_THAT(logged, Not(IsEmpty()));
    for (const auto& entry : logged) EXPECT_TRUE(json::parse(entry).contains("message")) << entry;
}

// --- usage errors

TEST_F(serve_test, listens_nowhere_else_without_keys) {
    const auto end = run({"serve", "--listen", "0.0.0.0:0"});
    EXPECT_EQ(end.status, 2);
    EXPECT_EQ(end.out, "");
    EXPECT_THAT(end.err, HasSubstr("--listen is 0.0.0.0, which other machines can reach"));
    EXPECT_THAT(end.err, HasSubstr("--keys"));
}

TEST_F(serve_test, fails_if_the_port_is_taken) {
    start_server();
    auto g = serve();
    const auto taken = "127.0.0.1:" + std::to_string(g.port);
    const auto end = run(args({"--model", "talk", "--listen", taken}));
    EXPECT_EQ(end.status, 1);
    EXPECT_EQ(end.out, "");
    EXPECT_THAT(end.err, HasSubstr("cannot listen on " + taken +
                                   ": Address already in use; choose another --listen"));
}

TEST_F(serve_test, does_not_start_without_the_audit_that_is_wanted) {
    const auto end = run(args({"--audit", "/no/such/folder/audit"}));
    EXPECT_EQ(end.status, 2);
    EXPECT_THAT(end.err, HasSubstr("--audit /no/such/folder/audit: No such file or directory"));
}

// --- keys and denied words

TEST_F(serve_test, takes_the_keys_that_the_command_makes) {
    start_server();
    const auto made = make_key("reception");
    ASSERT_THAT(made.key, StartsWith("tdm_"));
    EXPECT_EQ(json::parse(made.entry)["name"], "reception");
    const auto keys = temporary_path("keys");
    write(keys, file_of(made));
    auto g = serve({"--model", "talk", "--keys", keys});
    EXPECT_THAT(g.line, HasSubstr(", 1 key"));
    EXPECT_EQ(g.client().get("/v1/models").status, 401);
    EXPECT_EQ(status_with(g, made.key), 200);
    EXPECT_EQ(status_with(g, made.key + "x"), 401);
    EXPECT_THAT(g.stop(SIGTERM).err, Not(HasSubstr(made.key)));
}

TEST_F(serve_test, makes_keys_whose_names_and_values_differ) {
    const auto one = lines_of(run({"key"}).out);
    const auto two = lines_of(run({"key"}).out);
    ASSERT_THAT(one, SizeIs(2));
    ASSERT_THAT(two, SizeIs(2));
    EXPECT_NE(one[0], two[0]);
    EXPECT_NE(json::parse(one[1])["name"], json::parse(two[1])["name"]);
}

TEST_F(serve_test, refuses_prompts_with_denied_words) {
    start_server();
    const auto denied = temporary_path("denied");
    write(denied, "hello\n");
    auto g = serve({"--model", "talk", "--denied", denied});
    const auto a = g.client().post("/v1/chat/completions", chat());
    EXPECT_EQ(a.status, 400);
    EXPECT_EQ(a.parsed()["error"]["code"], "content_policy");
}

// --- SIGHUP

class serve_hangup_test : public serve_test {
 protected:
    running_gateway serve_with_keys() {
        write(keys_, file_of(old_));
        return serve({"--model", "talk", "--keys", keys_, "--audit", audit_});
    }
    /// The handler that reopens the audit file also reloads the keys, so the new keys apply once
    /// the new file exists.
    bool hang_up(running_gateway& g) {
        std::filesystem::remove(audit_);
        g.process.send_signal(SIGHUP);
        return poll_until([&] { return std::filesystem::exists(audit_); });
    }

    made_key old_ = make_key("reception");
    made_key new_ = make_key("kitchen");
    std::string keys_ = temporary_path("keys");
    std::string audit_ = temporary_path("audit");
};

TEST_F(serve_hangup_test, reads_the_keys_again) {
    start_server();
    auto g = serve_with_keys();
    EXPECT_EQ(status_with(g, old_.key), 200);
    EXPECT_EQ(status_with(g, new_.key), 401);
    write(keys_, file_of(new_));
    ASSERT_TRUE(hang_up(g));
    EXPECT_EQ(status_with(g, new_.key), 200);
    EXPECT_EQ(status_with(g, old_.key), 401);
    EXPECT_THAT(g.stop(SIGTERM).err, HasSubstr(keys_ + ": reloaded, 1 key"));
}

TEST_F(serve_hangup_test, leaves_the_keys_if_the_file_is_bad) {
    start_server();
    auto g = serve_with_keys();
    write(keys_, R"({"keys": [{"name": "kitchen"}]})");
    ASSERT_TRUE(hang_up(g));
    EXPECT_EQ(status_with(g, old_.key), 200);
    const auto end = g.stop(SIGTERM);
    EXPECT_THAT(end.err, HasSubstr(keys_ + ": keys[0].sha256 is missing"));
    EXPECT_THAT(end.err, HasSubstr("the keys are unchanged"));
}

// --- servers that come and go

TEST_F(serve_test, uses_the_addresses_of_a_name) {
    const auto port = std::to_string(start_server().port());
    auto g = running_gateway(program, {"serve", "--proxy", "none", "--listen", "127.0.0.1:0",
                                       "--url", "talk=dns+http://localhost:" + port});
    EXPECT_EQ(g.client().post("/v1/chat/completions", chat()).status, 200);
    const auto list = g.client().get("/admin/servers").parsed()["data"];
    ASSERT_EQ(list.size(), 1u) << "two addresses of one host are one server";
    EXPECT_EQ(list[0]["id"], "127.0.0.1:" + port);
    EXPECT_EQ(g.stop(SIGTERM).status, 0);
}

TEST_F(serve_test, reads_the_file_of_servers_again) {
    start_server();
    tandem::mock::server other{{}};
    const auto path = temporary_path("servers");
    write(path, server_->url() + '\n');
    auto g = running_gateway(program, {"serve", "--proxy", "none", "--listen", "127.0.0.1:0",
                                       "--url", "talk=file:" + path});
    const auto listed = [&] {
        std::vector<std::string> urls;
        const auto list = g.client().get("/admin/servers").parsed()["data"];
        for (const auto& s : list) urls.push_back(s["url"]);
        return urls;
    };
    EXPECT_THAT(listed(), ElementsAre(server_->url()));
    write(path, other.url() + '\n');
    g.process.send_signal(SIGHUP);
    EXPECT_TRUE(poll_until([&] { return listed() == std::vector{other.url()}; }));
    write(path, "nothing\n");
    g.process.send_signal(SIGHUP);
    EXPECT_EQ(g.client().get("/livez").status, 200);
    const auto end = g.stop(SIGTERM);
    EXPECT_THAT(end.err, HasSubstr(path + ": 1 server, 1 new, 1 gone"));
}

// --- audit

TEST_F(serve_test, appends_a_line_for_each_request_to_the_audit) {
    start_server();
    const auto audit = temporary_path("audit");
    write(audit, "{\"before\":1}\n");
    auto g = serve({"--model", "talk", "--audit", audit});
    g.client().post("/v1/chat/completions", chat());
    EXPECT_EQ(g.stop(SIGTERM).status, 0);
    const auto lines = lines_of_file(audit);
    ASSERT_THAT(lines, SizeIs(2));
    const auto line = json::parse(lines[1]);
    EXPECT_EQ(line["route"], "/v1/chat/completions");
    EXPECT_EQ(line["status"], 200);
    EXPECT_FALSE(line.contains("prompt"));
}

TEST_F(serve_test, has_prompts_in_the_audit_if_that_is_asked_for) {
    start_server();
    auto g = serve({"--model", "talk", "--audit", "-", "--audit-prompts"});
    g.client().post("/v1/chat/completions", chat());
    EXPECT_EQ(json::parse(g.process.read_line())["prompt"], "Hello!");
}

TEST_F(serve_test, continues_if_the_audit_cannot_be_written) {
    start_server();
    auto g = serve({"--model", "talk", "--audit", "/dev/full"});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(g.client().get("/health").status, 200);
    const auto logged = lines_of(g.stop(SIGTERM).err);
    EXPECT_EQ(
        std::ranges::count_if(logged, [](const auto& l) { return l.find("/dev/full") != l.npos; }),
        1);
}

// --- shutdown

TEST_F(serve_test, finishes_the_replies_that_run_when_it_is_stopped) {
    start_server({.tokens_per_second = 50});
    for (const int signal : {SIGTERM, SIGINT}) {
        auto g = serve();
        auto c = g.client();
        c.send_request("POST", "/v1/chat/completions", chat(true).dump());
        ASSERT_TRUE(c.read_until("data: "));
        g.process.send_signal(signal);
        EXPECT_EQ(text_of(c.read_answer()), story);
        EXPECT_EQ(g.process.wait().status, 0);
    }
}

TEST_F(serve_test, ends_replies_that_take_longer_than_the_drain) {
    start_server({.tokens_per_second = 1});
    auto g = serve({"--model", "talk", "--drain", "1ms"});
    auto c = g.client();
    c.send_request("POST", "/v1/chat/completions", chat(true).dump());
    ASSERT_TRUE(c.read_until("data: "));
    EXPECT_EQ(g.stop(SIGTERM).status, 0);
    EXPECT_THAT(c.read_to_end(), Not(HasSubstr("[DONE]")));
}

TEST_F(serve_test, stops_at_once_at_the_second_signal) {
    start_server({.tokens_per_second = 1});
    auto g = serve();
    auto c = g.client();
    c.send_request("POST", "/v1/chat/completions", chat(true).dump());
    ASSERT_TRUE(c.read_until("data: "));
    g.process.send_signal(SIGTERM);
    const auto status = g.stop(SIGINT).status;
    EXPECT_THAT(status, AnyOf(130, 143)) << "either may come first";
}

}  // namespace
