// A driver's answer to the question for its application's traffic, and the part of it that is kept in a ConfigMap.
#include "kubernetes/pods/learned_traffic.h"
#include "kubernetes/pods/spark_traffic.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::kubernetes {

FUZZ_TARGET(traffic, json) {
  bool taken = false;
  if (const auto traffic = read_spark_traffic(input)) {
    for (const Mebibytes size : {traffic->shuffle, traffic->input})
      FUZZ_CHECK(size >= Mebibytes(0) && size <= most_traffic);
    taken = true;
  } else {
    FUZZ_CHECK(traffic.error().message.size() < 200);
  }
  LearnedTraffic learned, again;
  learned.read(std::string(input));
  for (const auto& [of, known] : learned.all()) {
    FUZZ_CHECK(known.bytes.shuffle >= Mebibytes(0) && known.bytes.shuffle <= most_traffic);
    taken = true;
  }
  again.read(learned.text());
  FUZZ_CHECK(again.text() == learned.text());
  return taken;
}

}  // namespace lips::kubernetes
