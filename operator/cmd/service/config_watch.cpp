#include "cmd/service/config_watch.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "config/text_file.h"

namespace lips::cmd {

namespace {
constexpr std::chrono::seconds between_looks{1};
}

ConfigWatch::ConfigWatch(std::string file, std::string text, ConfigOverrides set, Changed changed)
    : thread_([file = std::move(file), text = std::move(text), set = std::move(set),
               changed = std::move(changed)](std::stop_token stop) mutable {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        while (!never.wait_for(lock, stop, between_looks, [&] { return stop.stop_requested(); })) {
          const Result<std::string> now = read_text_file(file);
          if (!now || *now == text) continue;  // missing for a moment while it is replaced
          text = *now;
          changed(parse_operator_config(file, text, set));
        }
      }) {}

}  // namespace lips::cmd
