// A fuzz target: what is done with one input, whatever it is. It may end in an error, never in a crash, a finding of a
// sanitizer or a broken promise (FUZZ_CHECK). corpus_test.cpp and search.cpp run targets; a target knows neither.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace lips::fuzz {

// json: inputs are JSON (or YAML, which JSON is), and mutants keep to its form, so that they get behind the parser.
enum class Form : std::uint8_t { bytes, json };

struct Target {
  const char* name;  // of its folder of inputs
  Form form;
  bool (*run)(std::string_view input);  // false: the input was refused
};
std::vector<Target>& targets();
struct Registration {
  explicit Registration(Target target) { targets().push_back(target); }
};

}  // namespace lips::fuzz

#define FUZZ_CHECK(condition)                                                              \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      std::fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                        \
    }                                                                                      \
  } while (false)

#define FUZZ_TARGET(target, form)                                                                               \
  static bool run_##target(std::string_view input);                                                             \
  static const lips::fuzz::Registration registration_##target({#target, lips::fuzz::Form::form, run_##target}); \
  static bool run_##target(std::string_view input)
