#include "erasure/files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "erasure/codec.h"
#include "model/stripe.h"

namespace lips::erasure {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t most_blocks = 100'000;  // per file, because each becomes a file

tl::unexpected<Error> cannot_read(const std::string& path) { return fail(ErrorCode::not_found, "cannot read " + path); }
tl::unexpected<Error> cannot_write(const std::string& path) {
  return fail(ErrorCode::unavailable, "cannot write " + path);
}

// Fills the bytes, with zeros after the end of the file, and returns how many the file had; nothing when it cannot be
// read.
std::optional<std::size_t> read_padded(std::istream& file, std::span<std::uint8_t> bytes) {
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (file.bad()) return std::nullopt;
  const auto got = static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount()));
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(got), bytes.end(), 0);
  return got;
}

std::string block_path(const std::string& folder, const DataSet& data_set, BlockId block) {
  const bool parity = is_parity(data_set, block);
  char name[32];
  std::snprintf(name, sizeof name, "%s-%05u", parity ? "parity" : "block",
                block.index() - (parity ? data_set.blocks : 0));
  return folder + "/" + name;
}

// One stripe of a file while it is written: native blocks as they are, and parity over them padded by zeros.
class StripeWriter {
 public:
  StripeWriter(const Encoder& encoder, ErasureCode code, std::string folder)
      : encoder_(encoder), k_(static_cast<std::size_t>(code.k)), folder_(std::move(folder)) {
    pieces_.assign(static_cast<std::size_t>(code.n), Bytes(piece_bytes));
  }

  Result<void> write(std::istream& file, const DataSet& data_set, std::uint32_t index, std::uint64_t block_bytes,
                     std::uint64_t file_bytes) {
    const Stripe stripe = stripe_at(data_set, index);
    std::vector<std::ofstream> outputs;
    for (std::uint32_t member = 0; member < stripe.size(); ++member) {
      const std::string path = block_path(folder_, data_set, stripe.block(member));
      outputs.emplace_back(path, std::ios::binary);
      if (!outputs.back()) return cannot_write(path);
      written_.push_back(path);
    }
    const std::uint64_t first = std::uint64_t{index} * k_ * block_bytes;
    const std::uint64_t longest = std::min(block_bytes, file_bytes - std::min(file_bytes, first));
    for (std::uint64_t at = 0; at < longest; at += piece_bytes) {
      const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, longest - at));
      for (std::size_t row = 0; row < k_; ++row) {
        const std::uint64_t from = first + row * block_bytes + at;
        const auto own =
            static_cast<std::size_t>(from < file_bytes ? std::min<std::uint64_t>(length, file_bytes - from) : 0);
        file.clear();
        file.seekg(static_cast<std::streamoff>(std::min(from, file_bytes)));
        std::fill(pieces_[row].begin(), pieces_[row].end(), 0);
        if (read_padded(file, std::span(pieces_[row]).first(own)) != own) return cannot_read("all of the file");
        if (row < stripe.natives) put(outputs[row], pieces_[row], own);
      }
      encode(length);
      for (std::size_t parity = 0; parity < stripe.parities; ++parity)
        put(outputs[stripe.natives + parity], pieces_[k_ + parity], length);
    }
    for (std::ofstream& output : outputs)
      if (!output.flush()) return cannot_write("all of a block in " + folder_);
    return {};
  }

  // Removes its files after a failure.
  void remove_all() const {
    for (const std::string& path : written_) std::remove(path.c_str());
  }

 private:
  static void put(std::ofstream& file, const Bytes& bytes, std::size_t length) {
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(length));
  }
  void encode(std::size_t length) {
    std::vector<const std::uint8_t*> natives;
    std::vector<std::uint8_t*> parities;
    for (std::size_t row = 0; row < pieces_.size(); ++row)
      row < k_ ? natives.push_back(pieces_[row].data()) : parities.push_back(pieces_[row].data());
    encoder_.encode(natives, length, parities);
  }

  const Encoder& encoder_;
  std::size_t k_;
  std::string folder_;
  std::vector<Bytes> pieces_;
  std::vector<std::string> written_;
};

}  // namespace

