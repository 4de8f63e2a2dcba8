// The kinds that the API server inside the program serves, and what kube-apiserver does differently for each. Knows no
// object.
#pragma once

#include <string>
#include <vector>

namespace lips::virtual_cluster {

struct ApiKind {
  std::string version;  // apiVersion: v1, batch/v1
  std::string plural, name;
  bool namespaced = true;
  bool custom = false;                // of a CustomResourceDefinition
  bool generation = false;            // its writes are counted in metadata.generation
  bool status_part = false;           // status is a subresource
  bool keeps_new_status = false;      // its creation may come with a status
  bool update_needs_version = false;  // an update has to name the version that it replaces
  bool update_creates = false;        // an update of what does not exist makes it
  bool orphans = false;               // what it owns stays, unless a deletion says otherwise
  bool deletion_answers_object = false;
  std::vector<std::string> fields = {};  // for field selectors, beside name and namespace

  // The resource as messages name it: pods, jobs.batch.
  std::string in_words() const;
};

// A kind by its path, as /apis/batch/v1/jobs. One that nobody knows is a custom resource.
ApiKind api_kind(const std::string& collection);

}  // namespace lips::virtual_cluster
