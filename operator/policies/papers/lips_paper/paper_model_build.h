// Builds the linear program of an instance and reads its solution back. Part of paper_model; for its tests and solve()
// only.
#pragma once

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "policies/papers/lips_paper/paper_instance.h"
#include "solver/certificate.h"
#include "solver/clp_backend.h"
#include "solver/linear_program.h"

namespace lips::paper {

// The place from which a copy of the object to the store costs least.
int cheapest_source(const Instance& instance, int data, int store);

class ModelBuilder {
 public:
  // `limit`: the transfer rows that are built; the others of `options` hold as they are.
  ModelBuilder(const Instance& instance, const Options& options, TransferLimit limit);
  const solver::LinearProgram& program() const { return program_; }
  double units_per_dollar() const { return scale_; }  // of the program's objective
  Solution read(const solver::LpSolution& solved, const solver::Certificate& certificate) const;

 private:
  struct Input {
    int data;
    double bytes;
  };
  // A group with one supply row: a part, a job (joint inputs) or several parts that no row tells apart.
  struct PartGroup {
    std::vector<int> parts;
    std::vector<Input> inputs;
    double supply = 0;  // CPU-seconds, or tasks of a part without CPU
    double cpu_per_unit = 0;
    double bytes_per_unit = 0;
    double overflow_price = 0;
    int job = 0;
    solver::RowId row;
  };
  // A column of xt. A pooled one is of all machines at the place of `machine` together: the group may run on each of
  // them, so that they differ for it by the price of their CPU-seconds only, which the pool's own columns pay.
  struct Cell {
    int group, machine, store;
    bool pooled;
  };
  struct MachinePool {
    std::vector<int> machines;
    solver::RowId row;        // what its groups take <= what its machines give
    solver::ColumnId column;  // of the first machine
  };
  struct Piece {
    int machine, store;
    double amount;
  };

  bool joint() const { return options_.inputs == SeveralInputs::joint; }
  bool reducing() const {
    return options_.reduce && limit_ == TransferLimit::none && options_.space == StoreSpace::copies;
  }
  bool may_run(const PartGroup& group, const Machine& machine) const;
  bool holds(int data, int store) const;
  double read_price(int store, int machine) const;
  double move_price(int data, int store) const;
  int cheapest_origin(int data, int place) const;
  double supply_of(const PartGroup& group) const;

  void make_groups();
  void price_overflow();
  void choose_copies();
  bool copy_pays(int data, int store, const std::vector<int>& readers) const;
  void merge_groups();
  void add_rows();
  void add_flows();
  void add_flow(int group, int machine, int store, bool pooled);
  bool pools(const PartGroup& group, const MachinePool& pool) const;
  void add_pools();
  std::vector<int> stores_for(const PartGroup& group, int machine) const;
  void add_transfer_entries(const PartGroup& group, int machine, int store, std::vector<solver::Entry>& entries);
  void add_link_entries(int group, int store, std::vector<solver::Entry>& entries);
  void add_copies();
  void add_overflow();
  std::vector<std::vector<Piece>> pieces(const std::vector<double>& primal) const;
  Usd saved_by_dearer_source(const Solution& solution, int data, int store) const;
  void share_out(const solver::LpSolution& solved, Solution& solution) const;
  void share_out_jointly(const PartGroup& group, const std::vector<Piece>& pieces, double late,
                         Solution& solution) const;
  void share_out_in_order(const PartGroup& group, const std::vector<Piece>& pieces, double late,
                          Solution& solution) const;
  void price(Solution& solution) const;

  const Instance& instance_;
  const Options& options_;
  TransferLimit limit_;
  solver::LinearProgram program_;
  double scale_ = 1;  // objective units a dollar: prices of a CPU-second near 1, far above the solver's tolerances
  std::vector<PartGroup> groups_;
  std::vector<std::vector<std::uint8_t>> copy_;  // [data][store]: there is a column xd
  std::vector<solver::RowId> cpu_row_, space_row_, placed_row_;
  std::map<std::pair<int, int>, solver::RowId> transfer_row_;               // (job, machine) or (place, place)
  std::map<std::tuple<int, int, int>, solver::RowId> link_row_;             // (group, data, store)
  std::map<std::pair<int, int>, std::vector<solver::Entry>> copy_entries_;  // links of xd, (data, store)
  std::vector<MachinePool> machine_pools_;                                  // by place
  std::vector<Cell> cells_;                                                 // of the first columns
  std::vector<std::pair<int, int>> copies_;                                 // of the next ones
  std::vector<int> overflow_;  // groups, of the next ones; then the pools' machines
};

}  // namespace lips::paper
