// The source tree keeps the order that docs/architecture.md tells.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

const fs::path root = TANDEM_SOURCE_DIR;

// A room may include itself and those before it.
constexpr std::array<const char*, 12> rooms{"base",      "text",         "wire",    "slots",
                                            "transport", "recording",    "config",  "server",
                                            "reply",     "conversation", "service", "gateway"};

std::size_t rank(const std::string& room) {
    return static_cast<std::size_t>(std::find(rooms.begin(), rooms.end(), room) - rooms.begin());
}

std::vector<fs::path> sources(const fs::path& below) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(root / below))
        if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
            files.push_back(entry.path());
    return files;
}

// What a file includes, as it is written.
std::vector<std::string> includes(const fs::path& file) {
    static const std::regex include("#include [<\"]([^>\"]+)[>\"].*");
    std::ifstream in(file);
    std::vector<std::string> found;
    for (std::string line; std::getline(in, line);)
        if (std::smatch match; std::regex_match(line, match, include)) found.push_back(match[1]);
    return found;
}

// Files below `folder` that include what `forbidden` says, as "file: include".
std::vector<std::string> offenders(
    const fs::path& folder,
    const std::function<bool(const fs::path&, const std::string&)>& forbidden) {
    std::vector<std::string> list;
    for (const auto& file : sources(folder))
        for (const auto& include : includes(file))
            if (forbidden(file, include))
                list.push_back(fs::relative(file, root).string() + ": " + include);
    return list;
}

std::string room_of(const fs::path& file) {
    return fs::relative(file, root / "src").begin()->string();
}

TEST(rooms, are_all_known) {
    for (const auto& entry : fs::directory_iterator(root / "src"))
        EXPECT_TRUE(!entry.is_directory() || rank(entry.path().filename().string()) < rooms.size())
            << entry.path();
}

TEST(rooms, include_only_rooms_before_them) {
    EXPECT_THAT(offenders("src",
                          [](const fs::path& file, const std::string& include) {
                              const auto other = rank(include.substr(0, include.find('/')));
                              return other < rooms.size() && other > rank(room_of(file));
                          }),
                IsEmpty());
}

TEST(curl, is_included_by_the_transport_only) {
    const auto is_curl = [](const fs::path& file, const std::string& include) {
        return include.starts_with("curl/") &&
               file.string().find("/src/transport/") == std::string::npos;
    };
    for (const char* folder : {"include", "src", "tools", "mock_server"})
        EXPECT_THAT(offenders(folder, is_curl), IsEmpty());
}

TEST(json, is_included_by_the_rooms_that_read_it_only) {
    const auto is_json = [](const fs::path& file, const std::string& include) {
        return include.starts_with("nlohmann/") &&
               file.string().find("/src/wire/") == std::string::npos &&
               file.string().find("/src/gateway/") == std::string::npos;
    };
    for (const char* folder : {"include", "src"})
        EXPECT_THAT(offenders(folder, is_json), IsEmpty());
}

// Code that decides: it is told what happened and when. Names without an end stand for the header
// and the source.
constexpr std::array pure_parts{"src/base/",
                                "src/text/",
                                "src/wire/",
                                "src/slots/",
                                "src/config/",
                                "src/reply/chunk_queue.",
                                "src/reply/continuation.",
                                "src/reply/known_server.",
                                "src/reply/circuit_breaker.",
                                "src/reply/going_on.",
                                "src/reply/reply_machine_going_on.",
                                "src/reply/refusal.",
                                "src/reply/reason_to_leave.",
                                "src/reply/reply_actions.",
                                "src/reply/reply_machine.",
                                "src/reply/reply_tally.",
                                "src/reply/known_text.",
                                "src/reply/reply_origin.",
                                "src/reply/reply_wish.",
                                "src/conversation/chatml.",
                                "src/conversation/context_care.",
                                "src/conversation/heard_position.",
                                "src/conversation/ledger.",
                                "src/conversation/saved_conversation.",
                                "src/conversation/speech_alignment.",
                                "src/conversation/turn_history.",
                                "src/service/server_choice.",
                                "src/service/server_health.",
                                "src/service/server_list.",
                                "src/service/service_config.",
                                "src/gateway/adapter_answer.",
                                "src/gateway/adapter_jobs.",
                                "src/gateway/adapter_request.",
                                "src/gateway/adapter_set.",
                                "src/gateway/answer_schema.",
                                "src/gateway/api_error.",
                                "src/gateway/api_key_file.",
                                "src/gateway/api_keys.",
                                "src/gateway/audit_line.",
                                "src/gateway/bounded_cache.",
                                "src/gateway/call_markup.",
                                "src/gateway/call_text.",
                                "src/gateway/chat_answer.",
                                "src/gateway/chat_request.",
                                "src/gateway/completion_request.",
                                "src/gateway/credential.",
                                "src/gateway/failure_limit.",
                                "src/gateway/field_reader.",
                                "src/gateway/gatekeeper.",
                                "src/gateway/gateway_metrics.",
                                "src/gateway/gateway_options.",
                                "src/gateway/generation_request.",
                                "src/gateway/ids.",
                                "src/gateway/json_path.",
                                "src/gateway/json_scanner.",
                                "src/gateway/json_text.",
                                "src/gateway/message_reader.",
                                "src/gateway/model_choice.",
                                "src/gateway/model_list.",
                                "src/gateway/network_address.",
                                "src/gateway/page_file.",
                                "src/gateway/policy_options.",
                                "src/gateway/policy_verdict.",
                                "src/gateway/prompt_policy.",
                                "src/gateway/prompt_texts.",
                                "src/gateway/question_key.",
                                "src/gateway/rate_limit.",
                                "src/gateway/raw_json.",
                                "src/gateway/refused_fields.",
                                "src/gateway/request_body.",
                                "src/gateway/request_constraints.",
                                "src/gateway/request_options.",
                                "src/gateway/rights.",
                                "src/gateway/routes.",
                                "src/gateway/shared_answers.",
                                "src/gateway/stream_silence.",
                                "src/gateway/tls_credentials.",
                                "src/gateway/tool_call_reader.",
                                "src/gateway/voice_actions.",
                                "src/gateway/voice_answer.",
                                "src/gateway/voice_directory.",
                                "src/gateway/voice_fields.",
                                "src/gateway/voice_limits.",
                                "src/gateway/voice_line.",
                                "src/gateway/voice_message.",
                                "src/gateway/voice_sessions.",
                                "src/gateway/voice_timing.",
                                "src/gateway/voice_turns."};

