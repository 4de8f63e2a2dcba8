#include "playground/http_front.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "kubernetes/api/time_text.h"
#include "virtual/printed_table.h"

namespace lips::playground {
namespace {

constexpr const char *json_format = "application/json", *page_format = "text/html; charset=utf-8";
constexpr std::size_t threads_at_once = 64;  // a watch holds one
constexpr std::chrono::milliseconds look_every{100};
// A blank line between two events shows whether somebody still reads.
constexpr std::chrono::seconds blank_line_every{2};
constexpr int forbidden = 403, unavailable = 503;
constexpr const char* clock_path = "/playground";

using kubernetes::Verb;
using virtual_cluster::ApiPath;
using virtual_cluster::ApiResponse;
using virtual_cluster::parse_api_path;
using virtual_cluster::printed_table;
using HandlerResponse = httplib::Server::HandlerResponse;

// The lines of a watch on their way from the loop's thread to a visitor's.
struct OpenWatch {
  std::mutex mutex;
  std::condition_variable arrived;
  std::string lines;
  bool ended = false;
  ApiServer::Watch watch;  // on the loop's thread
};

bool is_of_this_machine(const std::string& host) {
  return host == "localhost" || host.starts_with("127.") || host == "::1" || host == "[::1]";
}

bool wants_table(const httplib::Request& request) {
  return request.get_header_value("Accept").find("as=Table") != std::string::npos;
}

std::string collection_of(const std::string& target) {
  const std::optional<ApiPath> path = parse_api_path(target);
  return path ? path->collection() : "";
}

// A list or an object as a table; an answer that is neither stays.
std::string as_table(const std::string& collection, const std::string& body, TimePoint now) {
  Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || json.value("kind", "") == "Status") return body;
  std::vector<const Json*> objects;
  const bool is_list = json.contains("items");
  if (is_list)
    for (const Json& item : json["items"]) objects.push_back(&item);
  else
    objects.push_back(&json);
  Json table = printed_table(collection, objects, now);
  if (is_list) table["metadata"] = json.value("metadata", Json::object());
  return table.dump();
}

std::string event_as_table(const std::string& collection, const std::string& line, TimePoint now) {
  Json event = Json::parse(line, nullptr, false);
  if (!event.is_object() || event.value("type", "") == "BOOKMARK" || event.value("type", "") == "ERROR") return line;
  event["object"] = printed_table(collection, {&event["object"]}, now);
  return event.dump() + '\n';
}

// The pace after a visitor asked for these; an empty one stays.
Result<Pace> pace_of(Pace now, const std::string& speed, const std::string& stopped) {
  const Json wanted = speed.empty() ? Json(now.speed) : Json::parse(speed, nullptr, false);
  if (wanted.is_number() && wanted >= 0)
    now.speed = wanted;
  else
    return fail(ErrorCode::invalid_input, fmt::format("speed: expected a number from 0, found '{}'", speed));
  if (!stopped.empty() && stopped != "true" && stopped != "false")
    return fail(ErrorCode::invalid_input, fmt::format("stopped: expected true or false, found '{}'", stopped));
  if (!stopped.empty()) now.stopped = stopped == "true";
  return now;
}

class Front final : public HttpFront {
 public:
  Front(ApiServer& server, PacedLoop& loop, FrontQuestions questions)
      : server_(server), loop_(loop), questions_(std::move(questions)) {
    http_.new_task_queue = [] { return new httplib::ThreadPool(threads_at_once); };
    http_.set_keep_alive_max_count(1000);
    http_.set_socket_options([](socket_t socket) {  // not SO_REUSEPORT: a second one on the port is an error
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    http_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      if (!is_welcome(request))
        response.status = forbidden;
      else if (request.path == clock_path && request.method == "POST")
        set_clock(request, response);  // here, for it may have no body, which httplib would wait for
      else
        return HandlerResponse::Unhandled;
      return HandlerResponse::Handled;
    });
    http_.Get("/", [this](const httplib::Request& request, httplib::Response& response) {
      const Result<Json> state = clock_state();
      if (!state) return refuse(response);
      response.set_content(questions_.page(*state, request.get_header_value("Host")), page_format);
    });
    http_.Get(clock_path, [this](const httplib::Request&, httplib::Response& response) { tell_clock(response); });
    for (const char* probe : {"/healthz", "/livez", "/readyz"})
      http_.Get(probe,
                [](const httplib::Request&, httplib::Response& response) { response.set_content("ok", "text/plain"); });
    const auto api = [this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
    };
    http_.Get("/.*", api);
    http_.Post("/.*", api);
    http_.Put("/.*", api);
    http_.Patch("/.*", api);
    http_.Delete("/.*", api);
  }
  ~Front() override {
    closing_ = true;
    http_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  bool listen(const std::string& host, int port) {
    only_this_machine_ = is_of_this_machine(host);
    port_ = port == 0 ? http_.bind_to_any_port(host) : http_.bind_to_port(host, port) ? port : -1;
    if (port_ <= 0) return false;
    thread_ = std::thread([this] { http_.listen_after_bind(); });
    while (!http_.is_running()) std::this_thread::yield();
    return true;
  }
  int port() const override { return port_; }

 private:
  // Pages of other sites can neither read nor change what this machine alone may see.
  bool is_welcome(const httplib::Request& request) const {
    const std::string host = request.get_header_value("Host"), origin = request.get_header_value("Origin");
    if (only_this_machine_ && !is_of_this_machine(host.substr(0, host.rfind(':')))) return false;
    return origin.empty() || origin == "http://" + host;
  }

  // Runs it on the loop's thread. Error: the loop has ended.
  template <class Task>
  auto on_loop(Task task) -> Result<decltype(task())> {
    auto promise = std::make_shared<std::promise<decltype(task())>>();
    auto result = promise->get_future();
    loop_.post([promise, alive = std::weak_ptr(alive_), task = std::move(task)] {
      if (!alive.expired()) promise->set_value(task());
    });
    while (result.wait_for(look_every) != std::future_status::ready)
      if (closing_) return fail(ErrorCode::cancelled, "the cluster ends");
    return result.get();
  }
  static void refuse(httplib::Response& response) {
    response.status = unavailable;
    response.set_content("the cluster ends\n", "text/plain");
  }

  Result<Json> clock_state() {
    return on_loop([this] {
      const Pace pace = loop_.pace();
      Json state{{"time", kubernetes::time_text(loop_.now())}, {"speed", pace.speed}, {"stopped", pace.stopped}};
      state.update(questions_.facts());
      return state;
    });
  }
  void tell_clock(httplib::Response& response) {
    const Result<Json> state = clock_state();
    if (!state) return refuse(response);
    response.set_content(state->dump(2) + '\n', json_format);
  }
  void set_clock(const httplib::Request& request, httplib::Response& response) {
    const Result<Pace> pace =
        pace_of(loop_.pace(), request.get_param_value("speed"), request.get_param_value("stopped"));
    if (!pace) {
      response.status = 400;
      return response.set_content(pace.error().message + '\n', "text/plain");
    }
    loop_.keep(*pace);
    if (request.has_header("Origin")) return response.set_redirect("/", 303);  // from the page
    tell_clock(response);
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    if (request.method == "GET" &&
        (request.get_param_value("watch") == "true" || request.get_param_value("watch") == "1"))
      return follow(request, response);
    kubernetes::ApiRequest asked;
    asked.verb = request.method == "POST"     ? Verb::create
                 : request.method == "PUT"    ? Verb::update
                 : request.method == "PATCH"  ? Verb::patch
                 : request.method == "DELETE" ? Verb::remove
                                              : Verb::get;
    asked.path = request.target;
    asked.body = request.body;
    if (const std::string type = request.get_header_value("Content-Type"); !type.empty())
      asked.content_type = type.substr(0, type.find(';'));
    const bool table = request.method == "GET" && wants_table(request);
    const Result<ApiResponse> answered = on_loop([this, asked = std::move(asked), table] {
      ApiResponse result = server_.handle(asked);
      if (table && result.code == 200) result.body = as_table(collection_of(asked.path), result.body, loop_.now());
      return result;
    });
    if (!answered) return refuse(response);
    response.status = answered->code;
    response.set_content(answered->body, json_format);
  }

  void follow(const httplib::Request& request, httplib::Response& response) {
    const auto open = std::make_shared<OpenWatch>();
    const std::string target = request.target, collection = collection_of(target);
    const bool table = wants_table(request);
    const Result<int> opened = on_loop([this, open, target, collection, table] {
      const auto arrive = [&loop = loop_, open = std::weak_ptr(open), collection, table](const std::string& line) {
        const auto there = open.lock();
        if (!there) return;
        const std::lock_guard lock(there->mutex);
        there->lines += table ? event_as_table(collection, line, loop.now()) : line;
        there->arrived.notify_one();
      };
      open->watch = server_.watch(target, arrive);
      for (const std::string& line : open->watch.lines) arrive(line);
      open->ended = open->watch.refused;
      return open->watch.code;
    });
    if (!opened) return refuse(response);
    if (*opened != 200) {
      response.status = *opened;
      return;
    }
    const std::string most = request.get_param_value("timeoutSeconds");
    auto until = std::chrono::steady_clock::time_point::max();
    if (!most.empty()) until = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(most.c_str()));
    response.set_chunked_content_provider(
        json_format, [this, open, until](std::size_t, httplib::DataSink& sink) { return pass_on(*open, until, sink); },
        [&server = server_, &loop = loop_, open](bool) { loop.post([&server, open] { server.stop(open->watch); }); });
  }
  // False: the visitor has gone.
  bool pass_on(OpenWatch& open, std::chrono::steady_clock::time_point until, httplib::DataSink& sink) const {
    std::string lines;
    bool ended = false;
    {
      std::unique_lock lock(open.mutex);
      const auto began = std::chrono::steady_clock::now();
      const auto over = [&] {
        const auto now = std::chrono::steady_clock::now();
        return closing_ || open.ended || now >= until;
      };
      while (open.lines.empty() && !over() && std::chrono::steady_clock::now() - began < blank_line_every)
        open.arrived.wait_for(lock, look_every);
      lines.swap(open.lines);
      ended = lines.empty() && over();
      if (lines.empty() && !ended) lines = "\n";
    }
    if (!lines.empty() && !sink.write(lines.data(), lines.size())) return false;
    if (ended) sink.done();
    return true;
  }

  ApiServer& server_;
  PacedLoop& loop_;
  const FrontQuestions questions_;
  std::atomic<bool> closing_{false};
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  bool only_this_machine_ = true;
  httplib::Server http_;
  std::thread thread_;
  int port_ = -1;
};

}  // namespace

Result<std::unique_ptr<HttpFront>> HttpFront::start(const std::string& host, int port, ApiServer& server,
                                                    PacedLoop& loop, FrontQuestions questions) {
  auto front = std::make_unique<Front>(server, loop, std::move(questions));
  if (!front->listen(host, port))
    return fail(ErrorCode::unavailable,
                fmt::format("cannot listen on '{}:{}': in use, or not an address of this machine", host, port));
  return front;
}

}  // namespace lips::playground
