// Changes to JSON texts that leave them JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lips::fuzz {

// One or a few changes, drawn by the seed: scalars, keys and whole values are replaced, moved, repeated and left out.
// Text that is no JSON comes back as it is.
std::string mutated_json(std::string_view text, std::uint64_t seed);

}  // namespace lips::fuzz
