// The frames in which the API server wraps objects: lists, lines of a watch, answers to refused requests.
#include "kubernetes/api/codec.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::kubernetes {

FUZZ_TARGET(frames, json) {
  static FrameReader reader;
  static PodDecoder pods;
  bool taken =
      reader.read_list(input, [&](const ObjectMeta&, std::string_view json) { (void)pods.decode(json); }).has_value();
  for (std::string_view rest = input; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (const auto event = reader.read_event(rest.substr(0, end)); event && !event->object.empty())
      taken |= pods.decode(event->object).has_value();
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  for (const int code : {0, 404, 409, 410, 429, 500}) (void)error_of_answer(code, input);
  return taken;
}

}  // namespace lips::kubernetes