namespace {

// The last native block of a stripe may be shorter than the others, unless it is the only one.
bool may_be_short(const DegradedInput& input, std::uint32_t row) {
  return input.natives > 1 && row + 1 == input.natives;
}

tl::unexpected<Error> too_short(const std::string& path, std::uint64_t bytes, std::uint64_t wanted) {
  return fail(ErrorCode::invalid_input, path + ": found " + std::to_string(bytes) + " bytes; allowed: at least " +
                                            std::to_string(wanted) + ", as the wanted block has");
}

}  // namespace

Result<void> decode_block(const DegradedInput& input, const Sink& sink) {
  std::vector<std::uint32_t> rows;
  std::vector<std::ifstream> files;
  for (const auto& [row, path] : input.sources) {
    rows.push_back(row);
    files.emplace_back(path, std::ios::binary);
    std::error_code unknown;
    if (!files.back() || std::filesystem::is_directory(path, unknown)) return cannot_read(path);
    // Checked before anything is written. The size of a pipe is known only at its end.
    const std::uint64_t size =
        std::filesystem::is_regular_file(path, unknown) ? std::filesystem::file_size(path, unknown) : input.bytes;
    if (!unknown && size < input.bytes && !may_be_short(input, row)) return too_short(path, size, input.bytes);
  }
  const Result<Decoder> decoder = Decoder::make(input.code, input.natives, input.row, rows);
  if (!decoder) return tl::unexpected(decoder.error());
  std::vector<Bytes> pieces(files.size(), Bytes(piece_bytes));
  std::vector<const std::uint8_t*> sources;
  for (const Bytes& piece : pieces) sources.push_back(piece.data());
  Bytes wanted(piece_bytes);
  for (std::uint64_t at = 0; at < input.bytes; at += piece_bytes) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, input.bytes - at));
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto& [row, path] = input.sources[i];
      const std::optional<std::size_t> got = read_padded(files[i], std::span(pieces[i]).first(length));
      if (!got) return cannot_read(path);
      if (*got < length && !may_be_short(input, row)) return too_short(path, at + *got, input.bytes);
    }
    decoder->decode(sources, length, wanted.data());
    if (Result<void> taken = sink(std::span(wanted).first(length)); !taken) return taken;
  }
  return {};
}

Result<CutFile> encode_file(const std::string& file, const std::string& folder, ErasureCode code,
                            std::uint64_t block_bytes) {
  const Result<Encoder> encoder = Encoder::make(code);
  if (!encoder) return tl::unexpected(encoder.error());
  std::error_code error;
  const std::uint64_t bytes = std::filesystem::file_size(file, error);
  std::ifstream input(file, std::ios::binary);
  if (error || !input) return cannot_read(file);
  if (block_bytes == 0 || bytes / block_bytes >= most_blocks)
    return fail(ErrorCode::invalid_input, file + ": found " + std::to_string(bytes) + " bytes, in blocks of " +
                                              std::to_string(block_bytes) + "; allowed: fewer than " +
                                              std::to_string(most_blocks) + " blocks");
  const bool made = std::filesystem::create_directories(folder, error);
  if (error) return cannot_write("the folder " + folder);
  DataSet data_set;
  data_set.first_block = BlockId(0);
  data_set.blocks =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(1, bytes / block_bytes + (bytes % block_bytes > 0 ? 1 : 0)));
  data_set.code = code;
  StripeWriter writer(*encoder, code, folder);
  for (std::uint32_t index = 0; index < stripe_count(data_set); ++index)
    if (Result<void> written = writer.write(input, data_set, index, block_bytes, bytes); !written) {
      writer.remove_all();
      if (made) std::filesystem::remove(folder, error);
      return tl::unexpected(written.error());
    }
  return CutFile{data_set.blocks, parity_blocks(data_set)};
}

}  // namespace lips::erasure
