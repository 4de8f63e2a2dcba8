#include "cmd/service/file_watch.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "config/text_file.h"

namespace lips::cmd {

namespace {
constexpr std::chrono::seconds between_looks{1};
}

FileWatch::FileWatch(File file, std::string text, Changed changed)
    : thread_(
          [file = std::move(file), text = std::move(text), changed = std::move(changed)](std::stop_token stop) mutable {
            std::mutex mutex;
            std::condition_variable_any never;
            std::unique_lock lock(mutex);
            std::string why_not;
            do {
              const std::string path = file();
              const Result<std::string> now = path.empty() ? Result<std::string>("") : read_text_file(path);
              const std::string error = now ? "" : now.error().message;
              const bool fresh = now ? *now != text : error != why_not;
              why_not = error;
              if (!fresh) continue;
              if (now) text = *now;
              changed(path, now);
            } while (!never.wait_for(lock, stop, between_looks, [&] { return stop.stop_requested(); }));
          }) {}

}  // namespace lips::cmd
