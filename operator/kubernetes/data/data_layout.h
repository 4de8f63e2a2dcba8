// Where the blocks of a data set stand inside a store: which file, from which byte, how many. Knows no server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

struct BlockSpan {
  std::uint32_t file = 0;
  std::int64_t offset = 0, size = 0;
  friend bool operator==(const BlockSpan&, const BlockSpan&) = default;
};

struct DataLayout {
  std::vector<DataFile> files;
  std::vector<BlockSpan> blocks;  // native ones, then parity blocks stripe by stripe
  std::uint32_t native = 0;
  std::int64_t size = 0;  // of native blocks
  ErasureCode code;
  friend bool operator==(const DataLayout& a, const DataLayout& b) {
    return a.files == b.files && a.blocks == b.blocks && a.native == b.native && a.code.n == b.code.n &&
           a.code.k == b.code.k;
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(blocks.size()); }
  std::int64_t size_of(const BlockRanges& some) const;
  // The blocks of the block's stripe, itself among them; only itself where there is no code.
  std::vector<std::uint32_t> stripe_of(std::uint32_t block) const;
};

// From files that are written or discovered, or else from blocks and blockSize. What does not add up is
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

// As the data set's owner laid the block down.
FilePart original_part(const DataLayout& layout, std::uint32_t block);
// As moves write it: lips-copies/NAMESPACE/NAME/UID/block-00017. The uid keeps a data set that was made anew apart.
FilePart copied_part(const DataSetResource& set, const DataLayout& layout, std::uint32_t block);
std::string copies_folder(const DataSetResource& set);
// How this store holds it.
FilePart held_part(const DataSetResource& set, const DataLayout& layout, const HeldBlocks& held, std::uint32_t block);

const HeldBlocks* find_held(const DataSetResource& set, const std::string& store);

}  // namespace lips::kubernetes
