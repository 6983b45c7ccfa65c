#include "sound/subprocess.hpp"

#include "text/characters/white_space.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace tandem::command {
namespace {

constexpr std::size_t max_stderr_bytes = 2000;
// How long to read from the pipes after the program has exited.
constexpr auto last_words_within = std::chrono::milliseconds(200);

// RAII wrapper of the spawn attributes and file actions.
struct spawn_setup {
    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};

    spawn_setup() {
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
        ::posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        sigset_t signals;
        sigemptyset(&signals);
        ::posix_spawnattr_setsigmask(&attributes, &signals);
        for (const int ignored_here : {SIGPIPE, SIGXFSZ}) sigaddset(&signals, ignored_here);
        ::posix_spawnattr_setsigdefault(&attributes, &signals);
    }
    ~spawn_setup() {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
    spawn_setup(const spawn_setup&) = delete;
    spawn_setup& operator=(const spawn_setup&) = delete;
};

std::string format_size(std::size_t bytes) {
    const bool is_large = bytes >> 20 > 0;
    return fmt::format("{} {}", bytes >> (is_large ? 20 : 10), is_large ? "MiB" : "KiB");
}

// Returns the last non-empty line, which usually contains the cause of a failure.
std::string_view last_line(std::string_view all) {
    const auto words = text::trim_white_space(all);
    return text::trim_white_space(words.substr(words.rfind('\n') + 1));
}

}  // namespace

subprocess::subprocess(boost::asio::any_io_executor executor, std::vector<std::string> args,
                       std::string input)
    : args_(std::move(args)),
      input_(std::move(input)),
      in_(executor),
      out_(executor),
      err_(executor),
      child_signals_(executor, SIGCHLD),
      limit_timer_(executor),
      ended_timer_(executor, boost::asio::steady_timer::time_point::max()) {}

subprocess::~subprocess() {
    if (pid_ < 0 || exited_) return;
    kill_group();
    ::waitpid(pid_, nullptr, 0);
}

void subprocess::start(process_limits limits) {
    limits_ = limits;
    if (const int fault = open_and_spawn()) {
        own_fault_ = fmt::format("{} cannot be started: {}", args_.front(), std::strerror(fault));
        return end();
    }
    watch();
    limit_timer_.expires_after(limits.time);
    limit_timer_.async_wait([self = shared_from_this()](const error_code& ec) {
        if (ec || self->exited_) return;
        self->own_fault_ =
            fmt::format("it took longer than {:g} s", to_ms(self->limits_.time) / 1e3);
        self->kill_group();
    });
}

awaitable<process_result> subprocess::wait() {
    if (!ended_) co_await wait_for_timer(ended_timer_);  // end() cancels the timer
    co_return process_result{std::move(out_text_), fault(), ended_at_};
}

int subprocess::open_and_spawn() {
    std::array<pipe_ends, 3> pipes;
    int fault = 0;
    for (auto& p : pipes) {
        std::array<int, 2> ends{-1, -1};
        if (!fault && ::pipe2(ends.data(), O_CLOEXEC) != 0) fault = errno;
        p = {ends[0], ends[1]};
    }
    const auto& [in, out, err] = pipes;
    if (!fault) fault = spawn(in, out, err);
    for (const int end : {in.read, out.write, err.write}) ::close(end);
    if (!fault) {
        in_.assign(in.write);
        out_.assign(out.read);
        err_.assign(err.read);
    } else {
        for (const int end : {in.write, out.read, err.read}) ::close(end);
        pid_ = -1;
    }
    return fault;
}

void subprocess::watch() {
    write_input();
    read_out();
    read_err();
    wait_for_exit();
}

int subprocess::spawn(const pipe_ends& in, const pipe_ends& out, const pipe_ends& err) {
    spawn_setup setup;
    ::posix_spawn_file_actions_adddup2(&setup.actions, in.read, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&setup.actions, out.write, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&setup.actions, err.write, STDERR_FILENO);
    std::vector<char*> arguments;
    for (auto& a : args_) arguments.push_back(a.data());
    arguments.push_back(nullptr);
    return ::posix_spawnp(&pid_, arguments.front(), &setup.actions, &setup.attributes,
                          arguments.data(), environ);
}

