#include <fmt/format.h>

#include <string>

#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "cmd/commands.h"

namespace lips::cmd {

namespace {

// The options come from the program when they are wanted, so the script is right for every later version too.
constexpr const char* script = R"SH(_lips() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} word name value options
  local -a asked=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '%COMMANDS%' -- "$current"))
    return
  fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) break ;; *) asked+=("$word") ;; esac
  done
  options=$("${COMP_WORDS[0]}" "${asked[@]}" --list-options 2> /dev/null) || return
  while IFS=$'\t' read -r name value; do
    [ "$name" = "$previous" ] && [ -n "$value" ] || continue
    case $value in *'|'*) COMPREPLY=($(compgen -W "${value//|/ }" -- "$current")) ;; esac
    return
  done <<< "$options"
  COMPREPLY=($(compgen -W "$(printf '%s\n' "$options" | cut -f1)" -- "$current"))
}
complete -o default -F _lips lips kubectl-lips
)SH";

std::string bash_script() {
  std::string names;
  for (const Command& command : commands()) names += fmt::format("{}{}", names.empty() ? "" : " ", command.name);
  std::string text = script;
  const std::string_view place = "%COMMANDS%";
  return text.replace(text.find(place), place.size(), names);
}

}  // namespace

int run_completion(Words words) {
  Arguments arguments("lips completion",
                      "Writes a script with which a shell completes the commands of lips and their options.");
  std::string shell;
  arguments.operand("SHELL", "bash or zsh", shell);
  arguments.example("source <(lips completion bash)", "complete in this shell");
  arguments.example("lips completion zsh > ~/.lips-completion; echo 'source ~/.lips-completion' >> ~/.zshrc",
                    "complete in every zsh from now on");
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  if (shell == "bash") return print(bash_script());
  if (shell == "zsh")
    return print("autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script());
  print_error(fmt::format("SHELL: expected bash or zsh, found '{}' (try 'lips completion --help')", shell));
  return bad_input;
}

}  // namespace lips::cmd
