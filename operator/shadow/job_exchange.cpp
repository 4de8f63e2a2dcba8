#include "shadow/job_exchange.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lips {

namespace {

void add_to(PeersByZone& sums, ZoneId zone, double part) {
  if (!sums.contains(zone)) sums.resize(zone.index() + 1);
  sums[zone] += part;
}

void add_all(PeersByZone& sums, const PeersByZone& more) {
  for (const ZoneId zone : more.ids()) add_to(sums, zone, more[zone]);
}

double total(const PeersByZone& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

}  // namespace

void JobExchange::Parts::add(const Pod& pod, double part) {
  if (!pod.actual.valid()) return;
  add_to(actual, pod.actual, part);
  if (!pod.planned.valid()) return;
  add_to(compared, pod.actual, part);
  add_to(planned, pod.planned, part);
}

JobExchange::Parts& JobExchange::Parts::operator+=(const Parts& other) {
  add_all(actual, other.actual), add_all(compared, other.compared), add_all(planned, other.planned);
  return *this;
}

JobExchange::Parts JobExchange::Side::all() const {
  Parts parts = ended;
  return parts += running;
}

void JobExchange::look(const Job& part, std::optional<Mebibytes> a_cpu_second) {
  peers_ |= part.whole.peers;
  if (!a_cpu_second) size_ = std::max(size_, part.shuffle);
  if (!begun_) a_cpu_second_ = size_.value() > 0 ? std::nullopt : a_cpu_second;
  const auto expect = [this](TaskKind kind, std::uint32_t pods) {
    expected_[kind] = std::max(expected_[kind], static_cast<double>(pods));
  };
  expect(TaskKind::map, std::max(part.all_maps(), part.whole.expected));
  expect(TaskKind::reduce, part.all_reduces());
}

void JobExchange::arrived(TaskKind kind, double weight) { ++seen_[kind], weight_[kind] += weight; }

// Peers exchange while they work. Maps leave their output at their end, and reduces read while they work.
void JobExchange::add(const Pod& pod) {
  begun_ = true;
  if (peers_)
    read_.add(pod, pod.weight * (a_cpu_second_ ? pod.work.value() : pod.done));
  else if (pod.kind == TaskKind::reduce)
    read_.add(pod, pod.done);
  else if (pod.ended)
    sent_.add(pod, 1);
}

// Those to come count as much as a worker.
Mebibytes JobExchange::each() const {
  if (a_cpu_second_) return *a_cpu_second_;
  const TaskKind kind = peers_ ? TaskKind::map : TaskKind::reduce;
  const double all = weight_[kind] + std::max(0.0, expected_[kind] - seen_[kind]);
  return all > 0 ? size_ / all : Mebibytes(0);
}

// Two pods are compared only if both are: what any other two exchange costs the plan what it cost.
JobExchange::Dollars JobExchange::change(const CostModel& costs) {
  const Parts read = read_.all(), sent = peers_ ? read : sent_.all();
  const double senders = total(sent.actual);
  const auto price = [&](const PeersByZone& from, const PeersByZone& to) {
    return senders > 0 ? exchange_cost(costs, each() * (total(to) * total(from) / senders), from, to) : Usd(0);
  };
  const Usd actual = price(sent.actual, read.actual);
  const Usd planned = actual - price(sent.compared, read.compared) + price(sent.planned, read.planned);
  const auto term = a_cpu_second_ ? &WatchedDollars::shuffle_assumed : &WatchedDollars::shuffle;
  Dollars more;
  more.actual.*term = actual - std::exchange(told_actual_, actual);
  more.planned.*term = planned - std::exchange(told_planned_, planned);
  return more;
}

PeersByZone JobExchange::planned_maps() const {
  PeersByZone maps = sent_.ended.actual;
  add_all(maps, sent_.ended.planned);
  for (const ZoneId zone : sent_.ended.compared.ids()) maps[zone] -= sent_.ended.compared[zone];
  return maps;
}

}  // namespace lips
