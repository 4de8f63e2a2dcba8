// Where the commands that ask about a cluster take its state from: a running operator, through the API server or by its
// own address, or a file. Plans nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advice/question.h"
#include "base/result.h"
#include "cmd/ask/api_source.h"
#include "cmd/cli/arguments.h"
#include "records/epoch_record.h"

namespace lips::cmd {

struct Source {
  std::string from, url, token_file, service, kubeconfig, context;
  std::optional<std::uint64_t> epoch;  // of a journal; none: the last
};
void describe(Source& source, Arguments& arguments);

// The bytes that the operator serves at that path, or those of the file.
Result<FetchedBytes> fetch_bytes(const Source& source, const std::string& path);

struct FetchedState {
  EpochRecord record;
  std::string name_space;  // of the kubeconfig's context; "default" elsewhere
};
Result<FetchedState> fetch(const Source& source);

// The facts that only a running operator knows.
Result<const LiveFacts*> live_facts(const EpochRecord& record);
Result<LiveFacts> fetch_live(const Source& source);

using Overrides = std::vector<std::pair<std::string, std::string>>;
// The operator's policy and settings, with these settings replaced.
Result<advice::Question> question_of(EpochRecord record, const Overrides& set);

}  // namespace lips::cmd
