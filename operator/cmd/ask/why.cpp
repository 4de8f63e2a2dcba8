#include "cmd/ask/source.h"
#include "cmd/ask/subject.h"
#include "cmd/ask/why_answer.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"

namespace lips::cmd {

namespace {

struct WhyOptions {
  std::string pod, name_space;
  Source source;
  Overrides set;
  OutputFormat format = OutputFormat::text;
};

Arguments describe(WhyOptions& options) {
  Arguments arguments("lips why",
                      "Says in a sentence why a pod waits and what would start it at once, at what cost; of a running "
                      "one, what it costs where it runs. Nothing is changed.");
  arguments.operand("POD", "a pod; or a job, for its first task that waits; or JOB/NUMBER", options.pod);
  arguments.text("--namespace", "NAME", "of the pod (default: that of the kubeconfig's context)", options.name_space);
  arguments.text("-n", "NAME", "the same", options.name_space);
  arguments.pairs("--set", "settings of the policy that differ from the operator's, such as waitingPrice=2",
                  options.set);
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format (docs/json.md)",
                   options.format);
  describe(options.source, arguments);
  arguments.example("kubectl lips why etl-17 -n batch", "ask about a pod of the cluster of your kubeconfig");
  arguments.example("lips why etl-17 -n batch --from state.json.gz", "ask a file");
  arguments.example("lips why J3-sort --url http://127.0.0.1:8080", "ask 'lips operator --cluster simulated:...'");
  return arguments;
}

Result<int> why(const WhyOptions& options) {
  Result<FetchedState> state = fetch(options.source);
  if (!state) return tl::unexpected(state.error());
  const std::string& name_space = options.name_space.empty() ? state->name_space : options.name_space;
  const Result<Subject> subject = find_subject(state->record, options.pod, name_space);
  if (!subject) return tl::unexpected(subject.error());
  const bool json = options.format == OutputFormat::json;
  if (!subject->task.valid())
    return print(json ? held_json(subject->name, subject->held) : held_text(subject->name, subject->held));
  const Result<advice::Question> question = question_of(std::move(state->record), options.set);
  if (!question) return tl::unexpected(question.error());
  const Result<advice::Explanation> explanation = advice::explain(*question, subject->task);
  if (!explanation) return tl::unexpected(explanation.error());
  return print(json ? why_json(*question, *explanation, subject->name)
                    : why_text(*question, *explanation, subject->name));
}

}  // namespace

int run_why(Words words) {
  WhyOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<int> status = why(options);
  return status ? *status : print_error(status.error());
}

}  // namespace lips::cmd
