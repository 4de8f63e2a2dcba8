// Decodes the API server's JSON into our own values: reads the fields that we use, and refuses a malformed object by
// its name. Does not know where the text came from.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kubernetes/api/object_decoder.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

// Decoders keep their working memory from call to call; one decoder is for one thread.
class PodDecoder {
 public:
  // Keeps these annotations beside those of lips.dev.
  explicit PodDecoder(std::vector<std::string> annotations = {});
  ~PodDecoder();
  Result<Pod> decode(std::string_view json);

 private:
  struct Working;
  std::unique_ptr<Working> working_;
};

using NodeDecoder = ObjectDecoder<Node>;

struct ListPage {
  std::string resource_version;
  std::string continue_token;  // empty: the last page
};

struct WatchEvent {
  enum class Type : std::uint8_t { added, modified, deleted, bookmark, error };
  Type type = Type::error;
  ObjectMeta meta;
  std::string_view object;  // its JSON; valid until the next read
  Error error;              // of an error event
};

// The frames around objects: lists and watch events.
class FrameReader {
 public:
  FrameReader();
  ~FrameReader();
  // Calls `each` with every item's JSON, which is valid during the call alone.
  Result<ListPage> read_list(std::string_view body,
                             const std::function<void(const ObjectMeta&, std::string_view json)>& each);
  // One line of a watch.
  Result<WatchEvent> read_event(std::string_view line);

 private:
  struct Working;
  std::unique_ptr<Working> working_;
};

// Why a request was refused: the message of the Status object in the answer, or the beginning of any other text.
Error error_of_answer(int http_code, std::string_view body);
// The answer to a write that names the uid of an object: another one has its name by now. A patch is so refused as
// invalid (422), where an update is a conflict.
bool is_about_another_object(int http_code, std::string_view message);

}  // namespace lips::kubernetes
