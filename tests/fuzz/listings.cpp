// The answers of rclone and WebHDFS about files and blocks. The first line is LISTSTATUS, the rest are locations or a
// listing.
#include "kubernetes/data/discovered.h"
#include "kubernetes/data/hdfs_walk.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::kubernetes {

FUZZ_TARGET(listings, bytes) {
  bool taken = false;
  DataSetSpec spec;
  spec.block_size = 1 << 20;
  spec.discover.path = "/data";
  spec.discover.store = "s";
  spec.discover.hosts = {{"dn1", "node-1"}, {"dn2", "node-2"}};
  for (const std::int64_t block_size : {std::int64_t{0}, std::int64_t{1} << 20}) {
    spec.block_size = block_size;
    if (const auto found = read_listing(input, spec)) {
      for (const DataFile& file : found->files) FUZZ_CHECK(file.size > 0 && !file.path.empty());
      taken = true;
    }
  }
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view rest = input.substr(std::min(input.size(), end + 1));
  if (const auto listing = read_hdfs_status(input.substr(0, end), "/data")) {
    HdfsWalk walk(spec.discover);
    if (walk.take(input) && !walk.done()) taken |= walk.take(rest).has_value();
    taken |= read_hdfs_blocks(listing->files, rest, spec).has_value();
  }
  return taken;
}

}  // namespace lips::kubernetes