std::vector<fs::path> pure_files() {
    std::vector<fs::path> files;
    for (const auto& file : sources("src"))
        for (const std::string part : pure_parts)
            if (fs::relative(file, root).string().starts_with(part)) files.push_back(file);
    return files;
}

// What a file includes, and what its headers of ours include.
void add_all_includes(const fs::path& file, std::set<std::string>& found) {
    for (const auto& include : includes(file)) {
        if (!found.insert(include).second) continue;
        for (const char* below : {"src", "include"})
            if (const auto header = root / below / include; fs::exists(header))
                add_all_includes(header, found);
    }
}

std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(pure_parts, are_all_there) {
    const auto files = pure_files();
    for (const std::string part : pure_parts) {
        EXPECT_TRUE(std::any_of(files.begin(), files.end(), [&](const fs::path& file) {
            return fs::relative(file, root).string().starts_with(part);
        })) << part;
    }
}

TEST(pure_parts, know_no_sockets_and_no_threads_not_even_by_what_they_include) {
    for (const auto& file : pure_files()) {
        std::set<std::string> all;
        add_all_includes(file, all);
        for (const auto& include : all)
            EXPECT_FALSE(include.starts_with("boost/asio") || include.starts_with("curl/") ||
                         include.starts_with("sys/") || include == "thread" || include == "mutex" ||
                         include == "future" || include == "condition_variable" ||
                         include == "atomic")
                << file << ": " << include;
    }
}

TEST(pure_parts, read_no_clock) {
    for (const auto& file : pure_files()) {
        EXPECT_EQ(text_of(file).find("_clock::now"), std::string::npos) << file;
        EXPECT_THAT(includes(file), testing::Not(testing::Contains("reply/clock.hpp"))) << file;
    }
}

// A lock that lives to the end of a statement would be held while the coroutine waits, and its loop
// goes on to whoever wants the same lock.
TEST(coroutines, hold_no_lock_while_they_wait) {
    for (const char* folder : {"src", "tools"})
        for (const auto& file : sources(folder)) {
            std::istringstream text(text_of(file));
            for (std::string statement; std::getline(text, statement, ';');) {
                auto part = statement;
                for (const char* end : {"{\n", "}\n"})
                    if (const auto at = part.rfind(end); at != part.npos) part.erase(0, at);
                const bool waits = part.find("co_await") != std::string::npos;
                EXPECT_FALSE(waits && part.find(".lock()->") != std::string::npos)
                    << file << ": " << part;
            }
        }
}

TEST(files, have_at_most_500_lines) {
    for (const char* folder : {"include", "src", "tools", "mock_server", "tests"})
        for (const auto& file : sources(folder)) {
            std::ifstream in(file);
            const auto lines = std::count(std::istreambuf_iterator<char>(in), {}, '\n');
            EXPECT_LE(lines, 500) << file;
        }
}

TEST(top_level, has_the_agreed_entries_only) {
    for (const auto& entry : fs::directory_iterator(root)) {
        const auto name = entry.path().filename().string();
        if (name.starts_with(".") || name.starts_with("build")) continue;
        EXPECT_THAT(name, testing::AnyOf("CMakeLists.txt", "CMakePresets.json", "include", "src",
                                         "mock_server", "tests", "tools", "docs", "README.md"));
    }
}

}  // namespace
