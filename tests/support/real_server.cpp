#include "support/real_server.hpp"

#include "support/http_probe.hpp"
#include "support/poll_until.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <signal.h>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace tandem::testing {
namespace {

constexpr const char* model = TANDEM_SOURCE_DIR "/tests/model/talk.gguf";
constexpr const char* finder = TANDEM_SOURCE_DIR "/tools/llama-server.sh";
constexpr int cannot_be_had = 3;

std::string text_of(const std::string& file, std::size_t from = 0) {
    std::ifstream in(file);
    in.seekg(static_cast<std::streamoff>(from));
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

struct finding {
    std::string why_not{};
    std::string directory{};
    std::vector<std::string> command{};
};

// Runs tools/llama-server.sh and parses its output.
finding find_server() {
    FILE* pipe = popen((std::string(finder) + " command 2>&1").c_str(), "r");
    if (!pipe) return {.why_not = "tools/llama-server.sh cannot be run"};
    std::string said;
    std::array<char, 4096> buffer;
    while (std::fgets(buffer.data(), buffer.size(), pipe)) said += buffer.data();
    const int status = pclose(pipe);
    if (WIFEXITED(status) && WEXITSTATUS(status) == cannot_be_had) return {.why_not = said};
    if (status != 0) throw std::runtime_error("tools/llama-server.sh: " + said);
    finding f;
    std::istringstream lines(said);
    // While the script fetches the server, it prints progress lines before the answer.
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("llama-server.sh:")) continue;
        if (f.directory.empty())
            f.directory = line;
        else
            f.command.push_back(line);
    }
    return f;
}

const finding& server_program() {
    static const finding found = find_server();
    return found;
}

std::string new_temporary_file() {
    std::string name = ::testing::TempDir() + "llama-server-log-XXXXXX";
    const int fd = mkstemp(name.data());
    if (fd < 0) throw std::runtime_error("no temporary file: " + name);
    close(fd);
    return name;
}

// Runs in the child process. Makes only system calls, because the parent may have threads.
[[noreturn]] void become(char* const* arguments, const char* directory, const char* log_file,
                         pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    const int log = open(log_file, O_WRONLY | O_APPEND);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0u, 0);
    if (chdir(directory) == 0) execv(arguments[0], arguments);
    _exit(127);
}

}  // namespace

std::string real_server::why_unavailable() {
    return server_program().why_not;
}

bool real_server::is_required() {
    const char* wanted = std::getenv("TANDEM_REQUIRE_REAL_SERVER");
    return wanted && std::strcmp(wanted, "1") == 0;
}

real_server::real_server(std::vector<std::string> more)
    : more_(std::move(more)), log_file_(new_temporary_file()) {
    spawn();
    wait_until_healthy();
}

real_server::~real_server() {
    stop();
    unlink(log_file_.c_str());
}

void real_server::spawn() {
    auto words = server_program().command;
    for (const char* word : {"-m", model, "--parallel", "2", "-c", "4096", "-t", "1", "--host",
                             "127.0.0.1", "--log-timestamps", "--log-prefix", "--port"})
        words.emplace_back(word);
    words.push_back(std::to_string(port_));
    words.insert(words.end(), more_.begin(), more_.end());
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    log_start_ = std::filesystem::file_size(log_file_);
    const auto parent = getpid();
    process_ = fork();
    if (process_ == 0)
        become(arguments.data(), server_program().directory.c_str(), log_file_.c_str(), parent);
}

void real_server::wait_until_healthy() {
    // The server chooses a free port and logs the port number.
    const std::string mark = "listening on http://127.0.0.1:";
    bool listens = false;
    const auto look = [&] {
        const auto said = log();
        const auto at = said.find(mark);
        listens = at != said.npos;
        if (listens) port_ = static_cast<std::uint16_t>(std::atoi(said.c_str() + at + mark.size()));
        return listens || has_ended();
    };
    if (!poll_until(look) || !listens)
        throw std::runtime_error("llama-server does not start:\n" + log());
    http_probe probe(url());
    if (!poll_until([&] { return probe.get("/health")->status() == 200; }))
        throw std::runtime_error("llama-server does not become healthy:\n" + log());
}

bool real_server::has_ended() {
    if (process_ <= 0) return true;
    if (waitpid(process_, nullptr, WNOHANG) == 0) return false;
    process_ = -1;
    return true;
}

void real_server::stop() {
    if (process_ <= 0) return;
    kill(process_, SIGTERM);
    thaw();
    if (!poll_until([this] { return has_ended(); }, std::chrono::seconds(5))) kill_hard();
}

void real_server::kill_hard() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(std::exchange(process_, -1), nullptr, 0);
}

void real_server::start_again() {
    spawn();
    wait_until_healthy();
}

void real_server::freeze() {
    if (process_ > 0) kill(process_, SIGSTOP);
}

void real_server::thaw() {
    if (process_ > 0) kill(process_, SIGCONT);
}

std::string real_server::log() const {
    return text_of(log_file_, log_start_);
}

std::vector<logged_slot_use> real_server::finished_uses() const {
    std::vector<logged_slot_use> uses;
    poll_until([&] {
        uses = parse_slot_uses(log());
        return std::all_of(uses.begin(), uses.end(), [](const auto& u) { return u.end; });
    });
    return uses;
}

std::vector<logged_slot_use> parse_slot_uses(const std::string& log) {
    std::vector<logged_slot_use> uses;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        long minutes = 0, seconds = 0, ms = 0, us = 0;
        int slot = 0, task = 0, told = 0;
        // "0.00.141.915 I slot launch_slot_: id  0 | task 4 | processing task, …"
        const int read =
            std::sscanf(line.c_str(), "%ld.%ld.%ld.%ld %*c slot %*[^:]: id %d | task %d | %n",
                        &minutes, &seconds, &ms, &us, &slot, &task, &told);
        if (read < 6 || told == 0) continue;
        const std::chrono::microseconds at(((minutes * 60 + seconds) * 1000 + ms) * 1000 + us);
        const auto what = std::string_view(line).substr(static_cast<std::size_t>(told));
        if (what.starts_with("processing task")) {
            uses.push_back({slot, task, at, std::nullopt});
        } else if (what.starts_with("stop processing")) {
            const auto use = std::find_if(uses.rbegin(), uses.rend(), [&](const auto& u) {
                return u.task == task && u.slot == slot;
            });
            if (use != uses.rend()) use->end = at;
        }
    }
    return uses;
}

}  // namespace tandem::testing
