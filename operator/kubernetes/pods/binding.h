// Binds pods to nodes, and writes on pods why they wait. A binder that may no longer act refuses every request, also
// those that are still queued.
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

// Removes a pod's scheduling gate and says where the pod may go.
struct PodSteering {
  ObjectMeta pod;          // by namespace, name and uid
  TextMap selector;        // added to its nodeSelector; empty: it may go anywhere
  TextMap annotations;     // added to its own
  std::string node = {};   // the plan's node
  TextMap preferred = {};  // labels of nodes, each a preference and the first the heaviest; they replace its own
};

struct BindAnswer {
  enum class Kind : std::uint8_t {
    bound,      // to the requested node, by this or an earlier request; for a steered pod: its gate is gone
    elsewhere,  // somebody else bound it, to `node`
    pod_gone,   // deleted, terminating, or recreated under the same name, according to the answer: the watch decides
    refused,    // by the server, for a lasting reason: see message
    unknown,    // no answer, to this try or one before it; the watch will tell whether it is bound
    deposed,    // not sent: this binder may not act any more
  };
  Kind kind = Kind::unknown;
  std::string node;
  std::string message;
};

// Interprets the answer to a Binding. The server gives 409 for a second binding, also to the same node.
BindAnswer outcome_of(const PodBinding& binding, const Answer& answer);
BindAnswer outcome_of(const PodSteering& steering, const Answer& answer);

// The text of lips.dev/kept-for.
std::string kept_for_text(Duration kept_for);

class Binder {
 public:
  // `may_act` is called before each try, on the thread of the connections; a try is given up after `timeout`.
  Binder(ApiClient& client, std::function<bool()> may_act, std::chrono::milliseconds timeout = default_timeout);
  static constexpr std::chrono::milliseconds default_timeout{5'000};

  // `done` as in ApiClient::start. Does not check that the node exists: the server does not either.
  void bind(PodBinding binding, std::function<void(const PodBinding&, BindAnswer)> done);

  // One request for everything, so that a pod never loses its gate without getting its zone. Refused if the gate is
  // already gone and the nodeSelector is a different one; repeating a request changes nothing.
  void steer(PodSteering steering, std::function<void(const PodSteering&, BindAnswer)> done);

  // Autoscalers are not to evict it from now on, for so long after its start; or they may again.
  void keep(const ObjectMeta& pod, Duration kept_for);
  void let_evict(const ObjectMeta& pod);

  // Others end on that node for the pod; empty: on none.
  void nominate(const ObjectMeta& pod, const std::string& node);

  // PodScheduled=False for that reason, one word. `since` is when it began.
  struct Wait {
    std::string reason, message;
    TimePoint since;
    std::int64_t generation = 0;  // of the pod that was examined; 0: not known
  };
  void mark_waiting(const ObjectMeta& pod, const Wait& wait, std::function<void(Answer)> done);
  // With the reason Unschedulable, which autoscalers look for.
  void mark_unschedulable(const ObjectMeta& pod, const std::string& message, TimePoint since,
                          std::function<void(Answer)> done);

 private:
  void annotate(const ObjectMeta& pod, const TextMap& annotations);
  template <class Wish>
  void send(ApiRequest request, Wish wish, std::function<void(const Wish&, BindAnswer)> done);

  ApiClient& client_;
  std::function<bool()> may_act_;
  const std::chrono::milliseconds timeout_;
};

}  // namespace lips::kubernetes
