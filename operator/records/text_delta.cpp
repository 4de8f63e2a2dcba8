#include "records/text_delta.h"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <new>

#include "base/check.h"
#include "config/gzip.h"

namespace lips {

namespace {

constexpr int level = 3;
constexpr int least_window = 10, most_window = 31;             // as powers of two
constexpr std::size_t most_of_a_block = std::size_t{1} << 17;  // what a block of at least four bytes can expand to

template <class Context, std::size_t (*end)(Context*)>
struct Free {
  void operator()(Context* context) const { end(context); }
};
using Packing = std::unique_ptr<ZSTD_CCtx, Free<ZSTD_CCtx, ZSTD_freeCCtx>>;
using Unpacking = std::unique_ptr<ZSTD_DCtx, Free<ZSTD_DCtx, ZSTD_freeDCtx>>;

// The settings and sizes are ours, so only memory can be missing.
void expect_done(std::size_t outcome) {
  if (ZSTD_getErrorCode(outcome) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  LIPS_CHECK(!ZSTD_isError(outcome), ZSTD_getErrorName(outcome));
}

// A small frame that says that it holds gigabytes is damaged.
bool is_possible(unsigned long long size, std::size_t frame) {
  return size != ZSTD_CONTENTSIZE_ERROR && size != ZSTD_CONTENTSIZE_UNKNOWN && size <= most_unpacked &&
         size <= (frame / 4 + 1) * most_of_a_block;
}

}  // namespace

std::string text_delta(std::string_view before, std::string_view text) {
  const Packing packing(ZSTD_createCCtx());
  if (!packing) throw std::bad_alloc();
  // All of the text before has to be within reach.
  const int window = static_cast<int>(std::bit_width(before.size() + text.size()));
  for (const auto& [parameter, value] : {std::pair(ZSTD_c_compressionLevel, level), std::pair(ZSTD_c_checksumFlag, 1),
                                         std::pair(ZSTD_c_enableLongDistanceMatching, int{!before.empty()}),
                                         std::pair(ZSTD_c_windowLog, std::clamp(window, least_window, most_window))})
    expect_done(ZSTD_CCtx_setParameter(packing.get(), parameter, value));
  expect_done(ZSTD_CCtx_refPrefix(packing.get(), before.data(), before.size()));
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  const std::size_t bytes = ZSTD_compress2(packing.get(), frame.data(), frame.size(), text.data(), text.size());
  expect_done(bytes);
  frame.resize(bytes);
  frame.shrink_to_fit();
  return frame;
}

Result<std::string> text_after(const std::string& name, std::string_view before, std::string_view frame) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (!is_possible(size, frame.size()))
    return fail(ErrorCode::invalid_input, fmt::format("{}: found damaged bytes; allowed: a frame of zstd", name));
  const Unpacking unpacking(ZSTD_createDCtx());
  if (!unpacking) throw std::bad_alloc();
  expect_done(ZSTD_DCtx_refPrefix(unpacking.get(), before.data(), before.size()));
  std::string text(static_cast<std::size_t>(size), '\0');
  const std::size_t done = ZSTD_decompressDCtx(unpacking.get(), text.data(), text.size(), frame.data(), frame.size());
  if (ZSTD_isError(done) || done != text.size())
    return fail(ErrorCode::invalid_input,
                fmt::format("{}: found damaged bytes ({}); allowed: a frame of zstd that follows the one before it",
                            name, ZSTD_isError(done) ? ZSTD_getErrorName(done) : "too few"));
  return text;
}

LeadingFrame leading_frame(std::string_view bytes) {
  const std::size_t found = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
  if (!ZSTD_isError(found)) return {LeadingFrame::State::whole, found};
  return {
      ZSTD_getErrorCode(found) == ZSTD_error_srcSize_wrong ? LeadingFrame::State::cut : LeadingFrame::State::damaged,
      0};
}

}  // namespace lips
