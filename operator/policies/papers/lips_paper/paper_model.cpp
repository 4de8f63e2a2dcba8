#include "policies/papers/lips_paper/paper_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "policies/papers/lips_paper/paper_model_build.h"

namespace lips::paper {

namespace {

constexpr double nothing = 1e-9;  // shares below are the solver's noise

Result<void> check(const Instance& instance) {
  std::size_t places = instance.read_price.size();
  const auto wrong = [](std::string what) -> Result<void> { return fail(ErrorCode::invalid_input, std::move(what)); };
  if (instance.move_price.size() != places) return wrong("the price matrices MS and SS differ in size");
  const auto known = [&](int place) { return place >= 0 && static_cast<std::size_t>(place) < places; };
  for (const Machine& machine : instance.machines)
    if (!known(machine.place)) return wrong(fmt::format("a machine stands at place {} of {}", machine.place, places));
  for (const Store& store : instance.stores)
    if (!known(store.place)) return wrong(fmt::format("a store stands at place {} of {}", store.place, places));
  for (std::size_t i = 0; i < instance.data.size(); ++i) {
    const std::vector<int>& origins = instance.data[i].origins;
    if (origins.empty() || !std::is_sorted(origins.begin(), origins.end()) || origins.front() < 0 ||
        static_cast<std::size_t>(origins.back()) >= instance.stores.size())
      return wrong(fmt::format("data object {} is nowhere, or its stores are not in order", i));
  }
  for (const Part& part : instance.parts)
    if (part.job < 0 || static_cast<std::size_t>(part.job) >= instance.jobs.size() ||
        part.data >= static_cast<int>(instance.data.size()))
      return wrong(fmt::format("a part names job {} or data object {}, which do not exist", part.job, part.data));
  return {};
}

bool limits_transfers(const Instance& instance, TransferLimit limit) {
  if (limit == TransferLimit::none) return false;
  const PlaceMatrix& bandwidth = limit == TransferLimit::per_link ? instance.link : instance.stream;
  for (const std::vector<double>& row : bandwidth)
    if (std::any_of(row.begin(), row.end(), [](double value) { return value > 0; })) return true;
  return false;
}

double size_of(const Instance& instance, int data) { return instance.data[data].size.value(); }

// Says whether a solution of the program without transfer rows keeps them nevertheless: then it is the optimum with
// them too.
bool keeps_transfer_rows(const Instance& instance, TransferLimit limit, const Solution& solution) {
  std::map<std::pair<int, int>, double> used;
  const double horizon = to_seconds(instance.horizon);
  for (const Flow& flow : solution.flows) {
    if (flow.store < 0) continue;
    const int from = instance.stores[flow.store].place, to = instance.machines[flow.machine].place;
    const double bytes = flow.share * instance.parts[flow.part].input.value();
    if (limit == TransferLimit::per_link)
      used[{from, to}] += bytes;
    else if (instance.stream[from][to] > 0)
      used[{instance.parts[flow.part].job, flow.machine}] += bytes / instance.stream[from][to];
  }
  if (limit == TransferLimit::per_link)
    for (const Move& move : solution.moves)
      used[{cheapest_source(instance, move.data, move.store), instance.stores[move.store].place}] +=
          move.share * size_of(instance, move.data);
  return std::all_of(used.begin(), used.end(), [&](const auto& entry) {
    const auto [key, amount] = entry;
    if (limit == TransferLimit::per_job_and_machine)
      return amount <= horizon * instance.machines[key.second].count * (1 + 1e-9);
    const double bandwidth = instance.link[key.first][key.second];
    return bandwidth <= 0 || amount <= bandwidth * horizon * (1 + 1e-9);
  });
}

Result<Solution> solve_with(const Instance& instance, const Options& options, TransferLimit limit) {
  const ModelBuilder builder(instance, options, limit);
  const solver::LpSolution solved = solver::solve(builder.program());
  if (solved.status == solver::LpStatus::infeasible) {
    Solution none;
    none.feasible = false;
    return none;
  }
  if (const auto wrong = builder.program().out_of_range())
    return fail(ErrorCode::invalid_input, fmt::format("the LP cannot be solved: {}; at most {} can be reckoned with",
                                                      *wrong, solver::most_magnitude));
  if (solved.status != solver::LpStatus::optimal)
    return fail(ErrorCode::internal,
                fmt::format("the LP of {} rows and {} columns was not solved: it is {}", builder.program().rows(),
                            builder.program().columns(), to_string(solved.status)));
  return builder.read(solved, solver::certify(builder.program(), solved.primal, solved.row_dual));
}

}  // namespace

Result<Solution> solve(const Instance& instance, const Options& options) {
  if (Result<void> sound = check(instance); !sound) return tl::unexpected<Error>(sound.error());
  if (!limits_transfers(instance, options.transfer)) return solve_with(instance, options, TransferLimit::none);
  if (options.reduce && options.space == StoreSpace::copies) {
    Result<Solution> relaxed = solve_with(instance, options, TransferLimit::none);
    if (!relaxed || !relaxed->feasible || keeps_transfer_rows(instance, options.transfer, *relaxed)) return relaxed;
  }
  return solve_with(instance, options, options.transfer);
}

Solution ModelBuilder::read(const solver::LpSolution& solved, const solver::Certificate& certificate) const {
  Solution solution;
  solution.rows = program_.rows();
  solution.columns = program_.columns();
  solution.nonzeros = program_.nonzeros();
  solution.iterations = solved.iterations;
  solution.groups = static_cast<int>(groups_.size());
  solution.lower_bound = Usd(certificate.lower_bound / scale_);
  solution.violation = std::max(certificate.row_violation, certificate.column_violation);
  solution.waiting.assign(instance_.parts.size(), 0);
  solution.overflow_price.assign(instance_.parts.size(), Usd(0));
  for (const PartGroup& group : groups_)
    for (int part : group.parts) {
      const Part& p = instance_.parts[part];
      const double supply = joint() ? group.supply / static_cast<double>(group.parts.size())
                                    : (p.cpu.value() > 0 ? p.cpu.value() : p.tasks);
      solution.overflow_price[part] = Usd(group.overflow_price * supply);
    }
  for (solver::RowId row : cpu_row_)
    solution.machine_shadow.emplace_back(std::max(0.0, -solved.row_dual[row.index()]) / scale_);
  // A pool's machine is limited by its column too, which may carry the price instead of the row.
  for (const MachinePool& pool : machine_pools_) {
    if (!pool.row.valid()) continue;
    for (std::size_t i = 0; i < pool.machines.size(); ++i) {
      const int machine = pool.machines[i];
      const double reduced = program_.cost()[pool.column.index() + i] + solved.row_dual[pool.row.index()] -
                             solved.row_dual[cpu_row_[machine].index()];
      solution.machine_shadow[machine] += UsdPerCpuSecond(std::max(0.0, -reduced) / scale_);
    }
  }
  if (limit_ == TransferLimit::per_link) {
    const std::size_t places = instance_.link.size();
    solution.link_shadow.assign(places, std::vector<double>(places, 0));
    for (const auto& [link, row] : transfer_row_)
      solution.link_shadow[link.first][link.second] = std::max(0.0, -solved.row_dual[row.index()]) / scale_;
    for (const auto& [data, store] : copies_) solution.dearer_sources += saved_by_dearer_source(solution, data, store);
  }
  share_out(solved, solution);
  const std::size_t first = cells_.size();
  for (std::size_t c = 0; c < copies_.size(); ++c) {
    const double share = std::min(1.0, solved.primal[first + c]);
    if (share > nothing && !holds(copies_[c].first, copies_[c].second))
      solution.moves.push_back({copies_[c].first, copies_[c].second, share});
  }
  price(solution);
  return solution;
}

// A copy's column knows its cheapest source only. Over a link with more room a dearer one may be better.
Usd ModelBuilder::saved_by_dearer_source(const Solution& solution, int data, int store) const {
  const int to = instance_.stores[store].place;
  const auto price = [&](int from) { return instance_.move_price[from][to] + solution.link_shadow[from][to]; };
  const int cheapest = cheapest_source(instance_, data, store);
  double least = price(cheapest);
  for (int origin : instance_.data[data].origins) least = std::min(least, price(instance_.stores[origin].place));
  return Usd((price(cheapest) - least) * size_of(instance_, data));
}

// The part of each group on each machine. A pool's groups take its machines in order of their columns: who takes which
// does not change the cost.
std::vector<std::vector<ModelBuilder::Piece>> ModelBuilder::pieces(const std::vector<double>& primal) const {
  std::vector<std::vector<Piece>> result(groups_.size());
  struct Tap {
    std::size_t next = 0;
    double left = 0;
  };
  std::vector<Tap> taps(machine_pools_.size());
  const auto given = [&](const MachinePool& pool, std::size_t at) { return primal[pool.column.index() + at]; };
  for (std::size_t place = 0; place < machine_pools_.size(); ++place)
    if (machine_pools_[place].row.valid()) taps[place].left = given(machine_pools_[place], 0);
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const Cell& cell = cells_[c];
    double amount = primal[c];
    if (amount <= 0) continue;
    if (!cell.pooled) {
      result[cell.group].push_back({cell.machine, cell.store, amount});
      continue;
    }
    const int place = instance_.machines[cell.machine].place;
    const MachinePool& pool = machine_pools_[place];
    Tap& tap = taps[place];
    const double noise = nothing * amount;
    while (amount > noise) {
      while (tap.left <= 0 && tap.next + 1 < pool.machines.size()) tap.left = given(pool, ++tap.next);
      const bool last = tap.next + 1 == pool.machines.size();
      const double taken = last ? amount : std::min(amount, tap.left);  // the last gives what tolerances left over
      if (taken > noise) result[cell.group].push_back({pool.machines[tap.next], cell.store, taken});
      tap.left -= taken;
      amount -= taken;
    }
  }
  return result;
}

