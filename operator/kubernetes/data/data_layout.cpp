#include "kubernetes/data/data_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace lips::kubernetes {
namespace {

tl::unexpected<Error> wrong(std::string what) { return fail(ErrorCode::invalid_input, std::move(what)); }

bool path_before(const DataFile& a, const DataFile& b) { return a.path < b.path; }

std::string folder_of(const DataSetResource& set) {
  if (!set.spec.path.empty()) return set.spec.path;
  return set.meta.object.name_space + '/' + set.meta.object.name;
}

Result<void> check_files(const std::vector<DataFile>& files) {
  std::vector<std::string_view> paths;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!good_path(files[i].path))
      return wrong(fmt::format("spec.files[{}].path: found '{}'; allowed: a path from the store's root, without //, . and .. in it", i,
                               files[i].path));
    paths.push_back(files[i].path);
  }
  std::sort(paths.begin(), paths.end());
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  if (twice != paths.end()) return wrong(fmt::format("spec.files: {} is listed twice", *twice));
  return {};
}

Result<void> cut_files(const std::vector<DataFile>& files, std::int64_t block_size, DataLayout& layout) {
  std::int64_t blocks = 0;
  for (const DataFile& file : files) {
    layout.first_blocks.push_back(static_cast<std::uint32_t>(blocks));
    layout.first_bytes.push_back(layout.size);
    if (file.size <= 0) continue;
    if (__builtin_add_overflow(layout.size, file.size, &layout.size))
      return wrong("spec.files: found sizes that add up to more than 8 EiB; allowed: less");
    blocks += block_size > 0 ? (file.size - 1) / block_size + 1 : 1;
    if (blocks > BlockRanges::most_blocks)
      return wrong("spec.blockSize: gives more than a million blocks; allowed: fewer");
  }
  layout.files = std::make_shared<const std::vector<DataFile>>(files);
  layout.by_path = std::is_sorted(files.begin(), files.end(), path_before);
  layout.native = static_cast<std::uint32_t>(blocks);
  return {};
}

// Block i is the file block-i, all of one size but the last.
Result<void> count_blocks(const DataSetSpec& spec, DataLayout& layout) {
  if (!spec.blocks || spec.block_size <= 0)
    return wrong("spec: does not describe its blocks; allowed: files, discover, or blocks and blockSize");
  if (*spec.blocks < 0 || *spec.blocks > BlockRanges::most_blocks)
    return wrong(fmt::format("spec.blocks: found {}; allowed: 0 to {}", *spec.blocks, BlockRanges::most_blocks));
  std::int64_t all = 0;
  if (__builtin_mul_overflow(*spec.blocks, spec.block_size, &all))
    return wrong(fmt::format("spec.blockSize: found {}; allowed: sizes with which {} blocks are less than 8 EiB",
                             spec.block_size, *spec.blocks));
  layout.size = spec.size.value_or(all);
  if (layout.size > all || layout.size < 0 || layout.size <= all - spec.block_size)
    return wrong(fmt::format("spec.size: found {}; allowed: what {} blocks of {} bytes can hold, the last one partly",
                             layout.size, *spec.blocks, spec.block_size));
  layout.native = static_cast<std::uint32_t>(*spec.blocks);
  return {};
}

Result<void> add_parity(DataLayout& layout) {
  const std::int64_t k = layout.code.k, stripes = (layout.native + k - 1) / k;
  const std::int64_t parity = stripes * (layout.code.n - k);
  if (parity + layout.native > BlockRanges::most_blocks)
    return wrong(
        fmt::format("spec.erasureCode: gives {} blocks including parity; allowed: a million", parity + layout.native));
  layout.parity = static_cast<std::uint32_t>(parity);
  return {};
}

