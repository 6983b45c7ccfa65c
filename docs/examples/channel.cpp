// A paced reply for code with threads: one runs the library, another speaks, a third may cancel.
//   example_channel http://127.0.0.1:8080 "Tell me a story."
#include <tandem/tandem.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

// Stands for your synthesizer: returns when the words have been spoken.
void speak(const std::string& text) {
    std::cout << "[" << text << "]" << std::endl;
}

// A thread that runs the library until the destructor is called.
class library_thread {
 public:
    ~library_thread() {
        busy_.reset();
        thread_.join();
    }
    auto get_executor() { return ioc_.get_executor(); }

 private:
    boost::asio::io_context ioc_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_{
        ioc_.get_executor()};
    std::thread thread_{[this] { ioc_.run(); }};
};

int main(int argc, char** argv) try {
    library_thread library;
    tandem::client llm(library.get_executor(),
                       {.server = {.url = argc > 1 ? argv[1] : "http://127.0.0.1:8080"}});
    const std::string question = argc > 2 ? argv[2] : "Hello";
    const auto prompt =
        llm.async_apply_template({{"user", question}}, boost::asio::use_future).get();

    const auto channel = tandem::chunk_channel::create();
    if (const auto refused = channel->attach(llm.start(prompt)))
        throw boost::system::system_error(refused);
    // When the user talks over the bot, any thread may call channel->cancel().
    channel->consume([](const tandem::stream_chunk& item) {
        if (!item.finished) speak(item.speech);
    });
    const auto end = channel->reason();
    if (end->error) throw std::runtime_error(end->diagnostics.to_string());
    std::cout << to_string(end->finish_reason) << "\n";
} catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
}
