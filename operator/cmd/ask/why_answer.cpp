#include "cmd/ask/why_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cmd/ask/expected_json.h"
#include "telemetry/page/numbers.h"

namespace lips::cmd {

namespace {

using advice::Explanation;
using advice::Place;
using advice::Question;
using advice::Remedy;
using advice::RemedyKind;
using advice::Standing;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_remedies = 8, most_expected = 3;  // of the text

std::string span(Duration time) { return page::duration(to_seconds(time)); }

std::string tasks(std::uint64_t count) { return fmt::format("{} task{}", page::count(count), count == 1 ? "" : "s"); }

class Answer {
 public:
  Answer(const Question& question, const Explanation& explanation, std::string name)
      : cluster_(question.cluster), said_(explanation), name_(std::move(name)) {}

  std::string sentence() const {
    switch (said_.standing) {
      case Standing::runs:
        return fmt::format("runs on {}{}", where(*said_.place),
                           said_.left ? fmt::format(", about {} more", span(*said_.left)) : "");
      case Standing::ended:
        return "has ended";
      case Standing::starts_now:
        return fmt::format("starts with the next plan, on {}", where(*said_.place));
      case Standing::next_on_node:
        return fmt::format("waits for a running task: it is the next on {}", where(*said_.place));
      case Standing::maps_unfinished:
        return fmt::format("waits for the first stage of its job: {} left to end", tasks(said_.maps_left));
      case Standing::inputs_missing:
        return "waits for its input: a data set that it reads does not exist yet";
      case Standing::waits_for_node:
        return "waits for a node: the plan asks the autoscaler for one";
      case Standing::waits_for_data:
        return "waits for data: a copy of its block is on the way";
      case Standing::waits_for_locality:
        return "waits for room near its data";
      case Standing::waits_for_peers:
        return "waits for the tasks that start together with it: they have not all come, or find no room together";
      case Standing::pool_maximum:
        return pool_sentence();
      case Standing::pool_share:
        return fmt::format("waits because its pool {} has what it is entitled to, and others want the rest",
                           cluster_.pools[cluster_.jobs[cluster_.tasks[said_.task].job].pool].name);
      case Standing::not_eligible:
        return fmt::format("cannot run: none of {} nodes takes it{}", nodes_judged(), mismatches());
      case Standing::cheaper_later:
        return fmt::format("waits because waiting is cheaper than what is free: {} has room for {}",
                           where(*said_.dearer), page::usd(said_.dearer->bill.total().value()));
      case Standing::room_kept:
        return "waits because the room that it could take is kept for " + kept_for();
      case Standing::behind_others:
        return "waits because what is free goes to tasks that come before it" + room();
      case Standing::no_capacity:
        return "waits because nothing that fits is free" + full_of_others() + room();
      case Standing::plan_refused:
        return "waits because the operator refused the last plan, which a check found wrong";
    }
    return "";
  }

  std::string text() const {
    std::string out = fmt::format("{} {}.\n", name_, sentence());
    if (said_.place && said_.standing != Standing::next_on_node) out += row("cost", bill(*said_.place));
    if (said_.place && said_.place->read_from.valid()) out += row("reads", reads(*said_.place));
    if (said_.cheapest && !waits(said_.standing))
      out += row("next best", fmt::format("{}: {}", where(*said_.cheapest), bill(*said_.cheapest)));
    if (said_.deadline) out += row("deadline", deadline(*said_.deadline));
    if (said_.last_start) out += row("max-wait", last_start(*said_.last_start));
    if (said_.made_room) out += row("room", made_room(*said_.made_room));
    if (said_.held_back) out += row("held", held_back(*said_.held_back));
    if (!waits(said_.standing) || !said_.queue) return out;
    out += row("queue", fmt::format("{} of {} ahead of it", page::count(said_.queue->ahead),
                                    said_.queue->waiting == 1 ? "1 waiting task"
                                                              : page::count(said_.queue->waiting) + " waiting tasks"));
    out += row("start", said_.starts_in ? fmt::format("in about {}, if nothing else arrives", span(*said_.starts_in))
                                        : "not within the forecast");
    if (said_.waiting_price > 0)
      out += row("waiting", fmt::format("an hour of it weighs {} in a plan (waitingPrice {:g})",
                                        page::usd(said_.waiting_hour.value()), said_.waiting_price));
    if (said_.cheapest) out += row("cheapest", fmt::format("{}: {}", where(*said_.cheapest), bill(*said_.cheapest)));
    return out + remedies();
  }

