// `lips simulate` as a program of its own: it needs half of the code, so scripts/demo shows its table before the rest
// is compiled.
#include <algorithm>
#include <string>
#include <vector>

#include "cmd/cli/command.h"

int main(int count, char** words) {
  const std::vector<std::string> all(words + std::min(count, 1), words + count);
  const lips::Result<int> status =
      lips::cmd::guarded([&]() -> lips::Result<int> { return lips::cmd::run_simulate(all); });
  return status ? *status : lips::cmd::print_error(status.error());
}
