// Binds pods to nodes, and says of pods why they wait. A binder that may not act any more refuses, also what is still
// queued.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

struct PodBinding {
  ObjectMeta pod;  // by namespace, name and uid
  std::string node;
  TextMap annotations;  // merged into the pod by the same request: lips.dev/input
};

// Takes a pod's scheduling gate away and says where it may go.
struct PodSteering {
  ObjectMeta pod;         // by namespace, name and uid
  TextMap selector;       // joins its nodeSelector; empty: it may go anywhere
  TextMap annotations;    // join its own
  std::string node = {};  // that the plan has in mind; not sent
};

struct BindAnswer {
  enum class Kind : std::uint8_t {
    bound,      // to the node asked for, by this or an earlier request; of a pod that is steered: its gate is gone
    elsewhere,  // somebody else bound it, to `node`
    pod_gone,   // deleted, being deleted or made anew under the same name, says the answer: the watch decides
    refused,    // by the server, for a reason that stays: see message
    unknown,    // nobody answered; the watch will tell whether it is bound
    deposed,    // not sent: this binder may not act any more
  };
  Kind kind = Kind::unknown;
  std::string node;
  std::string message;
};

// What the answer to a Binding says. The server gives 409 for a second binding, also to the same node.
BindAnswer outcome_of(const PodBinding& binding, const Answer& answer);
BindAnswer outcome_of(const PodSteering& steering, const Answer& answer);

class Binder {
 public:
  // `may_act` is asked on the client's thread before each try; a try is given up after `timeout`.
  Binder(ApiClient& client, std::function<bool()> may_act, std::chrono::milliseconds timeout = default_timeout);
  static constexpr std::chrono::milliseconds default_timeout{5'000};

  // `done` as in ApiClient::start. Does not look whether the node exists: the server does not either.
  void bind(PodBinding binding, std::function<void(const PodBinding&, BindAnswer)> done);

  // One request for all of it, so that a pod is never let go without its zone. Refused where the pod's gate has gone
  // and its nodeSelector is another one; a second one like the first changes nothing.
  void steer(PodSteering steering, std::function<void(const PodSteering&, BindAnswer)> done);

  // PodScheduled=False for that reason, one word. `since` is when it began.
  struct Wait {
    std::string reason, message;
    TimePoint since;
    std::int64_t generation = 0;  // of the pod that was looked at; 0: not known
  };
  void mark_waiting(const ObjectMeta& pod, const Wait& wait, std::function<void(Answer)> done);
  // With the reason Unschedulable: what autoscalers look for.
  void mark_unschedulable(const ObjectMeta& pod, const std::string& message, TimePoint since,
                          std::function<void(Answer)> done);

 private:
  template <class Wish>
  void send(ApiRequest request, Wish wish, std::function<void(const Wish&, BindAnswer)> done);

  ApiClient& client_;
  std::function<bool()> may_act_;
  const std::chrono::milliseconds timeout_;
};

}  // namespace lips::kubernetes
