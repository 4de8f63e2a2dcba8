// The kinds that a virtual API server knows: what discovery says of each, and the columns in which kubectl prints it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "virtual/api_json.h"

namespace lips::virtual_cluster {

// A column of `kubectl get`, as additionalPrinterColumns of a CustomResourceDefinition.
struct PrintedColumn {
  const char* name;
  const char* pointer;  // a JSON pointer into the object; or "condition TYPE": the status of that condition
  bool only_wide = false;
};

struct ApiKind {
  const char* collection;  // /apis/batch/v1/jobs
  const char* kind;
  const char* singular;
  const char* short_name;  // empty: none
  bool of_name_space = false;
  bool of_lips = false;                     // in the category `lips`
  std::vector<const char*> parts = {};      // subresources
  std::vector<PrintedColumn> columns = {};  // between name and age
};

const std::vector<ApiKind>& api_kinds();
// Null: a kind without an entry, which discovery does not name.
const ApiKind* kind_of_collection(std::string_view collection);

}  // namespace lips::virtual_cluster