  Json json() const {
    Json json = {{"pod", name_},
                 {"standing", to_string(said_.standing)},
                 {"sentence", sentence()},
                 {"place", said_.place ? place(*said_.place) : Json()},
                 {"cheapestElsewhere", said_.cheapest ? place(*said_.cheapest) : Json()},
                 {"secondsLeft", said_.left ? Json(to_seconds(*said_.left)) : Json()}};
    json["deadline"] = deadline_json(said_.deadline);
    json["lastStart"] = deadline_json(said_.last_start);
    json["makesRoom"] = said_.made_room ? made_room_json(*said_.made_room) : Json();
    if (!waits(said_.standing)) return json;
    json["heldBack"] = said_.held_back ? held_back_json(*said_.held_back) : Json();
    json["ahead"] = said_.queue ? Json(said_.queue->ahead) : Json();
    json["waiting"] = said_.queue ? Json(said_.queue->waiting) : Json();
    json["startsInSeconds"] = said_.starts_in ? Json(to_seconds(*said_.starts_in)) : Json();
    json["firstRoom"] =
        said_.room ? Json{{"node", cluster_.nodes[said_.room->first].name}, {"seconds", to_seconds(said_.room->second)}}
                   : Json();
    json["waitingPrice"] = said_.waiting_price;
    json["waitingDollarsPerHour"] = said_.waiting_hour.value();
    json["mismatches"] = Json::object();
    for (const advice::Mismatch mismatch : enumerators<advice::Mismatch>)
      json["mismatches"][std::string(to_string(mismatch))] = said_.mismatches[mismatch];
    json["remedies"] = Json::array();
    for (const Remedy& remedy : said_.remedies) json["remedies"].push_back(remedy_json(remedy));
    return json;
  }

 private:
  static std::string row(std::string_view name, const std::string& what) {
    return fmt::format("  {:<10} {}\n", name, what);
  }

  static std::string deadline(const Deadline& deadline) {
    if (deadline.left <= Duration(0)) return fmt::format("its job was due {} ago", span(-deadline.left));
    const std::string due = fmt::format("its job is due in {}, and ", span(deadline.left));
    if (deadline.needed == longest_span) return due + "no node takes its tasks";
    const std::string times = fmt::format("{}its work takes {} at full speed", due, span(deadline.needed));
    return deadline.can_be_met() ? times : times + ": it cannot be done in time";
  }

  static std::string last_start(const Deadline& start) {
    if (start.left <= Duration(0)) return fmt::format("its job's tasks had to start {} ago", span(-start.left));
    const std::string due = fmt::format("its job's tasks have to start within {}, and ", span(start.left));
    if (start.needed == longest_span) return due + "no node takes them";
    const std::string times = fmt::format("{}the last can in {} at the earliest", due, span(start.needed));
    return start.can_be_met() ? times : times + ": that is too late";
  }

  static Json deadline_json(const std::optional<Deadline>& deadline) {
    if (!deadline) return {};
    return {{"secondsLeft", to_seconds(deadline->left)},
            {"secondsNeeded", deadline->needed == longest_span ? Json() : Json(to_seconds(deadline->needed))},
            {"canBeMet", deadline->can_be_met()}};
  }

  std::string node_in_zone(NodeId id) const {
    const Node& node = cluster_.nodes[id];
    const std::string& zone = cluster_.zones[node.zone].name;
    if (node.instance_type.empty()) return fmt::format("{} ({})", node.name, zone);
    return fmt::format("{} ({}{}, {})", node.name, node.instance_type,
                       node.capacity_type == CapacityType::spot ? " spot" : "", zone);
  }
  std::string where(const Place& place) const { return node_in_zone(place.node); }

  static std::string bill(const Place& place) {
    const Bill& bill = place.bill;
    std::string out = fmt::format("{} by use", page::usd(bill.total().value()));
    if (bill.transfer.value() > 0) out += fmt::format(", of it {} for transfer", page::usd(bill.transfer.value()));
    if (bill.shuffle.value() > 0) out += fmt::format(", of it {} for shuffle", page::usd(bill.shuffle.value()));
    return out;
  }

  std::string reads(const Place& place) const {
    static constexpr EnumArray<Locality, std::string_view> nearness{"on the node", "in its rack", "in its zone",
                                                                    "in another zone", "nowhere"};
    const Task& task = cluster_.tasks[said_.task];
    return fmt::format("{} from {}, {}", page::gigabytes(task.input.value() / mebibytes_per_gigabyte),
                       cluster_.stores[place.read_from].name, nearness[place.locality]);
  }

