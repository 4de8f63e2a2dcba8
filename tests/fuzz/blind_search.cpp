#include "tests/fuzz/blind_search.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <string_view>

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
    switch (random.below(7)) {
      case 0:  // as a write that was cut short; behind the end of a word is also where a parser may look
        text.resize(at);
        break;
      case 1:
      case 2:
        text.erase(at, 1 + random.below(8));
        break;
      case 3:
      case 4:
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

// Stays open: opening a file for each input takes longer than most inputs.
class LastInput {
 public:
  explicit LastInput(const std::string& path) : file_(open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644)) {}
  LastInput(const LastInput&) = delete;
  LastInput& operator=(const LastInput&) = delete;
  ~LastInput() { close(file_); }
  void keep(const std::string& input) const {
    const auto size = static_cast<ssize_t>(input.size());
    if (pwrite(file_, input.data(), input.size(), 0) != size || ftruncate(file_, size) != 0)
      std::perror("what is searched with cannot be kept");
  }

 private:
  int file_;
};

// The same in every run, so that a change fails by what it changes; another one, or "random", searches elsewhere.
std::uint64_t chosen_seed() {
  const char* asked = std::getenv("LIPS_FUZZ_SEED");
  if (!asked) return 1;
  return std::string_view(asked) == "random" ? std::random_device{}() : std::strtoull(asked, nullptr, 10);
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
  const LastInput last(kept);
  Random random(seed);
  std::vector<std::string> pool = inputs;
  std::uint64_t runs = 0, taken = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    const std::string& other = pool[random.below(pool.size())];
    std::string mutant = mutant_of(target.form, pool[random.below(pool.size())], other, random.bits());
    if (mutant.size() > most_bytes) continue;
    last.keep(mutant);
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
  std::filesystem::remove(kept);  // nothing was found
  std::printf("%s: %llu mutants, %llu taken\n", target.name, static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(taken));
}

}  // namespace lips::fuzz
