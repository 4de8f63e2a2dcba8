// An instance of the linear programs of LiPS (Figs. 2, 3 and 4), the readings of what the paper leaves open, and a
// solution, as values.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace lips::paper {

// Machines and stores stand at places; what a byte costs depends on the two places only. A place is a zone, or one node
// where every pair of nodes has its own price (Fig. 5).
struct Machine {
  int place = 0;
  UsdPerCpuSecond price{};  // CPU_Cost(M)
  CpuSeconds capacity{};    // TP(M) x uptime(M) or x e, less what running tasks still need
  int kind = 0;             // for Job::kinds
  int count = 1;            // equal machines that this one stands for
};

struct Store {
  int place = 0;
  bool limited = false;
  Mebibytes space{};  // of a limited one: what StoreSpace says counts against it
};

struct DataObject {
  Mebibytes size{};
  std::vector<int> origins{};  // O(i): stores that hold all of it now, ascending; at least one
};

struct Job {
  std::vector<std::uint8_t> kinds{};  // 1 where machines of that kind may run it; empty: all may
  double ageing = 1;                  // factor on the price of F
};

// Tasks of a job that read one data object. A job is its parts.
struct Part {
  int job = 0;
  int data = -1;      // -1: no input (Pi)
  CpuSeconds cpu{};   // of all its tasks: CPU(J)
  Mebibytes input{};  // Size(D) x JD
  double tasks = 1;
  std::vector<Usd> place_cost{};  // further cost of the whole part by the machine's place (shuffle); empty: none
};

// [from][to] by place.
using PlaceMatrix = std::vector<std::vector<double>>;

struct Instance {
  std::vector<Machine> machines;
  std::vector<Store> stores;
  std::vector<DataObject> data;
  std::vector<Job> jobs;
  std::vector<Part> parts;
  PlaceMatrix read_price;  // MS, USD per MiB
  PlaceMatrix move_price;  // SS, USD per MiB; staying costs nothing
  PlaceMatrix stream;      // B in MiB/s of one transfer; empty or 0: not limited
  PlaceMatrix link;        // B in MiB/s of all transfers together; empty or 0: not limited
  Duration horizon{};      // uptime, or e
};

enum class TransferLimit : std::uint8_t {
  none,
  per_job_and_machine,  // (21) as printed
  per_link              // what is read and moved over a link fits the horizon
};
enum class SeveralInputs : std::uint8_t {
  own_tasks,  // each task reads one of the objects
  joint       // (13), (24) as printed: every share of the job reads the same share of all its objects from one store
};
enum class PartialAccess : std::uint8_t {
  every_block,  // JD < 1 is read of every block: links as printed
  any_blocks    // JD < 1 of the blocks, whichever are near
};
enum class StoreSpace : std::uint8_t {
  copies,     // originals stay; new copies need free space
  everything  // (9), (11), (19), (22) as printed: originals may go, all that is stored counts
};
enum class CpuCount : std::uint8_t {
  per_task,  // CPU(J) x xt
  per_input  // (12), (23) as printed: TCP x Size x JD, so a job without input uses no CPU
};
enum class MoveTerm : std::uint8_t {
  by_size,     // xd x SS x Size(D)
  per_portion  // (6), (16) as printed: without the size
};

struct Options {
  bool moves = true;            // Figs. 3 and 4; false: Fig. 2
  bool overflow = true;         // the fake node F of Fig. 4
  double overflow_factor = 10;  // F's price: this many times the dearest real price of a CPU-second with its input
  TransferLimit transfer = TransferLimit::per_link;
  SeveralInputs inputs = SeveralInputs::own_tasks;
  PartialAccess access = PartialAccess::every_block;
  StoreSpace space = StoreSpace::copies;
  CpuCount cpu = CpuCount::per_task;
  MoveTerm move_term = MoveTerm::by_size;
  // Leave out rows and columns that cannot change the optimum, and merge parts that no row tells apart.
  bool reduce = true;
  // When reducing: the machines at one place share columns of the parts that may run on each of them (the zone form).
  bool pool = true;
};

struct Flow {
  int part, machine;
  int store;     // -1: reads nothing
  double share;  // of the part
};

struct Move {
  int data, store;
  double share;  // xd
};

struct Solution {
  bool feasible = true;                         // false only without the overflow node
  std::vector<Flow> flows;                      // by part
  std::vector<Move> moves;                      // to stores that did not hold the data; by data, then store
  std::vector<double> waiting;                  // share of each part on F
  std::vector<Usd> overflow_price;              // of each whole part
  Usd cpu, read, move, overflow;                // (17), (18), (16) and F's part of (17)
  Usd objective;                                // their sum
  Usd lower_bound;                              // certified from the duals by solver::certify
  Usd dearer_sources;                           // at most, what copies from these could save over links with more room
  double violation = 0;                         // largest relative violation of a row or bound
  std::vector<UsdPerCpuSecond> machine_shadow;  // what a further CPU-second on the machine would save
  PlaceMatrix link_shadow;                      // what a further MiB over the link would save, USD; empty: none binds
  std::int64_t rows = 0, columns = 0, nonzeros = 0, iterations = 0;
  int groups = 0;  // of parts, after merging
  Usd dollars() const { return cpu + read + move; }
  double gap() const { return lower_bound.value() > 0 ? objective / lower_bound - 1 : 0; }
};

}  // namespace lips::paper
