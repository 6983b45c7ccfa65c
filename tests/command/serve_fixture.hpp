#pragma once

#include "gateway/http_client.hpp"
#include "support/child_process.hpp"
#include "tandem_mock/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tandem::testing {

using nlohmann::json;

/// A process of `tandem serve`. The constructor waits for the first line, which reports the port.
class running_gateway {
 public:
    running_gateway(const std::string& program, std::vector<std::string> args)
        : process(program, {.args = std::move(args)}),
          line(process.read_line()),
          port(port_in(line)) {}

    http_client client() const { return http_client(port); }
    child_process::ended stop(int signal) {
        process.send_signal(signal);
        return process.wait();
    }

    child_process process;
    /// The first line of stdout.
    std::string line;
    std::uint16_t port;

 private:
    // Reads the port from a line such as "listening on http://127.0.0.1:8090, …"; 0 if it has no
    // address.
    static std::uint16_t port_in(const std::string& line) {
        constexpr std::string_view address = "127.0.0.1:";
        const auto at = line.find(address);
        if (at == line.npos) return 0;
        return static_cast<std::uint16_t>(std::stoi(line.substr(at + address.size())));
    }
};

/// Runs the command in front of a mock server in this process. Each test has its own files.
class serve_test : public ::testing::Test {
 protected:
    ~serve_test() override { std::filesystem::remove_all(folder_); }

    mock::server& start_server(mock::options o = {}) {
        o.add_bos = false;
        if (o.replies.empty()) o.replies = {{mock::render_prompt({{"user", "Hello!"}}), story}};
        return server_.emplace(std::move(o));
    }

    /// The arguments that select the server, followed by `more`.
    std::vector<std::string> args(std::vector<std::string> more) const {
        std::vector<std::string> all{"serve",
                                     "--proxy",
                                     "none",
                                     "--listen",
                                     "127.0.0.1:0",
                                     "--reuse-guard",
                                     "0",
                                     "--first-chunk-min-tokens",
                                     "0"};
        if (server_) all.insert(all.end(), {"--url", server_->url()});
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    running_gateway serve(std::vector<std::string> more = {"--model", "talk"}) const {
        return running_gateway(program, args(std::move(more)));
    }
    /// Runs a command that ends by itself, and waits for its end.
    static child_process::ended run(std::vector<std::string> all) {
        return child_process(program, {.args = std::move(all)}).wait();
    }

    /// A path in the test's own folder.
    std::string temporary_path(const std::string& name) const {
        std::filesystem::create_directory(folder_);
        return folder_ + '/' + name;
    }
    static void write(const std::string& path, const std::string& text) {
        std::ofstream(path) << text;
    }
    static std::vector<std::string> lines_of(const std::string& text) {
        std::vector<std::string> lines;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        return lines;
    }
    static std::vector<std::string> lines_of_file(const std::string& path) {
        std::ifstream in(path);
        return lines_of({std::istreambuf_iterator<char>(in), {}});
    }

    /// The output of `tandem key`: the key, and its entry for the key file.
    struct made_key {
        std::string key;
        std::string entry;
    };
    static made_key make_key(const std::string& name) {
        const auto lines = lines_of(run({"key", "--name", name}).out);
        return lines.size() == 2 ? made_key{lines[0], lines[1]} : made_key{};
    }
    static std::string file_of(const made_key& k) { return "{\"keys\": [" + k.entry + "]}"; }
    static int status_with(const running_gateway& g, const std::string& key) {
        auto c = g.client();
        c.headers["Authorization"] = "Bearer " + key;
        return c.get("/v1/models").status;
    }

    static json chat(bool is_stream = false) {
        return {{"model", "talk"},
                {"messages", {{{"role", "user"}, {"content", "Hello!"}}}},
                {"stream", is_stream}};
    }

    static constexpr const char* program = TANDEM_COMMAND;
    static constexpr const char* story = "Hello. How are you? I am very well today, thank you.";

    std::optional<mock::server> server_;

 private:
    const std::string folder_ = ::testing::TempDir() +
                                ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                                '.' + std::to_string(::getpid());
};

}  // namespace tandem::testing
