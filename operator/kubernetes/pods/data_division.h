// The division of a job's data among its tasks, and the text under which objects of the cluster keep it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lips::kubernetes {

struct DataDivision {
  std::uint32_t tasks = 0;
  std::uint32_t first = 0, blocks = 0;  // of the data set
  std::string contents;                 // a digest of where these blocks lie, and how large they are
  friend bool operator==(const DataDivision&, const DataDivision&) = default;
};

// With whose division it is, and of which data: a copied object says nothing about another job.
struct SaidDivision {
  std::string job;       // the uid of a Job, else the key of the job
  std::string data_set;  // as its pods name it
  DataDivision division;
  friend bool operator==(const SaidDivision&, const SaidDivision&) = default;
};

std::string division_text(const SaidDivision& said);
// None: the text says no division.
std::optional<SaidDivision> read_division(const std::string& text);

}  // namespace lips::kubernetes