  std::string made_room(const advice::MadeRoom& made) const {
    std::string out;
    for (std::size_t i = 0; i < std::min(made.jobs.size(), most_expected); ++i) {
      const advice::ExpectedJob& job = made.jobs[i];
      out += fmt::format("{} in {} for {}, {}", i == 0 ? "left" : ";", zones_with_room(cluster_, job), job.name,
                         "expected " + page::when(to_seconds(job.in)));
    }
    if (made.jobs.size() > most_expected) out += fmt::format("; and for {} more", made.jobs.size() - most_expected);
    return out + "; otherwise it would " + otherwise(made);
  }

  std::string otherwise(const advice::MadeRoom& made) const {
    const bool waits_now = waits(said_.standing);
    if (made.starts_on)
      return fmt::format("start {}on {}", waits_now ? "at once, " : "", node_in_zone(*made.starts_on));
    if (!made.starts_in) return waits_now ? "not start within the forecast" : "wait";
    return fmt::format("{} about {}", waits_now ? "start in" : "wait", span(*made.starts_in));
  }

  Json made_room_json(const advice::MadeRoom& made) const {
    Json jobs = Json::array();
    for (const advice::ExpectedJob& job : made.jobs) jobs.push_back(expected_json(cluster_, job));
    return {{"jobs", std::move(jobs)},
            {"startsOtherwiseOn", made.starts_on ? Json(cluster_.nodes[*made.starts_on].name) : Json()},
            {"startsOtherwiseInSeconds", made.starts_on   ? Json(0.0)
                                         : made.starts_in ? Json(to_seconds(*made.starts_in))
                                                          : Json()}};
  }

  std::string held_back(const advice::HeldBack& held) const {
    std::string out;
    for (std::size_t i = 0; i < std::min(held.rooms.size(), most_expected); ++i) {
      const HeldRoom& room = held.rooms[i];
      out += fmt::format("{}{:g} cores in {} for {}, {}", i == 0 ? "" : "; ", room.room.cpu.value(),
                         cluster_.zones[room.zone].name, cluster_.jobs[room.job].name, to_string(room.reason));
    }
    if (held.rooms.size() > most_expected) out += fmt::format("; and for {} more", held.rooms.size() - most_expected);
    return out + "; otherwise it would start at once, on " + node_in_zone(held.starts_on);
  }

  std::string kept_for() const {
    const std::vector<HeldRoom>& rooms = said_.held_back->rooms;
    return cluster_.jobs[rooms.front().job].name + (rooms.size() > 1 ? " and others" : "");
  }

  Json held_back_json(const advice::HeldBack& held) const {
    Json rooms = Json::array();
    for (const HeldRoom& room : held.rooms)
      rooms.push_back({{"job", cluster_.jobs[room.job].name},
                       {"reason", to_string(room.reason)},
                       {"zone", cluster_.zones[room.zone].name},
                       {"cores", room.room.cpu.value()}});
    return {{"rooms", std::move(rooms)}, {"startsOtherwiseOn", cluster_.nodes[held.starts_on].name}};
  }

  std::string full_of_others() const {
    const std::uint32_t full = said_.mismatches[advice::Mismatch::full_of_others];
    if (full == 0) return "";
    return fmt::format(": {} node{} that would take it {} full of pods of others", full, full == 1 ? "" : "s",
                       full == 1 ? "is" : "are");
  }

  std::string room() const {
    if (!said_.room) return "";
    return fmt::format("; the next room is expected on {} in {}", node_in_zone(said_.room->first),
                       span(said_.room->second));
  }

  std::string pool_sentence() const {
    const PoolId id = cluster_.jobs[cluster_.tasks[said_.task].job].pool;
    return fmt::format("waits because its pool {} is at its maximum of {:g} cores", cluster_.pools[id].name,
                       cluster_.pools[id].maximum.value());
  }

  std::uint64_t nodes_judged() const {
    std::uint64_t count = 0;
    for (const std::uint32_t nodes : said_.mismatches) count += nodes;
    return count;
  }
  std::string mismatches() const {
    static constexpr EnumArray<advice::Mismatch, std::string_view> words{"not ready or cordoned",
                                                                         "without the labels that it selects",
                                                                         "out of reach of its volumes",
                                                                         "with a taint that it does not tolerate",
                                                                         "too small",
                                                                         "full of pods of others"};
    std::string out;
    for (const advice::Mismatch mismatch : enumerators<advice::Mismatch>)
      if (const std::uint32_t count = said_.mismatches[mismatch]; count > 0)
        out += fmt::format("{}{} {}", out.empty() ? " (" : ", ", count, words[mismatch]);
    return out.empty() ? out : out + ")";
  }

