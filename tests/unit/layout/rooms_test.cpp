// The source tree keeps the order that docs/architecture.md tells.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

const fs::path root = TANDEM_SOURCE_DIR;

// A room may include itself and those before it.
constexpr std::array<const char*, 8> rooms{"base",      "text",   "wire",   "slots",
                                           "transport", "config", "server", "reply"};

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

TEST(json, is_included_by_the_wire_room_only) {
    const auto is_json = [](const fs::path& file, const std::string& include) {
        return include.starts_with("nlohmann/") &&
               file.string().find("/src/wire/") == std::string::npos;
    };
    for (const char* folder : {"include", "src"})
        EXPECT_THAT(offenders(folder, is_json), IsEmpty());
}

TEST(pure_rooms, know_no_sockets_and_no_threads) {
    for (const char* room : {"src/base", "src/text", "src/wire", "src/slots"})
        EXPECT_THAT(offenders(room,
                              [](const fs::path&, const std::string& include) {
                                  return include.starts_with("boost/asio") || include == "thread" ||
                                         include == "mutex";
                              }),
                    IsEmpty());
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
