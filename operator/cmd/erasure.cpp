// lips encode and lips decode: erasure-coded blocks on files.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "config/quantities.h"
#include "erasure/files.h"

namespace lips::cmd {

namespace {

Result<ErasureCode> parse_code(const std::string& text) {
  ErasureCode code;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, code.n);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == ',') {
    const auto second = std::from_chars(first.ptr + 1, end, code.k);
    if (second.ec == std::errc() && second.ptr == end && code.k > 0 && code.k < code.n && code.n < 256) return code;
  }
  return fail(ErrorCode::invalid_input, fmt::format("--code: expected n,k with 0 < k < n < 256, found '{}'", text));
}

// Replaces the locations in the text by fetched files.
Result<void> replace_sources(const std::vector<std::pair<std::string, std::string>>& fetched, DegradedInput& input) {
  for (const auto& [key, path] : fetched) {
    bool known = false;
    for (auto& [row, place] : input.sources)
      if (std::to_string(row) == key) place = path, known = true;
    if (!known)
      return fail(ErrorCode::invalid_input, fmt::format("--fetched: expected a row of INPUT, found '{}'", key));
  }
  for (const auto& [row, place] : input.sources)
    if (place.find("://") != std::string::npos)
      return fail(ErrorCode::invalid_input,
                  fmt::format("INPUT: {} is a URL; fetch it, and give the file as --fetched {}=FILE", place, row));
  return {};
}

// Writes a new or regular file beside its place and renames it when it is whole. A device, a pipe or stdout gets the
// bytes as they come.
Result<void> decode_to(const DegradedInput& input, const std::string& output) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::file_status before = fs::status(output, unknown);
  const bool whole = !output.empty() && (!fs::exists(before) || fs::is_regular_file(before));
  const std::string path = whole ? output + ".unfinished" : output;
  std::FILE* file = output.empty() ? stdout : std::fopen(path.c_str(), "wb");
  if (!file) return fail(ErrorCode::unavailable, "cannot write " + output);
  Result<void> decoded = erasure::decode_block(input, [&](std::span<const std::uint8_t> bytes) -> Result<void> {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size()) return {};
    return fail(ErrorCode::unavailable, "cannot write the whole block");
  });
  const bool flushed = (output.empty() ? std::fflush(file) : std::fclose(file)) == 0;
  if (decoded && !flushed) decoded = fail(ErrorCode::unavailable, "cannot write the whole block");
  if (decoded && whole && std::rename(path.c_str(), output.c_str()) != 0)
    decoded = fail(ErrorCode::unavailable, "cannot write " + output);
  if (!decoded && whole) std::remove(path.c_str());
  return decoded;
}

}  // namespace

int run_encode(Words words) {
  std::string file, code = "9,6", folder = ".", size = "128Mi";
  Arguments arguments("lips encode",
                      "Cuts a file into native blocks (block-00000, ...) and writes n - k parity blocks (parity-00000, "
                      "...) for every k of them, for an erasure-coded data set.");
  arguments.operand("FILE", "file to cut", file);
  arguments.text("--code", "n,k", "blocks of a stripe, and how many of them restore the rest (default 9,6)", code);
  arguments.text("--block-size", "SIZE", "size of a native block (default 128Mi)", size);
  arguments.text("--output", "FOLDER", "folder to write to (default: the current one)", folder);
  arguments.example("lips encode table.parquet --code 9,6 --output blocks", "blocks/block-00000, ...");
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<ErasureCode> wanted = parse_code(code);
  if (!wanted) return print_error(wanted.error());
  const auto block = parse_size(size);
  if (!block || block->value() <= 0)
    return print_error(
        {ErrorCode::invalid_input,
         fmt::format("--block-size: expected a size such as 64Mi, from 1B to 1048576Ti, found '{}'", size)});
  const Result<erasure::CutFile> cut =
      erasure::encode_file(file, folder, *wanted, static_cast<std::uint64_t>(block->value() * bytes_per_mebibyte));
  if (!cut) return print_error(cut.error());
  return print(fmt::format("{} native and {} parity blocks in {}\n", cut->natives, cut->parities, folder));
}

int run_decode(Words words) {
  std::string text, output;
  std::vector<std::pair<std::string, std::string>> fetched;
  Arguments arguments(
      "lips decode",
      "Rebuilds a lost block from other blocks of its stripe, which lips.dev/input names for a degraded task.");
  arguments.operand("INPUT", "the text of lips.dev/input: degraded:code=n,k;...", text);
  arguments.pairs("--fetched", "files that were fetched for sources that INPUT names by URL", fetched);
  arguments.text("--output", "FILE", "file to write (default: stdout)", output);
  arguments.example("lips decode \"$LIPS_INPUT\" | my-mapper", "in a container that gets lips.dev/input as LIPS_INPUT");
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  Result<DegradedInput> input = parse_degraded_input(text);
  if (!input) return print_error(input.error());
  if (const Result<void> local = replace_sources(fetched, *input); !local) return print_error(local.error());
  const Result<void> decoded = decode_to(*input, output);
  return decoded ? done : print_error(decoded.error());
}

}  // namespace lips::cmd