// Merged parts take what their group got in order: the first part fills up before the next, F comes last.
void ModelBuilder::share_out(const solver::LpSolution& solved, Solution& solution) const {
  std::vector<double> late(groups_.size(), 0);
  for (std::size_t o = 0; o < overflow_.size(); ++o) {
    const double amount = solved.primal[cells_.size() + copies_.size() + o];
    if (amount > nothing * groups_[overflow_[o]].supply) late[overflow_[o]] = amount;
  }
  const std::vector<std::vector<Piece>> got = pieces(solved.primal);
  for (std::size_t u = 0; u < groups_.size(); ++u) {
    if (groups_[u].supply <= 0) continue;
    if (joint())
      share_out_jointly(groups_[u], got[u], late[u], solution);
    else
      share_out_in_order(groups_[u], got[u], late[u], solution);
  }
}

void ModelBuilder::share_out_jointly(const PartGroup& group, const std::vector<Piece>& pieces, double late,
                                     Solution& solution) const {
  for (const Piece& piece : pieces) {
    const double share = piece.amount / group.supply;
    if (share <= nothing) continue;
    for (int part : group.parts) solution.flows.push_back({part, piece.machine, piece.store, share});
  }
  for (int part : group.parts) solution.waiting[part] = late / group.supply;
}

