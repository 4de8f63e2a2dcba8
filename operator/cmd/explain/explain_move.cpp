#include "cmd/explain/explain_move.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "telemetry/page/numbers.h"

namespace lips::cmd {

namespace {

constexpr double paper_block = 64;  // MiB

struct Part {
  std::map<BlockId, Mebibytes> blocks;  // each moves once, however many tasks read it
  CpuSeconds cpu;
  std::size_t tasks = 0;
  ConstraintId constraint;
};

Result<NodeId> node_named(const ClusterSnapshot& cluster, const std::string& name) {
  for (const NodeId node : cluster.nodes.ids())
    if (cluster.nodes[node].name == name) return node;
  return fail(ErrorCode::invalid_input, fmt::format("there is no node '{}'", name));
}

MoveQuestion question_of(const ClusterSnapshot& cluster, const CostModel& costs, const Part& part, ZoneSet zones,
                         NodeId from, NodeId to) {
  MoveQuestion question;
  question.here = cluster.nodes[from].cpu_price;
  question.there = cluster.nodes[to].cpu_price;
  for (const auto& [id, size] : part.blocks) question.size += size;
  if (question.size.value() > 0)
    question.intensity = CpuSecondsPerMebibyte(part.cpu.value() / question.size.value());
  else
    question.further_work = part.cpu;
  if (!zones.empty()) question.transfer = costs.transfer(zones, cluster.nodes[to].zone);
  return question;
}

std::string zone_names(const ClusterSnapshot& cluster, ZoneSet zones) {
  std::string names;
  for (const ZoneId zone : cluster.zones.ids())
    if (zones.contains(zone)) names += (names.empty() ? "" : ", ") + cluster.zones[zone].name;
  return names;
}

bool usable(const ClusterSnapshot& cluster, const Part& part, NodeId node) {
  return cluster.nodes[node].schedulable && (!part.constraint.valid() || cluster.eligible(part.constraint, node));
}

ZoneSet zones_of(const ClusterSnapshot& cluster, BlockId block) {
  ZoneSet zones;
  for (const Replica& replica : cluster.blocks[block].replicas) zones.insert(cluster.stores[replica.store].zone);
  return zones;
}

// The cheapest node with the data. Work without input may be anywhere, so for it the dearest node.
std::optional<NodeId> node_here(const ClusterSnapshot& cluster, const Part& part, ZoneSet zones) {
  std::optional<NodeId> best;
  for (const NodeId node : cluster.nodes.ids()) {
    if (!usable(cluster, part, node)) continue;
    if (!zones.empty() && !zones.contains(cluster.nodes[node].zone)) continue;
    const auto price = cluster.nodes[node].cpu_price;
    if (!best || (zones.empty() ? price > cluster.nodes[*best].cpu_price : price < cluster.nodes[*best].cpu_price))
      best = node;
  }
  return best;
}

std::optional<NodeId> best_there(const ClusterSnapshot& cluster, const CostModel& costs, const Part& part,
                                 ZoneSet zones, NodeId from) {
  std::optional<NodeId> best;
  Usd least;
  for (const NodeId node : cluster.nodes.ids()) {
    if (!usable(cluster, part, node) || zones.contains(cluster.nodes[node].zone)) continue;
    const Usd cost = whether_to_move(question_of(cluster, costs, part, zones, from, node)).go();
    if (!best || cost < least) best = node, least = cost;
  }
  return best;
}

std::string verdict(const MoveAnswer& answer) {
  const double share = answer.stay.value() > 0 ? answer.saved() / answer.stay : 0;
  if (answer.move) return fmt::format("move: saves {} ({})", page::usd(answer.saved().value()), page::percent(share));
  if (answer.saved().value() < 0)
    return fmt::format("stay: moving would cost {} more", page::usd(-answer.saved().value()));
  return "stay: moving would save nothing";
}

std::string break_even_text(const MoveQuestion& question, const MoveAnswer& answer) {
  if (question.size.value() <= 0) return "no input: it pays wherever a CPU-second is cheaper";
  if (!answer.break_even) return "never: the other node's CPU-second is not cheaper";
  return fmt::format("from {:.4g} CPU-seconds per MiB ({:.4g} per 64 MiB block); this has {:.4g} ({:.4g})",
                     answer.break_even->value(), paper_block * answer.break_even->value(), question.intensity.value(),
                     paper_block * question.intensity.value());
}

}  // namespace

Result<std::vector<MoveCase>> move_cases(const ClusterSnapshot& cluster, const CostModel& costs,
                                         const std::string& what, std::span<const ReadingTask> tasks,
                                         const MovePlaces& places) {
  std::map<ZoneSet, Part> parts;
  for (const ReadingTask& task : tasks) {
    const ZoneSet zones = task.block.valid() ? zones_of(cluster, task.block) : ZoneSet();
    Part& part = parts[zones];
    part.cpu += task.cpu;
    ++part.tasks;
    part.constraint = task.constraint;
    if (task.block.valid()) {
      Mebibytes& size = part.blocks[task.block];
      size = std::max(size, task.input);
    }
  }
  std::vector<MoveCase> cases;
  for (const auto& [zones, part] : parts) {
    std::optional<NodeId> from = node_here(cluster, part, zones);
    if (!places.from.empty()) {
      const Result<NodeId> named = node_named(cluster, places.from);
      if (!named) return tl::unexpected(named.error());
      from = *named;
    }
    if (!from) continue;  // no node beside the data may run it
    std::optional<NodeId> to = best_there(cluster, costs, part, zones, *from);
    if (!places.to.empty()) {
      const Result<NodeId> named = node_named(cluster, places.to);
      if (!named) return tl::unexpected(named.error());
      to = *named;
    }
    if (!to) continue;  // the data is in every zone
    const std::string where = zones.empty() ? "without input" : "with blocks in " + zone_names(cluster, zones);
    cases.push_back({fmt::format("{}: {} task{} {}", what, part.tasks, part.tasks == 1 ? "" : "s", where),
                     cluster.nodes[*from].name, cluster.nodes[*to].name,
                     question_of(cluster, costs, part, zones, *from, *to)});
  }
  return cases;
}

std::string move_text(std::span<const MoveCase> cases) {
  std::string out;
  for (const MoveCase& one : cases) {
    const MoveQuestion& question = one.question;
    const MoveAnswer answer = whether_to_move(question);
    if (!out.empty()) out += "\n";
    out += one.what + "\n";
    out += fmt::format("  {:<11} {}, {:.4g} USD per CPU-second\n", "data at", one.from, question.here.value());
    out += fmt::format("  {:<11} {}, {:.4g} USD per CPU-second\n", "other node", one.to, question.there.value());
    if (question.size.value() > 0)
      out += fmt::format("  {:<11} {:.6g} MiB at {:.4g} USD per GB\n", "to move", question.size.value(),
                         question.transfer.value() * mebibytes_per_gigabyte);
    out += fmt::format("  {:<11} {} by use\n", "stay", page::usd(answer.stay.value()));
    out += fmt::format("  {:<11} {} by use = {} work + {} transfer\n", "move", page::usd(answer.go().value()),
                       page::usd(answer.work_there.value()), page::usd(answer.transfer.value()));
    out += fmt::format("  {:<11} {}\n", "break-even", break_even_text(question, answer));
    out += verdict(answer) + "\n";
  }
  return out.empty() ? "nothing to decide: the data is in every zone, or no node may take the work\n" : out;
}

std::string move_json(std::span<const MoveCase> cases) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const MoveCase& one : cases) {
    const MoveQuestion& question = one.question;
    const MoveAnswer answer = whether_to_move(question);
    nlohmann::ordered_json json = {
        {"what", one.what},
        {"from", {{"node", one.from}, {"usdPerCpuSecond", question.here.value()}}},
        {"to", {{"node", one.to}, {"usdPerCpuSecond", question.there.value()}}},
        {"mebibytes", question.size.value()},
        {"cpuSecondsPerMebibyte", question.intensity.value()},
        {"furtherCpuSeconds", question.further_work.value()},
        {"transferUsdPerMebibyte", question.transfer.value()},
        {"decision", answer.move ? "move" : "stay"},
        {"stayDollars", answer.stay.value()},
        {"moveDollars",
         {{"work", answer.work_there.value()}, {"transfer", answer.transfer.value()}, {"total", answer.go().value()}}},
        {"savedDollars", answer.saved().value()}};
    json["breakEvenCpuSecondsPerMebibyte"] =
        answer.break_even ? nlohmann::ordered_json(answer.break_even->value()) : nlohmann::ordered_json(nullptr);
    list.push_back(std::move(json));
  }
  return nlohmann::ordered_json{{"cases", std::move(list)}}.dump(2) + "\n";
}

}  // namespace lips::cmd