// The number at the end of PREFIX-00017, the name of a file that nobody listed.
std::optional<std::uint32_t> numbered(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return fmt::format("{:05}", number) == name ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string folder_path(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  return path.substr(std::min(path.find_first_not_of('/'), path.size()));
}

bool lies_in(const std::string& path, const std::string& folder) {
  return folder.empty() || (path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/'));
}

bool good_path(const std::string& path) {
  if (path.empty() || path.front() == '/' || path.back() == '/') return false;
  const std::string framed = '/' + path + '/';
  for (const char* bad : {"/../", "/./", "//", "\n", "\t"})
    if (framed.find(bad) != std::string::npos) return false;
  return true;
}

bool operator==(const DataLayout& a, const DataLayout& b) {
  if (a.folder != b.folder || a.block_size != b.block_size || a.native != b.native || a.parity != b.parity ||
      a.size != b.size || a.code.n != b.code.n || a.code.k != b.code.k || !a.files != !b.files)
    return false;
  return a.files == b.files || *a.files == *b.files;
}

BlockSpan DataLayout::span(std::uint32_t block) const {
  if (block >= native) {
    std::int64_t largest = 0;
    for (const std::uint32_t one : stripe_of(block))
      if (one < native) largest = std::max(largest, span(one).size);
    return {(files ? listed_files() : native) + block - native, 0, largest};
  }
  if (!files) return {block, 0, std::min(block_size, size - block_size * block)};
  const auto after = std::upper_bound(first_blocks.begin(), first_blocks.end(), block);
  const auto file = static_cast<std::uint32_t>(after - first_blocks.begin() - 1);
  const std::int64_t whole = (*files)[file].size;
  if (block_size == 0) return {file, 0, whole};
  const std::int64_t offset = block_size * (block - first_blocks[file]);
  return {file, offset, std::min(block_size, whole - offset)};
}

std::string DataLayout::path_of_file(std::uint32_t file) const {
  const std::uint32_t natives = files ? listed_files() : native;
  if (file >= natives) return fmt::format("{}/parity-{:05}", folder, file - natives);
  return files ? (*files)[file].path : fmt::format("{}/block-{:05}", folder, file);
}

bool DataLayout::has_file(const std::string& path) const {
  if (files && std::any_of(files->begin(), files->end(), [&](const DataFile& file) { return file.path == path; }))
    return true;
  if (folder.empty() || !path.starts_with(folder + '/')) return false;
  const std::string_view name = std::string_view(path).substr(folder.size() + 1);
  const auto block = numbered(name, "block-"), coded = numbered(name, "parity-");
  return (!files && block && *block < native) || (coded && *coded < parity);
}

BlockRanges DataLayout::blocks_under(const std::string& path) const {
  if (!files) {
    if (lies_in(folder, path)) return BlockRanges::all(native);
    if (!path.starts_with(folder + '/')) return {};
    const auto block = numbered(std::string_view(path).substr(folder.size() + 1), "block-");
    return block && *block < native ? BlockRanges::one(*block) : BlockRanges();
  }
  BlockRanges result;
  const auto add = [&](std::size_t first_file, std::size_t end_file) {
    const std::uint32_t first = first_file < files->size() ? first_blocks[first_file] : native;
    const std::uint32_t end = end_file < files->size() ? first_blocks[end_file] : native;
    if (first < end) result.add(BlockRanges::Range{first, end - 1});
  };
  if (path.empty()) {
    add(0, files->size());
  } else if (by_path) {  // the file itself, and what begins with its path and a slash; '0' is the next character
    const auto place = [&](std::string from) {
      return static_cast<std::size_t>(
          std::lower_bound(files->begin(), files->end(), DataFile{std::move(from), 0, ""}, path_before) -
          files->begin());
    };
    const std::size_t itself = place(path);
    if (itself < files->size() && (*files)[itself].path == path) add(itself, itself + 1);
    add(place(path + '/'), place(path + static_cast<char>('/' + 1)));
  } else {
    for (std::size_t file = 0; file < files->size(); ++file)
      if (lies_in((*files)[file].path, path)) add(file, file + 1);
  }
  return result;
}

std::int64_t DataLayout::bytes_before(std::uint32_t block) const {
  if (block >= native) return size;
  if (!files) return block_size * block;
  const BlockSpan at = span(block);
  return first_bytes[at.file] + at.offset;
}

std::int64_t DataLayout::size_of(const BlockRanges& some) const {
  std::int64_t sum = 0;
  for (const BlockRanges::Range& range : some.ranges()) {
    if (range.first < native) sum += bytes_before(std::min(range.last + 1, native)) - bytes_before(range.first);
    for (std::uint32_t block = std::max(range.first, native); block < std::min(range.last + 1, count()); ++block)
      sum += span(block).size;
  }
  return sum;
}

std::vector<std::uint32_t> DataLayout::stripe_of(std::uint32_t block) const {
  if (code.n == 0) return {block};
  const auto k = static_cast<std::uint32_t>(code.k), coded = static_cast<std::uint32_t>(code.n) - k;
  const std::uint32_t stripe = block < native ? block / k : (block - native) / coded;
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = stripe * k; i < std::min((stripe + 1) * k, native); ++i) result.push_back(i);
  for (std::uint32_t i = 0; i < coded; ++i) result.push_back(native + stripe * coded + i);
  return result;
}

Result<DataLayout> layout_of(const DataSetResource& set) {
  const DataSetSpec& spec = set.spec;
  DataLayout layout;
  layout.code = spec.code;
  if (layout.code.n != 0 && (layout.code.k < 1 || layout.code.k >= layout.code.n))
    return wrong(fmt::format("spec.erasureCode.k: found {}; allowed: 1 to {}", layout.code.k, layout.code.n - 1));
  if (!spec.path.empty() && !good_path(spec.path))
    return wrong(fmt::format("spec.path: found '{}'; allowed: a path from the store's root, without //, . and .. in it", spec.path));
  if (const std::string listed = folder_path(spec.discover.path);
      spec.discover.source == DiscoveryRequest::Source::listing && !listed.empty() && !good_path(listed))
    return wrong(fmt::format(
        "spec.discover.listing.path: found '{}'; allowed: a folder from the store's root, without //, . and .. in it", listed));
  const bool discovered = spec.discover.source != DiscoveryRequest::Source::none;
  if (discovered && !set.status.discovered) return fail(ErrorCode::not_found, "nothing has been discovered yet");
  const std::vector<DataFile>& files = discovered ? set.status.files : spec.files;
  if (auto good = check_files(files); !good) return tl::unexpected(good.error());
  layout.block_size = spec.block_size;
  const bool counted = files.empty() && !discovered;
  if (counted || spec.code.n != 0) layout.folder = folder_of(set);
  auto filled = counted ? count_blocks(spec, layout) : cut_files(files, spec.block_size, layout);
  if (!filled) return tl::unexpected(filled.error());
  if (spec.size && *spec.size != layout.size)
    return wrong(fmt::format("spec.size: found {}; allowed: {}, which the files add up to", *spec.size, layout.size));
  if (spec.blocks && *spec.blocks != layout.native)
    return wrong(
        fmt::format("spec.blocks: found {}; allowed: {}, which the files add up to", *spec.blocks, layout.native));
  if (layout.code.n != 0)
    if (auto coded = add_parity(layout); !coded) return tl::unexpected(coded.error());
  return layout;
}

FilePart original_part(const DataLayout& layout, std::uint32_t block) {
  const BlockSpan span = layout.span(block);
  const DataFile* listed = layout.files && block < layout.native ? &(*layout.files)[span.file] : nullptr;
  const bool whole = !listed || (span.offset == 0 && span.size == listed->size);
  return {layout.path_of_file(span.file), span.offset, span.size, whole,
          listed && whole ? listed->sha256 : std::string()};
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

std::string readers_folder(const DataSetResource& set, const DataLayout& layout, const FilePart& part) {
  for (const std::string& folder : {copies_folder(set), layout.folder})
    if (!folder.empty() && part.path.starts_with(folder + '/')) return folder;
  const std::size_t slash = part.path.rfind('/');
  return slash == std::string::npos ? "" : part.path.substr(0, slash);
}

const HeldBlocks* find_held(const DataSetResource& set, const std::string& store) {
  for (const HeldBlocks& held : set.status.replicas)
    if (held.store == store) return &held;
  return nullptr;
}

}  // namespace lips::kubernetes
