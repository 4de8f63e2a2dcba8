// The decoder of one kind of object; PodDecoder (codec.h), which takes an option, is the exception.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"

namespace lips::kubernetes {

// Keeps its working memory from call to call; one decoder is for one thread. Reads the fields that we use, and refuses
// a malformed object by its name. Its members are in object_fields_json.h, and made where the fields of the object are
// read.
template <class Object>
class ObjectDecoder {
 public:
  ObjectDecoder();
  ~ObjectDecoder();
  Result<Object> decode(std::string_view json);

 private:
  struct Working;
  std::unique_ptr<Working> working_;
};

}  // namespace lips::kubernetes
