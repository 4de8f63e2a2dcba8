#include "records/service_pods_json.h"

#include "records/snapshot_eligibility_json.h"

namespace lips {

using namespace json_tables;
using Ordered = nlohmann::ordered_json;

namespace {

constexpr Whole any_count{0, most_ids};

Ordered row_of(const ServicePods& service) {
  Ordered row = {{"workload", service.workload},
                 {"cpu", service.request.cpu.value()},
                 {"memory", service.request.memory.value()},
                 {"slots", service.request.slots},
                 {"newest", service.newest.time_since_epoch().count()},
                 {"waiting", service.waiting},
                 {"leaving", service.leaving},
                 {"on", Ordered::array()}};
  for (const auto& [node, pods] : service.on) row["on"].push_back({node, pods});
  if (!service.extended.empty()) row["extended"] = Ordered::array();
  for (const auto& [name, amount] : service.extended) row["extended"].push_back({name, amount});
  if (service.constraint != PlacementConstraint{}) row["constraint"] = constraint_json(service.constraint);
  return row;
}

ServicePods read_row(const View& row) {
  ServicePods service;
  service.workload = row.at("workload").value(Text{});
  service.request = {Cores(row.at("cpu").value(Real{0})), Mebibytes(row.at("memory").value(Real{0})),
                     static_cast<std::int32_t>(row.at("slots").value(any_count))};
  service.newest = time(row.at("newest").value(Whole{-any_time, any_time}));
  service.waiting = static_cast<std::uint32_t>(row.at("waiting").value(any_count));
  service.leaving = static_cast<std::uint32_t>(row.at("leaving").value(any_count));
  const View on = row.at("on");
  for (std::size_t i = 0, count = on.rows(2); i < count; ++i)
    service.on.emplace_back(on.item(i).cell(0, Text{}), static_cast<std::uint32_t>(on.item(i).cell(1, any_count)));
  if (row.has("extended")) {
    const View extended = row.at("extended");
    for (std::size_t i = 0, count = extended.rows(2); i < count; ++i)
      service.extended.emplace_back(extended.item(i).cell(0, Text{}), extended.item(i).cell(1, Real{0}));
  }
  if (row.has("constraint")) service.constraint = read_constraint(row.at("constraint"));
  return service;
}

}  // namespace

Ordered service_pods_json(const std::vector<ServicePods>& services) {
  Ordered json = Ordered::array();
  for (const ServicePods& service : services) json.push_back(row_of(service));
  return json;
}

std::vector<ServicePods> read_service_pods(const View& json) {
  std::vector<ServicePods> services;
  for (std::size_t i = 0, count = json.list(); i < count; ++i) services.push_back(read_row(json.item(i)));
  return services;
}

}  // namespace lips
