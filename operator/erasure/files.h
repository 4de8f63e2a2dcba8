// Erasure codes on files: a file cut into native and parity blocks, and a lost block written from others of its stripe.
// Knows no cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "model/degraded_input.h"

namespace lips::erasure {

// Receives the bytes in order.
using Sink = std::function<Result<void>(std::span<const std::uint8_t>)>;

// Decodes the wanted block from sources that are all paths of files. The last native block of a stripe may be shorter
// than the wanted one and is padded with zeros; any other file that ends early is an error.
Result<void> decode_block(const DegradedInput& input, const Sink& sink);

struct CutFile {
  std::uint32_t natives = 0, parities = 0;
};

// Writes FOLDER/block-00000, ... and, n - k for each k of those, FOLDER/parity-00000, ... The last native block is as
// short as the file leaves it. A failure leaves no files behind.
Result<CutFile> encode_file(const std::string& file, const std::string& folder, ErasureCode code,
                            std::uint64_t block_bytes);

}  // namespace lips::erasure
