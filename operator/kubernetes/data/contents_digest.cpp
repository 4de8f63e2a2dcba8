#include "kubernetes/data/contents_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace lips::kubernetes {
namespace {

// FNV-1a of 64 bits: it finds changes, and is no proof against those who look for two contents with one digest.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char each : text) {
      value_ ^= static_cast<unsigned char>(each);
      value_ *= 1'099'511'628'211ULL;
    }
    add(static_cast<std::int64_t>(text.size()));
  }
  void add(std::int64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      value_ ^= static_cast<unsigned char>(number >> shift);
      value_ *= 1'099'511'628'211ULL;
    }
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 14'695'981'039'346'656'037ULL;
};

}  // namespace

std::string contents_digest(const std::string& uid, const DataLayout& layout, std::uint32_t first,
                            std::uint32_t count) {
  Digest digest;
  digest.add(uid);
  digest.add(layout.folder);
  digest.add(layout.block_size);
  const std::uint32_t end = std::min(first + count, layout.native);
  if (first >= end) return digest.text();
  digest.add(layout.size_of(BlockRanges::all(end)) - layout.size_of(BlockRanges::all(first)));
  if (!layout.files) return digest.text();
  const BlockSpan begins = layout.span(first);
  digest.add(begins.offset);
  for (std::uint32_t file = begins.file; file <= layout.span(end - 1).file; ++file) {
    const DataFile& listed = (*layout.files)[file];
    if (listed.size <= 0) continue;  // it has no block
    digest.add(listed.path);
    digest.add(listed.size);
    digest.add(listed.sha256);
  }
  return digest.text();
}

}  // namespace lips::kubernetes
