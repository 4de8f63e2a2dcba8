#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "simulation/scenario_draft.h"

namespace lips::simulation {

namespace {

constexpr std::array<std::string_view, 5> own_fields{"", "cpu", "cores", "memory", "pods"};

ResourceId named(const ClusterSnapshot& cluster, const std::string& name) {
  for (const ResourceId id : cluster.extended_names.ids())
    if (cluster.extended_names[id] == name) return id;
  return ResourceId::none();
}

}  // namespace

ExtendedAmounts read_node_extended(YamlMap& fields, ScenarioDraft& draft) {
  ExtendedAmounts amounts;
  for (const auto& [name, amount] : fields.number_map("extended", not_negative)) {
    if (std::find(own_fields.begin(), own_fields.end(), name) != own_fields.end()) {
      fields.error("extended", '\'' + name + '\'',
                   "names of resources such as nvidia.com/gpu; cores, memory and slots are fields of their own");
      continue;
    }
    ResourceId id = named(draft.cluster(), name);
    if (!id.valid()) id = draft.cluster().extended_names.push_back(name);
    amounts.set(id, amount);
  }
  return amounts;
}

Resources read_request(YamlMap& fields, ScenarioDraft& draft) {
  Resources request{Cores(fields.number("cores", 1, core_range)), fields.size("memory", Mebibytes(0)), 1};
  for (const auto& [name, amount] : fields.number_map("extended", not_negative)) {
    const ResourceId id = named(draft.cluster(), name);
    if (id.valid())
      request.extended.set(id, amount);
    else
      fields.error("extended", '\'' + name + '\'',
                   draft.cluster().extended_names.empty()
                       ? "resources that nodes have as extended; none has any"
                       : fmt::format("{}, as nodes have them", fmt::join(draft.cluster().extended_names, ", ")));
  }
  return request;
}

std::vector<RequestSize> read_sizes(YamlMap& fields, ScenarioDraft& draft) {
  std::vector<RequestSize> sizes;
  for (YamlMap& size : fields.maps("sizes")) {
    const double weight = size.number("weight", 1, {1e-6, 1e6});
    sizes.push_back({read_request(size, draft), weight});
    size.finish();
  }
  const Resources same = read_request(fields, draft);
  if (sizes.empty()) return {{same, 1}};
  for (const char* field : {"cores", "memory", "extended"})
    if (fields.has(field)) fields.error(field, fmt::format("both {} and sizes", field), "one of them");
  return sizes;
}

}  // namespace lips::simulation
