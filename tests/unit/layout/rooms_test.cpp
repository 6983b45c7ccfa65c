// The source tree has the structure that docs/architecture.md describes.

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

/// Folders of a tree in the order of dependence: each folder may include its own files and those of
/// earlier folders. A folder that is not listed belongs to its parent. Files outside all listed
/// folders come last.
struct tree {
    const char* below;
    std::vector<std::string> rooms;

    std::string room_of(const fs::path& in_tree) const {
        for (auto folder = in_tree.parent_path(); !folder.empty(); folder = folder.parent_path())
            if (std::find(rooms.begin(), rooms.end(), folder.string()) != rooms.end())
                return folder.string();
        return {};
    }
    std::size_t rank_of(const fs::path& in_tree) const {
        return static_cast<std::size_t>(std::find(rooms.begin(), rooms.end(), room_of(in_tree)) -
                                        rooms.begin());
    }
};

const tree trees[]{
    {"src",
     {"base",
      "text/characters",
      "text/sentences",
      "text/speech",
      "text/chunks",
      "wire/json",
      "wire/stream",
      "wire/calls",
      "slots",
      "loop",
      "transport",
      "recording",
      "config",
      "server",
      "reply/transcript",
      "reply/machine",
      "reply",
      "channel",
      "conversation/history",
      "conversation",
      "service",
      "cluster/store",
      "cluster",
      "gateway/json",
      "gateway/access",
      "gateway/adapters",
      "gateway/policy",
      "gateway/requests",
      "gateway/answers",
      "gateway/telemetry",
      "gateway/traces",
      "gateway/http",
      "gateway/records",
      "gateway/voice",
      "gateway/cluster",
      "gateway/sessions",
      "gateway/server"}},
    {"tools/tandem",
     {"text", "terminal", "os", "flags", "recording", "run", "report", "replay", "cluster_status",
      "probe", "doctor", "bench", "sound", "line_input", "chat", "segment", "discovery", "serve",
      "completion"}},
    {"mock_server/src", {"faults", "answers", "engine", "http"}},
};

std::vector<fs::path> sources(const fs::path& below) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(root / below))
        if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
            files.push_back(entry.path());
    return files;
}

// The names in a file's #include lines.
std::vector<std::string> includes(const fs::path& file) {
    static const std::regex include("#include [<\"]([^>\"]+)[>\"].*");
    std::ifstream in(file);
    std::vector<std::string> found;
    for (std::string line; std::getline(in, line);)
        if (std::smatch match; std::regex_match(line, match, include)) found.push_back(match[1]);
    return found;
}

// The include lines that `forbidden` matches in the files below `folder`, as "file: include".
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

// The project's header of this name; empty if there is none.
fs::path find_header(const std::string& include) {
    for (const char* below : {"src", "include", "tools/tandem"})
        if (const auto header = root / below / include; fs::exists(header)) return header;
    return {};
}

// Adds the includes of a file and, recursively, those of the project's own headers.
void add_all_includes(const fs::path& file, std::set<std::string>& found) {
    for (const auto& include : includes(file)) {
        if (!found.insert(include).second) continue;
        if (const auto header = find_header(include); !header.empty())
            add_all_includes(header, found);
    }
}

TEST(rooms, include_only_rooms_before_them) {
    for (const auto& [below, rooms] : trees) {
        const tree t{below, rooms};
        const auto top = root / t.below;
        EXPECT_THAT(offenders(t.below,
                              [&](const fs::path& file, const std::string& include) {
                                  return fs::exists(top / include) &&
                                         t.rank_of(include) > t.rank_of(fs::relative(file, top));
                              }),
                    IsEmpty());
    }
}

TEST(rooms, are_all_there) {
    for (const auto& t : trees) {
        for (const auto& room : t.rooms)
            EXPECT_TRUE(fs::is_directory(root / t.below / room)) << room;
        for (const auto& file : sources(t.below)) {
            const auto in_tree = fs::relative(file, root / t.below);
            EXPECT_TRUE(!in_tree.has_parent_path() || !t.room_of(in_tree).empty()) << file;
        }
    }
}

// A folder must be readable at a glance.
TEST(rooms, have_at_most_30_files) {
    for (const auto& t : trees)
        for (const auto& room : t.rooms)
            EXPECT_LE(std::count_if(fs::directory_iterator(root / t.below / room), {},
                                    [](const auto& entry) { return entry.is_regular_file(); }),
                      30)
                << room;
}

