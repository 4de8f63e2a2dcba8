// Reed-Solomon codes on real bytes: parity blocks from native ones, and any block of a stripe from any k others. Knows
// no cluster and no file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/data.h"

namespace lips::erasure {

// Rows 0 to k - 1 are native blocks, k to n - 1 parity. Blocks of a stripe are equally long; a shorter one is padded
// with zeros, and a missing native one is all zeros.
class Encoder {
 public:
  // 0 < k < n < 256.
  static Result<Encoder> make(ErasureCode code);
  // Reads k pieces of `length` bytes and writes n - k.
  void encode(std::span<const std::uint8_t* const> natives, std::size_t length,
              std::span<std::uint8_t* const> parities) const;

 private:
  ErasureCode code_;
  std::vector<std::uint8_t> tables_;
};

class Decoder {
 public:
  // `rows`: the available rows, all different and without the wanted one. Together with the rows from `natives` to
  // k - 1, which are zeros, there are k.
  static Result<Decoder> make(ErasureCode code, std::uint32_t natives, std::uint32_t wanted,
                              std::span<const std::uint32_t> rows);
  // Takes one piece of each source, in the order of `rows`, at the same offset in every block.
  void decode(std::span<const std::uint8_t* const> sources, std::size_t length, std::uint8_t* wanted) const;

 private:
  std::size_t sources_ = 0;
  std::vector<std::uint8_t> tables_;
};

}  // namespace lips::erasure
