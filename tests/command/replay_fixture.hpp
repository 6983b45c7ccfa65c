#pragma once

#include "support/child_process.hpp"
#include "tandem_mock/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tandem::testing {

using nlohmann::json;

/// The exit status and output of a run of the command.
struct finished_run {
    int status = 0;
    std::string out{};
    std::string err{};

    /// All events of this kind.
    std::vector<json> events(const std::string& kind) const {
        std::vector<json> found;
        std::istringstream lines(out);
        for (std::string line; std::getline(lines, line);)
            if (auto event = json::parse(line); event.at("event") == kind)
                found.push_back(std::move(event));
        return found;
    }
    /// The only event of this kind. If there is no such event or several, the test fails, and the
    /// result is null.
    json event(const std::string& kind) const {
        const auto found = events(kind);
        EXPECT_EQ(found.size(), 1u) << kind << " in:\n" << out << err;
        return found.size() == 1 ? found.front() : json();
    }
};

/// Runs `tandem replay` against a mock server in this process.
class replay_test : public ::testing::Test {
 protected:
    mock::server& start_server(mock::options o = {}) {
        if (o.replies.empty() && o.dialogues.empty())
            o.replies = {{"story", story}, {"count", "One. Two. Three."}};
        return server_.emplace(std::move(o));
    }

    /// The arguments that select the server, followed by `more`.
    std::vector<std::string> args(std::vector<std::string> more) const {
        std::vector<std::string> all{"replay", "--reuse-guard", "0", "--first-chunk-min-tokens",
                                     "0"};
        if (server_) all.insert(all.end(), {"--url", server_->url()});
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    child_process start(std::vector<std::string> more, std::string input = {}) const {
        return child_process(program, {.args = args(std::move(more)), .input = std::move(input)});
    }
    finished_run run(std::vector<std::string> more, std::string input = {}) const {
        auto child = start(std::move(more), std::move(input));
        auto end = child.wait();
        return {end.status, std::move(end.out), std::move(end.err)};
    }

    static constexpr const char* program = TANDEM_COMMAND;
    static constexpr const char* story =
        "A fox went out at night. It was cold. It saw the moon. It sang.";

    std::optional<mock::server> server_;
};

}  // namespace tandem::testing
