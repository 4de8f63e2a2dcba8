# Steps that the scripts in this folder share: packages, configuration, build. Sourced, not run.
# Settings from the environment: LIPS_PRESET (release), LIPS_JOBS (cores, fewer where memory is short), LIPS_WERROR (the preset's).

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${LIPS_PRESET:-release}
build=build/$preset
mkdir -p build

say() { printf '[%3d s] %s\n' "$SECONDS" "$*"; }
die() { printf '\nerror: %s\n' "$*" >&2; exit 1; }

# logged NAME COMMAND...: runs the command, keeps its output in build/NAME.log and shows its latest line every ten seconds.
logged() {
  local log=build/$1.log; shift
  local status=0
  "$@" < /dev/null 2>&1 | tee "$log" | {
    local shown=$SECONDS line
    while IFS= read -r line; do
      if ((SECONDS - shown >= 10)); then
        shown=$SECONDS
        say "    ${line:0:110}"
      fi
    done
  } || status=$?
  if ((status != 0)); then
    tail -n 60 "$log" >&2
    die "'$*' failed (exit $status); its full output is in $log"
  fi
}

packages_of() { awk -v groups=" $* " 'index(groups, " " $1 " ") {print $2}' scripts/packages.txt; }

missing_of() {
  local package
  for package in $(packages_of "$@"); do
    case $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2> /dev/null) in
      ii*) ;;
      *) echo "$package" ;;
    esac
  done
}

# Installs the packages of these groups that are missing; needs neither root nor network when all are there.
install_packages() {
  if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    say "No apt here: using the installed packages (docs/packages.md lists the required ones)."
    return
  fi
  local missing as_root=()
  mapfile -t missing < <(missing_of "$@")
  if ((${#missing[@]} == 0)); then
    say "Packages: all $(packages_of "$@" | wc -l) are installed."
    return
  fi
  say "Packages: installing ${#missing[@]} missing ones: ${missing[*]}"
  if ((EUID != 0)); then
    command -v sudo > /dev/null || die "this needs root once. As root, run: apt-get install --no-install-recommends ${missing[*]}"
    sudo -v || die "sudo was refused. As root, run: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
  logged apt-update "${apt[@]}" update
  logged apt-install "${apt[@]}" install --no-install-recommends "${missing[@]}"
}

# One job per core, but at most one per 1.5 GiB of free memory.
job_count() {
  if [ -n "${LIPS_JOBS:-}" ]; then
    echo "$LIPS_JOBS"
    return
  fi
  local cores memory limit file
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1024)}' /proc/meminfo)
  for file in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
    limit=$(cat "$file" 2> /dev/null) || continue
    case $limit in *[!0-9]* | "" | ???????????????*) continue ;; esac # "max", or too large to be a limit
    ((limit / 1048576 < memory)) && memory=$((limit / 1048576))
  done
  local fit=$((memory / 1536))
  ((fit < 1)) && fit=1
  echo $((cores < fit ? cores : fit))
}

# build_targets TARGET...: configures the preset and builds these targets.
build_targets() {
  local jobs
  jobs=$(job_count)
  say "Configuring the build '$preset' in $build"
  logged configure cmake --preset "$preset" ${LIPS_WERROR:+-DLIPS_WERROR="$LIPS_WERROR"}
  say "Building $* with $jobs jobs (the first time takes minutes; unchanged files then come from ccache)"
  logged build cmake --build "$build" -j "$jobs" --target "$@"
  local warnings
  warnings=$(awk '/ warning: .*\[-W/ {++n} END {print n + 0}' build/build.log)
  ((warnings == 0)) || say "The compiler warned $warnings times (build/build.log); .ci/run takes most warnings as errors."
  say "Built."
}
