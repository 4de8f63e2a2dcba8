#include "cmd/playground/playground_page.h"

#include <fmt/format.h>

#include "telemetry/page/html.h"

namespace lips::cmd {
namespace {

constexpr const char* style =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c}"
    "h1{font-size:1.4rem}.clock{font-size:1.6rem;font-variant-numeric:tabular-nums}form{display:inline}"
    "button{font:inherit;margin:0 .3rem .3rem 0;padding:.2rem .7rem}pre{background:#f3f3f1;padding:.7rem;overflow:auto}"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#e8e8e8}pre{background:#262626}"
    "a{color:#8ab4f8}}";

std::string button(const std::string& words, const std::string& query) {
  return fmt::format(R"(<form method="post" action="/playground?{}"><button>{}</button></form>)", query, words);
}

std::string pace_words(double speed, bool stopped) {
  if (stopped) return "stopped";
  return speed == 0 ? "as fast as it goes" : fmt::format("{:g} times the wall clock", speed);
}

}  // namespace

std::string playground_page(const lips::virtual_cluster::Json& facts, const std::string& host,
                            const std::string& page_of_operator) {
  const bool stopped = facts.value("stopped", false);
  std::string buttons = stopped ? button("go on", "stopped=false") : button("stop", "stopped=true");
  for (const int speed : {1, 10, 60, 600})
    buttons += button(fmt::format("{}&times;", speed), fmt::format("speed={}", speed));
  buttons += button("as fast as it goes", "speed=0");
  const std::string link =
      page_of_operator.empty()
          ? "The operator serves no page; start it with <code>--set server.listen=127.0.0.1:8080</code> to see one."
          : fmt::format(R"(<a href="{0}">The operator's page</a> shows dollars, fairness and locality.)",
                        page::escape(page_of_operator));
  return fmt::format(
      R"(<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2">)"
      R"(<meta name="viewport" content="width=device-width"><title>LiPS playground</title><style>{}</style>)"
      "<h1>A virtual cluster: {}</h1><p class=\"clock\">{}</p><p>Its clock: {}. {} of {} jobs have ended.{}</p>"
      "<p>{}</p><p>{}</p><p>Its API, for kubectl:</p><pre>"
      "kubectl --server http://{} get nodes\n"
      "kubectl --server http://{} get pods -A -o wide\n"
      "kubectl --server http://{} get lips -A</pre></html>\n",
      style, page::escape(facts.value("scenario", "")), page::escape(facts.value("time", "")),
      pace_words(facts.value("speed", 1.0), stopped), facts.value("ended", 0), facts.value("jobs", 0),
      facts.value("over", false) ? " Nothing more will come; the cluster stays as it is." : "", buttons, link,
      page::escape(host), page::escape(host), page::escape(host));
}

}  // namespace lips::cmd
