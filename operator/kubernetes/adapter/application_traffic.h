// Asks running Spark drivers how much their executors have read and exchanged, counts the executors, and keeps what is
// learned of both in the cluster. Decides nothing, and nobody waits for an answer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "config/frameworks.h"
#include "controller/adapter_observer.h"
#include "kubernetes/adapter/kept_shares.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/client_options.h"
#include "kubernetes/api/objects.h"
#include "kubernetes/pods/learned_traffic.h"
#include "kubernetes/pods/pod_address.h"
#include "kubernetes/pods/run_sizes.h"

namespace lips::kubernetes {

class ApplicationTraffic {
 public:
  struct Rules {
    bool learn = true;
    std::int32_t port = 4040;
    Frameworks frameworks;
    std::function<bool(const std::string& address)> may_ask = is_pod_address;
  };
  struct Surroundings {                                                // all outlive it
    std::function<std::unique_ptr<ApiClient>(ClientOptions)> connect;  // to drivers; empty: none is asked
    std::function<bool()> may_act;
    KeptShares& kept;
    AdapterObserver& telemetry;
    Log& log;
  };
  ApplicationTraffic(Surroundings around, Rules rules);

  // Each new version of a pod of any scheduler, and its end.
  void found(const Pod& pod, TimePoint now);
  void gone(const ObjectMeta& pod, TimePoint now);
  // Takes over what the cluster keeps, if it has been read since the last call.
  void take_over_kept();
  // Asks whom it is time to ask, and learns from what has arrived.
  void flush(TimePoint now);

  const LearnedTraffic& learned() const { return learned_; }
  std::size_t kept() const { return drivers_.size() + sizes_.kept(); }

 private:
  struct Driver {
    ObjectMeta meta;
    std::string application, run, address;  // the first: "namespace/name"
    TimePoint started{}, asked{}, next{};
    bool under_way = false, told = false;
    int failures = 0;  // since the last reading
    std::optional<Traffic> reading;
    TimePoint read_at{};
    struct End {
      TimePoint at;
      bool succeeded = false;
    };
    std::optional<End> end;
  };
  struct Arrived {
    std::string uid;  // of the driver
    Result<Traffic> traffic;
  };
  void count(const Pod& pod);
  void count_end(const std::string& uid);
  void hurry(const std::string& run, TimePoint now);
  void end(Driver& driver, Driver::End end);
  void settle(const Driver& driver);
  void ask_due(TimePoint now);
  void ask(Driver& driver, TimePoint now);
  void collect(TimePoint now);
  void learn(Driver& driver, const Result<Traffic>& answer, TimePoint now);
  void keep(TimePoint now);

  const Surroundings around_;
  const Rules rules_;
  LearnedTraffic learned_;
  RunSizes sizes_;
  std::map<std::string, Driver> drivers_;         // by uid
  std::map<std::string, std::string> driver_of_;  // by "namespace/run": its uid
  std::uint64_t taken_over_ = 0, kept_version_ = 0;
  bool ended_since_ = false;  // something was learned that no later reading tells again
  TimePoint kept_at_{};
  bool said_ = false;  // in the log that nobody answers
  int under_way_ = 0;

  std::vector<Arrived> arrived_;
  std::unique_ptr<ApiClient> client_;  // last: its answers use the others
};

}  // namespace lips::kubernetes