// A program may exit without reading all its input; the write error is ignored.
void subprocess::write_input() {
    boost::asio::async_write(in_, boost::asio::buffer(input_),
                             [self = shared_from_this()](const error_code&, std::size_t) {
                                 error_code ignored;
                                 self->in_.close(ignored);
                             });
}

void subprocess::read_out() {
    out_.async_read_some(boost::asio::buffer(out_part_), [self = shared_from_this()](
                                                             const error_code& ec, std::size_t n) {
        self->out_text_.append(self->out_part_.data(), n);
        if (self->out_text_.size() > self->limits_.out_bytes) {
            self->own_fault_ = "it wrote more than " + format_size(self->limits_.out_bytes);
            self->out_text_.clear();
            if (self->exited_) return self->stop_reading();
            self->kill_group();
        }
        if (!ec) return self->read_out();
        error_code ignored;
        self->out_.close(ignored);
        self->end_if_done();
    });
}

void subprocess::read_err() {
    err_.async_read_some(boost::asio::buffer(err_part_),
                         [self = shared_from_this()](const error_code& ec, std::size_t n) {
                             auto& text = self->err_text_;
                             text.append(self->err_part_.data(), n);
                             if (text.size() > max_stderr_bytes)
                                 text.erase(0, text.size() - max_stderr_bytes);
                             if (!ec) return self->read_err();
                             error_code ignored;
                             self->err_.close(ignored);
                             self->end_if_done();
                         });
}

void subprocess::wait_for_exit() {
    child_signals_.async_wait([self = shared_from_this()](const error_code& ec, int) {
        if (ec) return;
        self->reap();
        if (!self->exited_) self->wait_for_exit();
    });
}

// Until waitpid(), the id of the process group cannot be reused, so kill_group() is safe.
void subprocess::reap() {
    siginfo_t info{};
    const auto id = static_cast<id_t>(pid_);
    if (::waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid_) return;
    kill_group();  // ends its children, which would keep the pipes open
    ::waitpid(pid_, &status_, 0);
    exited_ = true;
    end_if_done();
    if (!ended_) stop_reading_soon();
}

// Closes the pipes soon, because a process that left the group, such as a daemon, could keep them
// open forever.
void subprocess::stop_reading_soon() {
    limit_timer_.expires_after(last_words_within);
    limit_timer_.async_wait([self = shared_from_this()](const error_code& ec) {
        if (!ec) self->stop_reading();
    });
}

void subprocess::stop_reading() {
    error_code ignored;
    out_.close(ignored);
    err_.close(ignored);
    end_if_done();
}

void subprocess::end_if_done() {
    if (exited_ && !ended_ && !out_.is_open() && !err_.is_open()) end();
}

void subprocess::end() {
    ended_ = true;
    ended_at_ = std::chrono::steady_clock::now();
    error_code ignored;
    in_.close(ignored);
    child_signals_.cancel(ignored);
    limit_timer_.cancel();
    ended_timer_.cancel();
}

void subprocess::kill_group() const {
    ::kill(-pid_, SIGKILL);
}

void subprocess::stop() {
    if (ended_) return;
    stopped_ = true;
    if (exited_) return stop_reading();
    if (pid_ > 0) kill_group();
}

std::string subprocess::fault() const {
    if (!own_fault_.empty()) return own_fault_;
    if (WIFEXITED(status_) && WEXITSTATUS(status_) == 0) return {};
    if (const auto words = last_line(err_text_); !words.empty()) return std::string(words);
    return WIFEXITED(status_) ? fmt::format("it ended with status {}", WEXITSTATUS(status_))
                              : fmt::format("it was ended by signal {}", WTERMSIG(status_));
}

bool is_on_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        const auto end = rest.find(':');
        const std::string file = fmt::format("{}/{}", rest.substr(0, end), program);
        if (::access(file.c_str(), X_OK) == 0) return true;
        if (end == rest.npos) return false;
        rest.remove_prefix(end + 1);
    }
}

}  // namespace tandem::command
