#include "kubernetes/data/object_size.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubernetes/api/too_large.h"

namespace lips::kubernetes {

std::string why_too_large(const CatalogDataSet& set, const std::string& before, const std::string& after) {
  const std::size_t others = set.bytes - std::min(set.bytes, before.size());
  if (others + after.size() <= largest_object) return "";
  return fmt::format(
      "with its files and replicas the object would have {} bytes; allowed: {}. What helps: several DataSets with a "
      "part of "
      "the files each, shorter paths, or whole ranges of blocks in each store",
      others + after.size(), largest_object);
}

std::function<void(const Answer&)> size_learner(DataCatalog& catalog, const std::string& data_set) {
  return [&catalog, data_set](const Answer& answer) {
    if (answer) catalog.learn(DataKind::data_set, *answer);
    if (answer || is_too_large(answer.error())) catalog.say_too_large(data_set, answer ? "" : answer.error().message);
  };
}

}  // namespace lips::kubernetes
