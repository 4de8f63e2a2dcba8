#include "cmd/cli/reading_line.h"

#include <fmt/format.h>

#include <cstdio>

#include "cmd/cli/progress.h"

namespace lips::cmd {

std::function<void(std::size_t, std::size_t)> reading_line(bool wanted) {
  return [shown = wanted && stderr_is_terminal()](std::size_t done, std::size_t all) {
    if (!shown || all < 2 || (done % 16 != 0 && done < all)) return;
    if (done < all)
      fmt::print(stderr, "\rreading the journal, {}/{} records\x1b[K", done, all);
    else
      std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
  };
}

}  // namespace lips::cmd
