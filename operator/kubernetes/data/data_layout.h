// Where the blocks of a data set are inside a store: which file, from which byte, how many bytes. Knows no server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

struct BlockSpan {
  std::uint32_t file = 0;
  std::int64_t offset = 0, size = 0;
  friend bool operator==(const BlockSpan&, const BlockSpan&) = default;
};

// As large as its list of files: blocks are computed, and files that are not listed are named by number.
struct DataLayout {
  // Listed or discovered; null: block i is the file block-i of the folder. Shared by all copies of the layout.
  std::shared_ptr<const std::vector<DataFile>> files;
  std::vector<std::uint32_t> first_blocks;  // of each listed file
  std::vector<std::int64_t> first_bytes;    // of each listed file, from the first one on
  bool by_path = false;                     // they are listed in the order of their paths
  std::string folder;                       // of files that are not listed, and of parity
  std::int64_t block_size = 0;              // 0: a file is a block
  std::uint32_t native = 0, parity = 0;     // parity blocks follow after all native ones, stripe by stripe
  std::int64_t size = 0;                    // of native blocks
  ErasureCode code;
  friend bool operator==(const DataLayout& a, const DataLayout& b);

  std::uint32_t count() const { return native + parity; }
  std::uint32_t listed_files() const { return static_cast<std::uint32_t>(first_blocks.size()); }
  // The span of a block below count().
  BlockSpan span(std::uint32_t block) const;
  std::string path_of_file(std::uint32_t file) const;
  bool has_file(const std::string& path) const;
  // Native blocks of the file of that path, or of all files in the folder.
  BlockRanges blocks_under(const std::string& path) const;
  std::int64_t size_of(const BlockRanges& some) const;
  // The blocks of the stripe to which the block belongs, itself included; without a code only itself.
  std::vector<std::uint32_t> stripe_of(std::uint32_t block) const;

 private:
  std::int64_t bytes_before(std::uint32_t native_block) const;
};

constexpr Mebibytes mebibytes(std::int64_t bytes) { return Mebibytes(static_cast<double>(bytes) / bytes_per_mebibyte); }

// "in/a": not empty, relative, without "..", ".", empty parts, tabs and line ends.
bool good_path(const std::string& path);
// Without leading and trailing slashes.
std::string folder_path(std::string path);
// Says whether the path is that folder, or lies in it; all paths lie in "".
bool lies_in(const std::string& path, const std::string& folder);

// From files that the spec lists or that were discovered, else from blocks and blockSize. Sizes that do not add up are
// `invalid_input`, with the field; `not_found`: nothing has been discovered yet.
Result<DataLayout> layout_of(const DataSetResource& set);

// A part of a file in a store.
struct FilePart {
  std::string path;  // from the store's root
  std::int64_t offset = 0, size = 0;
  bool whole = true;   // the file is this block and nothing else
  std::string sha256;  // empty: not known
  friend bool operator==(const FilePart&, const FilePart&) = default;
};

// The folder to which access is granted for reading that part: the folder of the data set's copies or of its numbered
// files, else the one that contains the file.
std::string readers_folder(const DataSetResource& set, const DataLayout& layout, const FilePart& part);

// The block as an original of the data set's owner.
FilePart original_part(const DataLayout& layout, std::uint32_t block);
// The block as moves write it: lips-copies/NAMESPACE/NAME/UID/block-00017. The uid tells a recreated data set apart.
FilePart copied_part(const DataSetResource& set, const DataLayout& layout, std::uint32_t block);
std::string copies_folder(const DataSetResource& set);
// The block as this store holds it, original or copy.
FilePart held_part(const DataSetResource& set, const DataLayout& layout, const HeldBlocks& held, std::uint32_t block);

const HeldBlocks* find_held(const DataSetResource& set, const std::string& store);

}  // namespace lips::kubernetes