  // The action to take, in the words of Kubernetes.
  std::string action(const Remedy& remedy) const {
    switch (remedy.kind) {
      case RemedyKind::another_zone:
        return fmt::format("allow the zone {} too", remedy.detail);
      case RemedyKind::fewer_selectors:
        return fmt::format("drop the requirement on {}", remedy.detail);
      case RemedyKind::that_node:
        return fmt::format("pin it to {} (nodeSelector {}={})", remedy.detail, advice::host_label, remedy.detail);
      case RemedyKind::more_nodes:
        return fmt::format("add {:g} node{} like {}", remedy.amount, remedy.amount > 1 ? "s" : "",
                           node_in_zone(std::get<advice::NodesAdded>(remedy.change).like));
      case RemedyKind::higher_priority:
        return fmt::format("give it a priority of {:.0f}", remedy.amount);
      case RemedyKind::higher_waiting_price:
        return fmt::format("set policy.settings.waitingPrice to {:.3g} or more", remedy.amount);
      case RemedyKind::higher_maximum:
        return remedy.amount > 0
                   ? fmt::format("raise the maximum of pool {} to {:g} cores", remedy.detail, remedy.amount)
                   : fmt::format("take the maximum of pool {} away", remedy.detail);
    }
    return "";
  }

  static std::string side_effect(const Remedy& remedy) {
    const auto count = page::count(static_cast<std::size_t>(std::abs(remedy.others)));
    const char* tasks = std::abs(remedy.others) == 1 ? "task" : "tasks";
    if (remedy.others > 0) return fmt::format("; {} other {} would start too", count, tasks);
    if (remedy.others < 0) return fmt::format("; {} other {} would wait instead", count, tasks);
    return "";
  }

  std::string remedies() const {
    if (said_.remedies.empty()) return "\nNo single change that was tried starts it at once.\n";
    std::string out = "\nEach of these would start it with the next plan, cheapest first:\n";
    for (std::size_t i = 0; i < said_.remedies.size(); ++i) {
      if (i == most_remedies) {
        out += fmt::format("  and {} more (--format json)\n", said_.remedies.size() - i);
        break;
      }
      const Remedy& remedy = said_.remedies[i];
      out += fmt::format("  {:>9}  {}, to run on {}{}{}\n", page::usd(remedy.dollars.value()), action(remedy),
                         remedy.node, side_effect(remedy), is_for_owner(remedy.kind) ? "" : " [administrator]");
    }
    const bool by_owner = std::any_of(said_.remedies.begin(), said_.remedies.end(),
                                      [](const Remedy& remedy) { return is_for_owner(remedy.kind); });
    return by_owner ? out + "A pod's own fields are changed by creating it again.\n" : out;
  }

  Json bill_json(const Bill& bill) const {
    return {{"total", bill.total().value()},
            {"cpu", bill.cpu.value()},
            {"transfer", bill.transfer.value()},
            {"shuffle", bill.shuffle.value()}};
  }
  Json place(const Place& place) const {
    const Node& node = cluster_.nodes[place.node];
    return {{"node", node.name},
            {"zone", cluster_.zones[node.zone].name},
            {"readFrom", place.read_from.valid() ? Json(cluster_.stores[place.read_from].name) : Json()},
            {"locality", to_string(place.locality)},
            {"dollars", bill_json(place.bill)}};
  }
  Json remedy_json(const Remedy& remedy) const {
    Json json = {{"kind", to_string(remedy.kind)},    {"for", is_for_owner(remedy.kind) ? "owner" : "administrator"},
                 {"action", action(remedy)},          {"detail", remedy.detail},
                 {"amount", remedy.amount},           {"node", remedy.node},
                 {"dollars", remedy.dollars.value()}, {"bill", bill_json(remedy.place.bill)},
                 {"otherTasks", remedy.others}};
    if (remedy.kind != RemedyKind::more_nodes) return json;
    const Node& like = cluster_.nodes[std::get<advice::NodesAdded>(remedy.change).like];
    json["like"] = {{"node", like.name},
                    {"instanceType", like.instance_type},
                    {"zone", cluster_.zones[like.zone].name},
                    {"capacityType", like.capacity_type == CapacityType::spot ? "spot" : "on-demand"},
                    {"dollarsPerHour", like.price.value()}};
    return json;
  }

  const ClusterSnapshot& cluster_;
  const Explanation& said_;
  const std::string name_;
};

}  // namespace

std::string why_text(const Question& question, const Explanation& explanation, const std::string& name) {
  return Answer(question, explanation, name).text();
}

std::string why_json(const Question& question, const Explanation& explanation, const std::string& name) {
  return Answer(question, explanation, name).json().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string held_text(const std::string& name, const std::string& why) {
  return fmt::format("{} is not planned: {}\n", name, why);
}

std::string held_json(const std::string& name, const std::string& why) {
  const Json json = {{"pod", name}, {"standing", "held"}, {"sentence", "is not planned: " + why}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lips::cmd
