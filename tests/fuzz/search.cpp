// The program of libFuzzer's: fuzz TARGET [OPTION...] FOLDER... searches, fuzz TARGET FILE... repeats.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/mutated_json.h"

namespace {

const lips::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

// Takes the target's name out of the arguments; libFuzzer reads the rest.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  const std::string name = *count > 1 ? (*arguments)[1] : "";
  for (const lips::fuzz::Target& target : lips::fuzz::targets())
    if (target.name == name) chosen = &target;
  if (!chosen) {
    std::fprintf(stderr, "found target '%s'; allowed:", name.c_str());
    for (const lips::fuzz::Target& target : lips::fuzz::targets()) std::fprintf(stderr, " %s", target.name);
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  std::rotate(*arguments + 1, *arguments + 2, *arguments + *count);
  --*count;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (chosen->form == lips::fuzz::Form::bytes || seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string changed = lips::fuzz::mutated_json({reinterpret_cast<const char*>(data), size}, seed);
  if (changed.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}

// 0: this pair gives nothing, and libFuzzer goes on.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second, std::size_t second_size, std::uint8_t* out,
                                                 std::size_t most, unsigned seed) {
  const std::string_view text(reinterpret_cast<const char*>(first), first_size);
  const std::string_view other(reinterpret_cast<const char*>(second), second_size);
  std::string crossed;
  if (chosen->form == lips::fuzz::Form::json)
    crossed = lips::fuzz::crossed_json(text, other, seed);
  else
    crossed.append(text.substr(0, seed % (text.size() + 1))).append(other.substr(seed / 7 % (other.size() + 1)));
  if (crossed.size() > most) return 0;
  std::copy(crossed.begin(), crossed.end(), out);
  return crossed.size();
}
