// The commitments of a configuration in YAML: `reserved` and `savingsPlan`, as scenarios have them.
#pragma once

#include <string>
#include <vector>

#include "config/yaml_reader.h"
#include "invoice/commitments.h"

namespace lips {

void read_commitment(YamlMap& fields, std::string_view key, std::vector<Commitments::Nodes>& reserved);
void read_commitment(YamlMap& fields, std::string_view key, SavingsPlan& plan);
std::string commitment_text(const std::vector<Commitments::Nodes>& reserved);
std::string commitment_text(const SavingsPlan& plan);

}  // namespace lips
