#include "kubernetes/pods/namespace.h"

#include <algorithm>

#include "kubernetes/api/object_fields_json.h"

namespace lips::kubernetes {

template <>
struct ObjectFields<Namespace> {
  static constexpr std::string_view kind = "Namespace";
  static void read(std::string_view key, simdjson::ondemand::value content, Namespace& name_space) {
    if (key != "metadata") return;
    json::each_field(content, [&](std::string_view part, simdjson::ondemand::value inner) {
      if (!json::names_object(part, inner, name_space.meta) && part == "labels")
        name_space.labels = json::text_map(inner);
    });
  }
};
template class ObjectDecoder<Namespace>;

bool selects_namespaces(const Pod& pod) {
  return std::any_of(pod.anti_affinity.begin(), pod.anti_affinity.end(), [](const AntiAffinityTerm& term) {
    return term.namespace_selector && !term.namespace_selector->empty();
  });
}

}  // namespace lips::kubernetes
