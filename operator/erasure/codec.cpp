#include "erasure/codec.h"

#include <isa-l/erasure_code.h>

#include <string>

namespace lips::erasure {

namespace {

constexpr std::size_t table_bytes = 32;  // per coefficient, as ISA-L expands it

// The identity above a Cauchy matrix: any k rows are independent.
std::vector<std::uint8_t> generator(ErasureCode code) {
  std::vector<std::uint8_t> matrix(static_cast<std::size_t>(code.n) * static_cast<std::size_t>(code.k));
  gf_gen_cauchy1_matrix(matrix.data(), code.n, code.k);
  return matrix;
}

Result<void> check_code(ErasureCode code) {
  if (code.k > 0 && code.n > code.k && code.n < 256) return {};
  return fail(ErrorCode::invalid_input, "erasure code: found n = " + std::to_string(code.n) +
                                            ", k = " + std::to_string(code.k) + "; allowed: 0 < k < n < 256");
}

std::vector<std::uint8_t> expanded(std::size_t sources, std::size_t results, std::vector<std::uint8_t> coefficients) {
  std::vector<std::uint8_t> tables(table_bytes * sources * results);
  ec_init_tables(static_cast<int>(sources), static_cast<int>(results), coefficients.data(), tables.data());
  return tables;
}

// ISA-L's interface has no const.
std::uint8_t* writable(const std::uint8_t* bytes) { return const_cast<std::uint8_t*>(bytes); }

void combine(const std::vector<std::uint8_t>& tables, std::span<const std::uint8_t* const> in, std::size_t length,
             std::span<std::uint8_t* const> out) {
  std::vector<std::uint8_t*> sources, results(out.begin(), out.end());
  for (const std::uint8_t* bytes : in) sources.push_back(writable(bytes));
  ec_encode_data(static_cast<int>(length), static_cast<int>(in.size()), static_cast<int>(out.size()),
                 writable(tables.data()), sources.data(), results.data());
}

// The k known rows, rows of zeros last; empty unless these are k different rows.
std::vector<std::uint32_t> known_rows(ErasureCode code, std::uint32_t natives, std::uint32_t wanted,
                                      std::span<const std::uint32_t> rows) {
  const auto n = static_cast<std::uint32_t>(code.n), k = static_cast<std::uint32_t>(code.k);
  std::vector<bool> seen(n, false);
  std::vector<std::uint32_t> known(rows.begin(), rows.end());
  for (std::uint32_t row = natives; row < k; ++row) known.push_back(row);
  if (known.size() != k || natives < 1 || natives > k || wanted >= n) return {};
  seen[wanted] = true;
  for (const std::uint32_t row : known) {
    if (row >= n || seen[row]) return {};
    seen[row] = true;
  }
  return known;
}

}  // namespace

Result<Encoder> Encoder::make(ErasureCode code) {
  if (const Result<void> sound = check_code(code); !sound) return tl::unexpected(sound.error());
  const std::vector<std::uint8_t> matrix = generator(code);
  const auto k = static_cast<std::size_t>(code.k);
  Encoder encoder;
  encoder.code_ = code;
  encoder.tables_ = expanded(k, static_cast<std::size_t>(code.n - code.k),
                             {matrix.begin() + static_cast<std::ptrdiff_t>(k * k), matrix.end()});
  return encoder;
}

void Encoder::encode(std::span<const std::uint8_t* const> natives, std::size_t length,
                     std::span<std::uint8_t* const> parities) const {
  combine(tables_, natives, length, parities);
}

// The wanted row of the generator times the inverse of the known rows gives the coefficients.
Result<Decoder> Decoder::make(ErasureCode code, std::uint32_t natives, std::uint32_t wanted,
                              std::span<const std::uint32_t> rows) {
  if (const Result<void> sound = check_code(code); !sound) return tl::unexpected(sound.error());
  const std::vector<std::uint32_t> known = known_rows(code, natives, wanted, rows);
  if (known.empty())
    return fail(ErrorCode::invalid_input,
                "erasure code: found " + std::to_string(rows.size()) + " sources for " + std::to_string(natives) +
                    " native blocks; allowed: as many different ones, without the wanted block and blocks of zeros");
  const auto k = static_cast<std::size_t>(code.k);
  const std::vector<std::uint8_t> matrix = generator(code);
  std::vector<std::uint8_t> chosen(k * k), inverse(k * k), coefficients;
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j) chosen[i * k + j] = matrix[known[i] * k + j];
  if (gf_invert_matrix(chosen.data(), inverse.data(), code.k) != 0)
    return fail(ErrorCode::internal, "erasure code: rows that are not independent");
  for (std::size_t source = 0; source < rows.size(); ++source) {
    std::uint8_t sum = 0;
    for (std::size_t j = 0; j < k; ++j)
      sum = static_cast<std::uint8_t>(sum ^ gf_mul(matrix[wanted * k + j], inverse[j * k + source]));
    coefficients.push_back(sum);
  }
  Decoder decoder;
  decoder.sources_ = rows.size();
  decoder.tables_ = expanded(rows.size(), 1, std::move(coefficients));
  return decoder;
}

void Decoder::decode(std::span<const std::uint8_t* const> sources, std::size_t length, std::uint8_t* wanted) const {
  std::uint8_t* const results[] = {wanted};
  combine(tables_, sources.first(sources_), length, results);
}

}  // namespace lips::erasure
