// A fuzz target: what is done with one input, whatever it is. It may end in an error, never in a crash, a finding of a
// sanitizer or a broken promise (FUZZ_CHECK). Built for libFuzzer each target is a program; else all are in one test.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace lips::fuzz {

// json: inputs are JSON (or YAML, which JSON is), and mutants keep to its form, so that they get behind the parser.
enum class Form : std::uint8_t { bytes, json };

struct Target {
  const char* name;  // of its folder of inputs
  Form form;
  void (*run)(std::string_view input);
};
std::vector<Target>& targets();
struct Registration {
  explicit Registration(Target target) { targets().push_back(target); }
};

// One or a few changes to a JSON text, drawn by the seed: scalars, keys and whole values are replaced, moved, repeated
// and left out. Text that is no JSON comes back as it is.
std::string mutated_json(std::string_view text, std::uint64_t seed);

}  // namespace lips::fuzz

#define FUZZ_CHECK(condition)                                                              \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      std::fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                        \
    }                                                                                      \
  } while (false)

#ifdef LIPS_FUZZ
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace lips::fuzz {
inline std::size_t mutate_in_place(Form form, std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (form == Form::bytes || seed % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string changed = mutated_json({reinterpret_cast<const char*>(data), size}, seed);
  if (changed.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}
}  // namespace lips::fuzz

#define FUZZ_TARGET(target, form)                                                                        \
  static void run_##target(std::string_view input);                                                      \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {                    \
    run_##target({reinterpret_cast<const char*>(data), size});                                           \
    return 0;                                                                                            \
  }                                                                                                      \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, \
                                                 unsigned seed) {                                        \
    return lips::fuzz::mutate_in_place(lips::fuzz::Form::form, data, size, most, seed);                  \
  }                                                                                                      \
  static void run_##target(std::string_view input)
#else
#define FUZZ_TARGET(target, form)                                                                               \
  static void run_##target(std::string_view input);                                                             \
  static const lips::fuzz::Registration registration_##target({#target, lips::fuzz::Form::form, run_##target}); \
  static void run_##target(std::string_view input)
#endif
