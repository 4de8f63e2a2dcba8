// The kinds that the checks use, with what kube-apiserver does differently for each. Knows no server.
#pragma once

#include <span>
#include <string>

namespace lips::virtual_cluster {

struct Kind {
  const char* plural;
  const char* root;      // /api/v1, /apis/batch/v1
  const char* name;      // ConfigMap
  const char* in_words;  // as messages name it: configmaps, jobs.batch
  const char* fields;    // JSON of the smallest object, beside its metadata
  const char* other;     // JSON of a merge patch that changes more than metadata
  bool namespaced = true;
  bool generation = false;            // metadata.generation
  bool custom = false;                // of a CustomResourceDefinition: no strategic merge patch
  bool status_part = false;           // status is a subresource
  bool update_needs_version = false;  // an update without resourceVersion is refused
  bool update_creates = false;        // an update of what does not exist makes it
  bool deletion_answers_object = false;
  bool deletion_is_a_change = false;  // a watch is told of the time of deletion first, even where that is now
};

std::span<const Kind> kinds();
const Kind& kind_of(const std::string& plural);

}  // namespace lips::virtual_cluster
