# Shared by the scripts beside it: messages, certificates, and processes that are started, watched and ended by their own pid.
# Sourced, not run.

e2e=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=${LIPS_TOOLS:-$HOME/.cache/lips-tools}
export PATH="$tools/bin:$PATH:/usr/sbin:/sbin"

say() { printf '%s\n' "$*" >&2; }
die() { say "${0##*/}: $*"; exit 1; }
# The comment at the top of a script is its help.
usage() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; }
wrong_usage() { say "${0##*/}: $*"; usage >&2; exit 2; }

need() {
  local name
  for name; do command -v "$name" > /dev/null || die "$name is missing (e2e/build-tools makes the programs of Kubernetes; the rest is in scripts/packages.txt)"; done
}

# wait_until SECONDS COMMAND...: fails when the command has not succeeded by then.
wait_until() {
  local deadline=$((SECONDS + $1)); shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}
not() { ! "$@"; }

# ---- processes: $dir/pids/NAME holds pid and start time, which tells the process from a later one with the same pid ----

# The fields of /proc/PID/stat behind the name, which may hold blanks: the first is the state, the twentieth the start time.
stat_fields() {
  local line
  { line=$(< "/proc/$1/stat"); } 2> /dev/null || return 1
  printf '%s\n' "${line##*) }"
}

# launch NAME COMMAND...: in a session of its own, with its output in $dir/logs/NAME.log
launch() {
  local name=$1 pid fields; shift
  setsid "$@" < /dev/null >> "$dir/logs/$name.log" 2>&1 &
  pid=$!
  read -ra fields < <(stat_fields "$pid") || true
  printf '%s %s\n' "$pid" "${fields[19]:-0}" > "$dir/pids/$name"
}

# A zombie has ended: whoever has to reap it may take seconds.
running() {
  local pid started fields
  { read -r pid started < "$dir/pids/$1"; } 2> /dev/null || return 1
  read -ra fields < <(stat_fields "$pid") || return 1
  [[ ${fields[0]} != Z && ${fields[19]} == "$started" ]]
}

send() {
  local pid
  if running "$2"; then
    read -r pid _ < "$dir/pids/$2"
    kill "-$1" "$pid" 2> /dev/null || true
  fi
}

# stop NAME...: asks all, then waits for each, and kills the one that does not end.
stop() {
  local name
  for name; do send TERM "$name"; done
  for name; do
    wait_until 15 not running "$name" || send KILL "$name"
    wait_until 5 not running "$name" || say "$name does not end"
    rm -f "$dir/pids/$name"
  done
}

# ---- certificates, in $dir/pki ----

new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2> /dev/null; }

make_authority() {
  new_key "$dir/pki/ca.key"
  openssl req -x509 -new -key "$dir/pki/ca.key" -days 365 -subj /CN=lips-e2e -out "$dir/pki/ca.crt"
}

# make_certificate NAME SUBJECT [SUBJECT-ALTERNATIVE-NAMES]: for servers and clients, signed by the instance's own authority.
make_certificate() {
  local file=$dir/pki/$1 extensions='extendedKeyUsage=clientAuth,serverAuth'
  [[ -z ${3:-} ]] || extensions+=$'\n'subjectAltName=$3
  new_key "$file.key"
  openssl req -new -key "$file.key" -subj "$2" -out "$file.csr"
  openssl x509 -req -in "$file.csr" -CA "$dir/pki/ca.crt" -CAkey "$dir/pki/ca.key" -CAcreateserial -days 365 \
    -extfile <(printf '%s\n' "$extensions") -out "$file.crt" 2> /dev/null
  rm "$file.csr"
}