// Boost 1.74's awaitable.hpp uses <utility> without including it. Precompiled headers hide that.
TEST(awaitable, is_included_after_utility) {
    for (const char* below : {"src", "include", "tools/tandem"})
        for (const auto& file : sources(below)) {
            std::set<std::string> before;
            for (const auto& include : includes(file)) {
                EXPECT_TRUE(include != "boost/asio/awaitable.hpp" || before.contains("utility"))
                    << file;
                before.insert(include);
                if (const auto header = find_header(include); !header.empty())
                    add_all_includes(header, before);
            }
        }
}

TEST(curl, is_included_by_the_transport_only) {
    const auto is_curl = [](const fs::path& file, const std::string& include) {
        return include.starts_with("curl/") &&
               file.string().find("/src/transport/") == std::string::npos;
    };
    for (const char* folder : {"include", "src", "tools", "mock_server"})
        EXPECT_THAT(offenders(folder, is_curl), IsEmpty());
}

// Outside wire and gateway, only files named *_json.cpp may use the JSON library.
TEST(json, is_used_by_files_of_that_name_only) {
    for (const auto& file : sources("src")) {
        const auto in_tree = fs::relative(file, root / "src").string();
        if (in_tree.starts_with("wire/") || in_tree.starts_with("gateway/") ||
            in_tree.ends_with("_json.cpp"))
            continue;
        std::set<std::string> all;
        add_all_includes(file, all);
        EXPECT_FALSE(all.contains("nlohmann/json.hpp")) << in_tree;
    }
    EXPECT_THAT(offenders("include",
                          [](const fs::path&, const std::string& include) {
                              return include.starts_with("nlohmann/");
                          }),
                IsEmpty());
}

// Code whose decisions depend only on events and times. An entry that ends with a dot names a
// header and its source.
constexpr std::array pure_parts{"src/base/",
                                "src/text/",
                                "src/wire/",
                                "src/slots/",
                                "src/config/",
                                "src/channel/chunk_queue.",
                                "src/server/template_marks.",
                                "src/server/template_tags.",
                                "src/server/circuit_breaker.",
                                "src/server/retry_policy.",
                                "src/server/server_props_cache.",
                                "src/server/server_leave_reason.",
                                "src/reply/transcript/",
                                "src/reply/machine/",
                                "src/conversation/chatml.",
                                "src/conversation/history/",
                                "src/service/server_choice.",
                                "src/service/server_health.",
                                "src/service/server_list.",
                                "src/service/service_config.",
                                "src/cluster/cluster_options.",
                                "src/cluster/cluster_status.",
                                "src/cluster/lending_commands.",
                                "src/cluster/lending_message.",
                                "src/cluster/slot_activity.",
                                "src/cluster/slot_share",
                                "src/cluster/store/store_address.",
                                "src/cluster/store/store_answer.",
                                "src/gateway/json/",
                                "src/gateway/access/",
                                "src/gateway/adapters/adapter_answer.",
                                "src/gateway/adapters/adapter_jobs.",
                                "src/gateway/adapters/adapter_request.",
                                "src/gateway/adapters/adapter_set.",
                                "src/gateway/policy/",
                                "src/gateway/requests/",
                                "src/gateway/answers/",
                                "src/gateway/telemetry/audit_line.",
                                "src/gateway/telemetry/gateway_metrics.",
                                "src/gateway/telemetry/voice_timing.",
                                "src/gateway/traces/otlp_headers.",
                                "src/gateway/traces/otlp_json.",
                                "src/gateway/traces/span_context.",
                                "src/gateway/traces/traced_turn.",
                                "src/gateway/traces/turn_spans.",
                                "src/gateway/http/page_file.",
                                "src/gateway/http/tls_credentials.",
                                "src/gateway/voice/",
                                "src/gateway/sessions/gateway_options."};

std::vector<fs::path> pure_files() {
    std::vector<fs::path> files;
    for (const auto& file : sources("src"))
        for (const std::string part : pure_parts)
            if (fs::relative(file, root).string().starts_with(part)) files.push_back(file);
    return files;
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

// A lock that is taken in the same statement as a co_await is held while the coroutine waits. It
// would block other code that the loop runs meanwhile.
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

TEST(files, have_at_most_400_lines_and_those_of_tests_500) {
    for (const char* folder : {"include", "src", "tools", "mock_server", "tests"})
        for (const auto& file : sources(folder)) {
            std::ifstream in(file);
            const auto lines = std::count(std::istreambuf_iterator<char>(in), {}, '\n');
            EXPECT_LE(lines, folder == std::string_view("tests") ? 500 : 400) << file;
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
