#include "program_flags.hpp"
#include "tandem_mock/server.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <exception>

namespace {

// Blocks the signals in all threads, so that only sigwait() receives them.
sigset_t block_end_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    return signals;
}

void serve(const tandem::mock::options& o) {
    const sigset_t signals = block_end_signals();
    tandem::mock::server server(o);
    std::printf("listening on %s\n", server.url().c_str());
    std::fflush(stdout);
    int signal = 0;
    sigwait(&signals, &signal);
}

}  // namespace

int main(int argc, char** argv) {
    using tandem::mock::program_flags;
    CLI::App app("", program_flags::name);
    const program_flags flags(app);
    try {
        app.parse(argc, argv);
        serve(flags.read());
    } catch (const CLI::ParseError& e) {
        // CLI11 has a different exit status for each kind of error, but this program has only one.
        return app.exit(e) == 0 ? 0 : 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", program_flags::name, e.what());
        return 2;
    }
    return 0;
}
