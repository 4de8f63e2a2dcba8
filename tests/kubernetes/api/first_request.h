// Call it before the first HTTP server of a test. Debian's cpp-httplib is not instrumented, so the thread sanitizer
// does not see that its static variables are guarded and takes the first two requests of a process, if they come at
// once, for a race. This one comes alone; its threads have ended.
#pragma once

#include <httplib.h>

#include <mutex>
#include <thread>

namespace lips {

inline void answer_first_request() {
  static std::once_flag answered;
  std::call_once(answered, [] {
    httplib::Server server;
    const int port = server.bind_to_any_port("127.0.0.1");
    std::thread thread([&server] { server.listen_after_bind(); });
    httplib::Client("127.0.0.1", port).Get("/");
    server.stop();
    thread.join();
  });
}

}  // namespace lips
