#include "kubernetes/data/data_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace lips::kubernetes {
namespace {

tl::unexpected<Error> wrong(std::string what) { return fail(ErrorCode::invalid_input, std::move(what)); }

std::string folder_of(const DataSetResource& set) {
  if (!set.spec.path.empty()) return set.spec.path;
  return set.meta.object.name_space + '/' + set.meta.object.name;
}

bool good_path(const std::string& path) {
  if (path.empty() || path.front() == '/' || path.back() == '/') return false;
  const std::string framed = '/' + path + '/';
  for (const char* bad : {"/../", "/./", "//", "\n", "\t"})
    if (framed.find(bad) != std::string::npos) return false;
  return true;
}

Result<void> check_files(const std::vector<DataFile>& files) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!good_path(files[i].path))
      return wrong(fmt::format("spec.files[{}].path: found '{}'; allowed: a path from the store's root, without ..", i,
                               files[i].path));
    paths.push_back(files[i].path);
  }
  std::sort(paths.begin(), paths.end());
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  if (twice != paths.end()) return wrong(fmt::format("spec.files: {} is listed twice", *twice));
  return {};
}

Result<void> cut_files(const std::vector<DataFile>& files, std::int64_t block_size, DataLayout& layout) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::int64_t offset = 0;
    while (offset < files[i].size) {
      const std::int64_t rest = files[i].size - offset, size = block_size > 0 ? std::min(block_size, rest) : rest;
      if (layout.blocks.size() >= BlockRanges::most_blocks)
        return wrong("spec.blockSize: gives more than a million blocks; allowed: fewer");
      layout.blocks.push_back({static_cast<std::uint32_t>(i), offset, size});
      offset += size;
    }
  }
  layout.files = files;
  return {};
}

// Block i is the file block-i, all of one size but the last.
Result<void> imply_files(const DataSetResource& set, DataLayout& layout) {
  const DataSetSpec& spec = set.spec;
  if (!spec.blocks || spec.block_size <= 0)
    return wrong("spec: does not say what its blocks are; allowed: files, discover, or blocks and blockSize");
  const std::int64_t all = *spec.blocks * spec.block_size, size = spec.size.value_or(all);
  if (size > all || size <= all - spec.block_size)
    return wrong(fmt::format("spec.size: found {}; allowed: what {} blocks of {} bytes can hold, the last one partly",
                             size, *spec.blocks, spec.block_size));
  for (std::int64_t i = 0; i < *spec.blocks; ++i) {
    const std::int64_t own = std::min(spec.block_size, size - i * spec.block_size);
    layout.files.push_back({fmt::format("{}/block-{:05}", folder_of(set), i), own, ""});
    layout.blocks.push_back({static_cast<std::uint32_t>(i), 0, own});
  }
  return {};
}

void add_parity(const DataSetResource& set, DataLayout& layout) {
  const auto k = static_cast<std::uint32_t>(layout.code.k), parity = static_cast<std::uint32_t>(layout.code.n) - k;
  std::uint32_t number = 0;
  for (std::uint32_t first = 0; first < layout.native; first += k) {
    std::int64_t size = 0;
    for (std::uint32_t i = first; i < std::min(first + k, layout.native); ++i)
      size = std::max(size, layout.blocks[i].size);
    for (std::uint32_t i = 0; i < parity; ++i) {
      layout.blocks.push_back({static_cast<std::uint32_t>(layout.files.size()), 0, size});
      layout.files.push_back({fmt::format("{}/parity-{:05}", folder_of(set), number++), size, ""});
    }
  }
}

}  // namespace

std::int64_t DataLayout::size_of(const BlockRanges& some) const {
  std::int64_t sum = 0;
  for (const std::uint32_t block : some.blocks())
    if (block < count()) sum += blocks[block].size;
  return sum;
}

std::vector<std::uint32_t> DataLayout::stripe_of(std::uint32_t block) const {
  if (code.n == 0) return {block};
  const auto k = static_cast<std::uint32_t>(code.k), parity = static_cast<std::uint32_t>(code.n) - k;
  const std::uint32_t stripe = block < native ? block / k : (block - native) / parity;
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = stripe * k; i < std::min((stripe + 1) * k, native); ++i) result.push_back(i);
  for (std::uint32_t i = 0; i < parity; ++i) result.push_back(native + stripe * parity + i);
  return result;
}

Result<DataLayout> layout_of(const DataSetResource& set) {
  const DataSetSpec& spec = set.spec;
  DataLayout layout;
  layout.code = spec.code;
  if (layout.code.n != 0 && layout.code.k >= layout.code.n)
    return wrong(fmt::format("spec.erasureCode.k: found {}; allowed: 1 to {}", layout.code.k, layout.code.n - 1));
  if (!spec.path.empty() && !good_path(spec.path))
    return wrong(fmt::format("spec.path: found '{}'; allowed: a path from the store's root, without ..", spec.path));
  const bool discovered = spec.discover.source != DiscoveryRequest::Source::none;
  if (discovered && !set.status.discovered) return fail(ErrorCode::not_found, "nothing has been discovered yet");
  const std::vector<DataFile>& files = discovered ? set.status.files : spec.files;
  if (auto good = check_files(files); !good) return tl::unexpected(good.error());
  auto filled = files.empty() && !discovered ? imply_files(set, layout) : cut_files(files, spec.block_size, layout);
  if (!filled) return tl::unexpected(filled.error());
  layout.native = layout.count();
  for (const BlockSpan& block : layout.blocks) layout.size += block.size;
  if (spec.size && *spec.size != layout.size)
    return wrong(fmt::format("spec.size: found {}; allowed: {}, which the files add up to", *spec.size, layout.size));
  if (spec.blocks && *spec.blocks != layout.native)
    return wrong(
        fmt::format("spec.blocks: found {}; allowed: {}, which the files add up to", *spec.blocks, layout.native));
  if (layout.code.n != 0) add_parity(set, layout);
  return layout;
}

FilePart original_part(const DataLayout& layout, std::uint32_t block) {
  const BlockSpan& span = layout.blocks[block];
  const DataFile& file = layout.files[span.file];
  const bool whole = span.offset == 0 && span.size == file.size;
  return {file.path, span.offset, span.size, whole, whole ? file.sha256 : std::string()};
}

std::string copies_folder(const DataSetResource& set) {
  const ObjectMeta& meta = set.meta.object;
  return "lips-copies/" + meta.name_space + '/' + meta.name + '/' + meta.uid;
}

FilePart copied_part(const DataSetResource& set, const DataLayout& layout, std::uint32_t block) {
  FilePart part = original_part(layout, block);
  part.path = fmt::format("{}/block-{:05}", copies_folder(set), block);
  part.offset = 0;
  part.whole = true;
  return part;
}

FilePart held_part(const DataSetResource& set, const DataLayout& layout, const HeldBlocks& held, std::uint32_t block) {
  return held.copies.contains(block) ? copied_part(set, layout, block) : original_part(layout, block);
}

const HeldBlocks* find_held(const DataSetResource& set, const std::string& store) {
  for (const HeldBlocks& held : set.status.replicas)
    if (held.store == store) return &held;
  return nullptr;
}

}  // namespace lips::kubernetes
