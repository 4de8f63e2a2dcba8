// The words that kubectl has for kinds: short names, the category `lips`, and the columns of its tables.
#pragma once

#include <string_view>
#include <vector>

namespace lips::virtual_cluster {

// A column of `kubectl get`, as additionalPrinterColumns of a CustomResourceDefinition.
struct PrintedColumn {
  const char* name;
  const char* pointer;  // a JSON pointer into the object; or "condition TYPE": the status of that condition
  bool only_wide = false;
};

struct PrintedKind {
  const char* collection;                   // /apis/batch/v1/jobs
  const char* short_name = "";              // empty: none
  bool of_lips = false;                     // in the category `lips`
  std::vector<PrintedColumn> columns = {};  // between name and age
};

// Null: a kind without words of its own.
const PrintedKind* printed_kind(std::string_view collection);

}  // namespace lips::virtual_cluster
