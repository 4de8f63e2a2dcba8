// A search that needs no instrumented build: mutants of inputs and of mutants that were taken, as fast as the build is.
// It does not see which code a mutant reaches; search.cpp does.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace lips::fuzz {

// One or two changes, drawn by the seed; some with a part of the other input.
std::string mutant_of(Form form, const std::string& input, const std::string& other, std::uint64_t seed);

// The program ends by a signal where the target does, or takes 20 seconds of CPU for one input or 4 GiB of memory;
// `kept` then holds the input.
void search_blindly(const Target& target, const std::vector<std::string>& inputs, double seconds,
                    const std::string& kept);

}  // namespace lips::fuzz
