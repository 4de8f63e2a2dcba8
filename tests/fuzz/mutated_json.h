// Changes to JSON texts that leave them JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lips::fuzz {

// One or a few changes, drawn by the seed: amounts change, values are put where others of their name or kind are,
// repeated, left out and replaced by extremes.
// Text that is no JSON comes back as it is.
std::string mutated_json(std::string_view text, std::uint64_t seed);

// The text with a member or an item of the other's more, at a place of the same name: "quota" of a pool for a pool.
std::string crossed_json(std::string_view text, std::string_view other, std::uint64_t seed);

}  // namespace lips::fuzz
