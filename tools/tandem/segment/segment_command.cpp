#include "segment/segment_command.hpp"

#include "os/exit_status.hpp"
#include "os/input_file.hpp"
#include "os/interruptible_line_reader.hpp"
#include "os/signal_pipe.hpp"
#include "segment/segment_protocol.hpp"
#include "segment/segment_text.hpp"
#include "terminal/terminal.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <functional>

namespace tandem::command {
namespace {

constexpr std::size_t max_line_bytes = 64u << 20;

std::string too_long() {
    return fmt::format("larger than the limit of {} bytes", max_line_bytes);
}

// A run over the lines of one descriptor.
class segment_run {
 public:
    segment_run(const segment_options& options, int fd, terminal& t)
        : options_(options), terminal_(t), input_(fd, stop_.fd(), max_line_bytes) {}

    int run() { return status_of(options_.text ? read_text() : read_requests()); }

 private:
    using outcome = interruptible_line_reader::outcome;

    // Prints what `take` returns for each line, or what `skip` returns for a line that is too long.
    outcome read_lines(const std::function<std::string(std::string)>& take,
                       const std::function<std::string()>& skip) {
        std::string line;
        while (signal_pipe::received_signal() == 0 && terminal_.failure().empty()) {
            const auto read = input_.read_next(line);
            if (read == outcome::line)
                terminal_.print(take(std::move(line)));
            else if (read == outcome::too_long)
                terminal_.print(skip());
            else
                return read;
        }
        return outcome::stopped;
    }

    outcome read_requests() {
        segment_protocol protocol(options_.sentences);
        const auto end =
            read_lines([&](std::string line) { return protocol.answer(std::move(line)); },
                       [&] { return protocol.refuse(too_long()); });
        if (protocol.bad_lines() > 0)
            print_fault(
                fmt::format("{} of the lines could not be used; see \"error\" in the answers, or "
                            "use --text for plain text",
                            protocol.bad_lines()));
        return end;
    }

    outcome read_text() {
        sentence_splitter splitter(options_.sentences);
        const auto end = read_lines(
            [&](const std::string& line) { return sentence_lines(splitter.feed(line + '\n')); },
            [&] {
                print_fault("a line is skipped: it is " + too_long());
                return std::string();
            });
        terminal_.print(sentence_lines(splitter.finish()));
        return end;
    }

    void print_fault(const std::string& fault) {
        failed_ = true;
        terminal_.print_error("tandem segment: " + fault);
    }

    int status_of(outcome end) {
        if (signal_pipe::has_hung_up()) return by_signal + signal_pipe::received_signal();
        print_output_failure(terminal_, "tandem segment");
        if (const auto lost = lost_output_exit_status(terminal_)) return *lost;
        if (end == outcome::failed) {
            print_fault(input_name(options_.file) + ": " + std::strerror(input_.last_errno()));
            return wrong_use;
        }
        if (signal_pipe::received_signal() != 0) return by_signal + signal_pipe::received_signal();
        return failed_ ? not_all_good : all_good;
    }

    const segment_options& options_;
    terminal& terminal_;
    signal_pipe stop_;
    interruptible_line_reader input_;
    bool failed_ = false;
};

}  // namespace

int run_segment(const segment_options& options) {
    terminal t;
    const input_descriptor file(options.file);
    if (file.get() >= 0) return segment_run(options, file.get(), t).run();
    t.print_error(fmt::format("tandem segment: {}: {}", options.file, std::strerror(errno)));
    return wrong_use;
}

}  // namespace tandem::command
