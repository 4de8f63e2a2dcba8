// Remembers that the API server's store went back to an earlier state, from when it is noticed until a person confirms
// it: in a ConfigMap, where a restarted operator or the next leader finds it. Meanwhile moves and drops of data are
// suspended, because statuses may promise replicas that are no longer there. Decides nothing else.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/units.h"
#include "kubernetes/adapter/kept_shares.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/set_back.h"

namespace lips::kubernetes {

// The annotation of the ConfigMap by which a person confirms.
inline constexpr const char* restore_checked_annotation = "lips.dev/restore-checked";

class RestoreGuard {
 public:
  struct Surroundings {
    ApiClient& client;
    std::function<bool()> may_act;
    std::function<void()> wake;  // an answer has come
  };
  // Without a name in `place` it stays in this process, until it ends.
  RestoreGuard(Surroundings around, KeptShares::Place place);

  // Several sources notice the same; false: it is no news.
  bool noticed(const SetBack& news, TimePoint now);
  // Reads the ConfigMap when a look at it is due, and writes it where `leads`. Does not wait.
  void tick(TimePoint now, bool leads);
  // Says whether it is known if anything is suspended.
  bool known() const { return known_; }
  // Why moves and drops are suspended, and how a person confirms; empty: they are not.
  std::string why() const;

 private:
  struct Record {
    TimePoint noticed;
    std::uint64_t before = 0, found = 0;
    // The value of the annotation that confirms it.
    std::string id() const;
    std::string text() const;
  };
  static std::optional<Record> read_record(const std::string& text);
  void ask();
  void answered(const Answer& answer);
  void take(std::optional<Record> kept, const std::string& checked);
  void write(const Record& record, Verb verb);

  const Surroundings around_;
  const KeptShares::Place place_;
  std::optional<Record> record_;
  bool known_ = false, kept_ = false, confirmed_ = false, under_way_ = false;
  TimePoint next_look_{};
};

}  // namespace lips::kubernetes
