#include "cmd/ask/source.h"
#include "cmd/ask/status_screen.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"

namespace lips::cmd {
namespace {

constexpr int most_replicas_asked = 8;

// A Service picks one of the replicas at random.
Result<std::string> status_of_leader(const Source& source) {
  std::string status;
  for (int asked = 0; asked < most_replicas_asked; ++asked) {
    Result<FetchedBytes> answer = fetch_bytes(source, "status");
    if (!answer && asked == 0) return tl::unexpected(answer.error());
    if (!answer) break;
    status = std::move(answer->bytes);
    if (!source.from.empty() || !should_ask_leader(status)) break;
  }
  return status;
}

}  // namespace

int run_status(Words words) {
  Source source;
  OutputFormat format = OutputFormat::text;
  Arguments arguments(
      "lips status",
      "Says whether a running operator decides and, if not, why: its watches, prices, requests, what it "
      "holds, its last errors.");
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format (docs/json.md)", format);
  describe(source, arguments);
  arguments.example("kubectl lips status", "whether LiPS decides, who leads, and what is wrong");
  arguments.example("lips status --format json --url http://127.0.0.1:8080", "the same for a program");
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<std::string> status = status_of_leader(source);
  if (!status) return print_error(status.error());
  const Result<std::string> screen = status_screen(*status);
  if (!screen) return print_error(screen.error());
  return print(format == OutputFormat::json ? *status : *screen);
}

}  // namespace lips::cmd
