#include "tests/fuzz/blind_search.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/random.h"
#include "tests/fuzz/mutated_json.h"

namespace lips::fuzz {

namespace {

constexpr std::size_t most_bytes = 16384, most_kept = 1000;
constexpr rlim_t most_memory = rlim_t{4} << 30;
constexpr long most_cpu_seconds = 20;

std::string mutated_bytes(std::string text, std::uint64_t seed) {
  Random random(seed);
  for (std::uint64_t left = 1 + random.below(3); left > 0 && !text.empty(); --left) {
    const std::size_t at = random.below(text.size());
    switch (random.below(3)) {
      case 0:
        text.erase(at, 1 + random.below(8));
        break;
      case 1:
        text[at] = static_cast<char>(random.below(256));
        break;
      default:
        text.insert(at, text.substr(random.below(text.size()), 1 + random.below(16)));
    }
  }
  return text;
}

// SIGPROF ends the program when it expires. CPU time, so that a busy machine fails nothing.
void begin_limit() {
  itimerval limit{};
  limit.it_value.tv_sec = most_cpu_seconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min(limit.rlim_max, most_memory);
  setrlimit(RLIMIT_AS, &limit);
#endif
}

std::uint64_t chosen_seed() {
  const char* asked = std::getenv("LIPS_FUZZ_SEED");
  return asked ? std::strtoull(asked, nullptr, 10) : std::random_device{}();
}

}  // namespace

std::string mutant_of(Form form, const std::string& input, const std::string& other, std::uint64_t seed) {
  if (form == Form::bytes || seed % 8 == 0) return mutated_bytes(input, seed);
  return seed % 8 == 1 ? mutated_json(crossed_json(input, other, seed), seed) : mutated_json(input, seed);
}

void search_blindly(const Target& target, const std::vector<std::string>& inputs, double seconds,
                    const std::string& kept) {
  const std::uint64_t seed = chosen_seed();
  std::printf("%s: searching for %g s from LIPS_FUZZ_SEED=%llu; the input at which this ends: %s\n", target.name,
              seconds, static_cast<unsigned long long>(seed), kept.c_str());
  std::fflush(stdout);
  limit_memory();
  std::filesystem::create_directories(std::filesystem::path(kept).parent_path());
  Random random(seed);
  std::vector<std::string> pool = inputs;
  std::uint64_t runs = 0, taken = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    const std::string& other = pool[random.below(pool.size())];
    std::string mutant = mutant_of(target.form, pool[random.below(pool.size())], other, random.bits());
    if (mutant.size() > most_bytes) continue;
    std::ofstream(kept, std::ios::binary) << mutant;
    begin_limit();
    const bool ok = target.run(mutant);
    ++runs, taken += ok;
    if (!ok || random.below(4) != 0) continue;
    if (pool.size() < inputs.size() + most_kept)
      pool.push_back(std::move(mutant));
    else
      pool[inputs.size() + random.below(most_kept)] = std::move(mutant);
  }
  itimerval none{};
  setitimer(ITIMER_PROF, &none, nullptr);
  std::filesystem::remove(kept);
  std::printf("%s: %llu mutants, %llu taken\n", target.name, static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(taken));
}

}  // namespace lips::fuzz
