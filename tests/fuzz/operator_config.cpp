// The operator's configuration: what is read, is listed and reads as the same again.
#include "config/operator_config.h"

#include "tests/fuzz/fuzz_target.h"

namespace lips {

FUZZ_TARGET(operator_config, json) {
  const Result<OperatorConfig> config = parse_operator_config("lips.yaml", std::string(input));
  if (!config) return false;
  ConfigOverrides all{{"apiVersion", "config.lips.dev/v1alpha1"}, {"kind", "OperatorConfig"}};
  for (const ConfigKey& key : keys_of(*config)) all.emplace_back(key.path, key.value);
  const Result<OperatorConfig> again = parse_operator_config("lips.yaml", "", all);
  FUZZ_CHECK(again);
  FUZZ_CHECK(changed_keys(*config, *again).empty());
  return true;
}

}  // namespace lips
