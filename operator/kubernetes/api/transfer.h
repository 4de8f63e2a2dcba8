// One request on one connection, as libcurl sees it; reused for the next. Decides nothing: RequestEngine does.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kubernetes/api/api_request.h"
#include "kubernetes/api/connection.h"
#include "kubernetes/api/retry.h"

namespace lips::kubernetes {

class Transfer {
 public:
  // Takes the bytes of a successful answer as they arrive. If it returns false, they are passed again after resume().
  using Sink = std::function<bool(std::string_view)>;

  Transfer();
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  struct Target {
    std::string server, user_agent;
    bool compresses_lists = false;
  };
  // `request` must outlive the transfer. Without a sink the body is collected.
  void prepare(const ApiRequest& request, const Target& target, const Credentials& credentials, Sink sink);
  void* handle() const { return easy_; }
  void resume();

  // After its end, with libcurl's code:
  TryResult result(int curl_code) const;
  std::string failure(int curl_code) const;  // why there is no answer
  std::string take_body() { return std::move(body_); }
  std::chrono::microseconds took() const;
  std::optional<TimePoint> date() const;  // of the answer

 private:
  static std::size_t receive(char* bytes, std::size_t size, std::size_t count, void* transfer);
  void set_verb(const ApiRequest& request);
  void set_security(const Credentials& credentials);
  void set_headers(const ApiRequest& request, const std::string& token);

  void* easy_;
  void* headers_ = nullptr;
  std::string body_;
  std::string error_;
  Sink sink_;
  std::size_t most_bytes_ = 0;
  bool too_long_ = false;
};

}  // namespace lips::kubernetes
