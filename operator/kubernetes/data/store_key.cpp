#include "kubernetes/data/store_key.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <string_view>

#include "base/check.h"

namespace lips::kubernetes {
namespace {

std::string hex(const unsigned char* bytes, std::size_t count) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

std::string sha256(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  LIPS_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) == 1, "SHA-256");
  return hex(digest.data(), length);
}

}  // namespace

StoreKey StoreKey::random() {
  std::array<unsigned char, 32> bytes{};
  LIPS_CHECK(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1, "no random numbers");
  return StoreKey(hex(bytes.data(), bytes.size()));
}

// Hashes twice with the key: a seal must not help to make the seal of a longer name.
std::string StoreKey::seal(const std::string& name) const {
  return sha256(text_ + ":outer:" + sha256(text_ + ":inner:" + name));
}

StoreKey StoreKey::of_store(const std::string& store_uid) const { return StoreKey(seal("store/" + store_uid)); }

std::string StoreKey::credentials(const std::string& store_uid, const std::string& folder) const {
  const std::string user = folder_as_user(folder);
  return user + ':' + of_store(store_uid).seal(user);
}

std::string folder_as_user(const std::string& folder) {
  std::string encoded(4 * ((folder.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                      reinterpret_cast<const unsigned char*>(folder.data()), static_cast<int>(folder.size()));
  encoded.resize(static_cast<std::size_t>(length));
  while (encoded.ends_with('=')) encoded.pop_back();  // URLs and lips.dev/input would have to escape it
  for (char& c : encoded) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return "folder-" + encoded;  // never empty, even for the root of the store
}

}  // namespace lips::kubernetes