void ModelBuilder::share_out_in_order(const PartGroup& group, const std::vector<Piece>& pieces, double late,
                                      Solution& solution) const {
  std::size_t next = 0;
  // Without a share on F the last piece takes what the solver's tolerance left over.
  const auto amount = [&](std::size_t at) {
    return at + 1 == pieces.size() && late == 0 ? solver::infinity : pieces[at].amount;
  };
  double left = pieces.empty() ? 0 : amount(0);
  for (int part : group.parts) {
    const Part& p = instance_.parts[part];
    const double whole = p.cpu.value() > 0 ? p.cpu.value() : p.tasks;
    double open = whole;
    while (open > nothing * whole && next < pieces.size()) {
      const Piece& piece = pieces[next];
      const double taken = std::min(open, left);
      // A merged group's store stands for the part's own one at the same place.
      const int store = piece.store >= 0 && group.parts.size() > 1
                            ? cheapest_origin(p.data, instance_.machines[piece.machine].place)
                            : piece.store;
      if (taken > nothing * whole) solution.flows.push_back({part, piece.machine, store, taken / whole});
      open -= taken;
      left -= taken;
      if (left <= nothing * whole && ++next < pieces.size()) left = amount(next);
    }
    solution.waiting[part] = open > nothing * whole ? open / whole : 0;
  }
}

void ModelBuilder::price(Solution& solution) const {
  for (const Flow& flow : solution.flows) {
    const Part& part = instance_.parts[flow.part];
    const Machine& machine = instance_.machines[flow.machine];
    solution.cpu += machine.price * part.cpu * flow.share;
    if (flow.store >= 0) solution.read += Usd(read_price(flow.store, flow.machine) * part.input.value() * flow.share);
    if (!part.place_cost.empty()) solution.read += part.place_cost[machine.place] * flow.share;
  }
  for (const Move& move : solution.moves) {
    const double scale = options_.move_term == MoveTerm::by_size ? size_of(instance_, move.data) : 1;
    solution.move += Usd(move_price(move.data, move.store) * scale * move.share);
  }
  for (std::size_t part = 0; part < solution.waiting.size(); ++part)
    solution.overflow += solution.overflow_price[part] * solution.waiting[part];
  solution.objective = solution.cpu + solution.read + solution.move + solution.overflow;
}

}  // namespace lips::paper
