// Keeps back writes for which the operator has no right. After a few refusals in a row nothing more of that verb and
// resource is sent in that namespace but one probe after ever longer pauses: thousands of pods would ask in vain for
// each other. Covers every writer of a client. Reads no clock; not for several threads.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "base/result.h"
#include "base/units.h"
#include "kubernetes/api/api_request.h"

namespace lips::kubernetes {

// RBAC says "cannot VERB resource"; admission and quotas refuse one object with 403 as well, and another may pass.
bool says_no_right(int code, std::string_view message);

// "create pods/binding in NAMESPACE": the right that such a request needs.
std::string right_in_words(Verb verb, std::string_view path);

class MissingRights {
 public:
  static constexpr int free_refusals = 3;  // in a row
  static constexpr Duration first_pause = std::chrono::seconds(5), longest_pause = std::chrono::minutes(5);

  static bool covers(Verb verb);  // writes
  // The last refusal, if the write is not to be sent now. `now`: since any beginning, as in `note`.
  std::optional<Error> refused(Verb verb, std::string_view path, Duration now);
  // An answer of the server to such a write. `error`: as its writer is told.
  void note(Verb verb, std::string_view path, int code, const Error& error, Duration now);
  std::size_t kept() const { return missing_.size(); }

 private:
  struct Missing {
    int refusals = 0;
    bool probing = false;
    Duration again{}, pause = first_pause;
    Error error;
  };
  using Right = std::tuple<Verb, std::string, std::string>;  // resource and namespace
  static Right right_of(Verb verb, std::string_view path);

  std::map<Right, Missing> missing_;
};

}  // namespace lips::kubernetes
