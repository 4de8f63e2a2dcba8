# Shared by the scripts beside it: messages, certificates, and processes that are started, watched and ended by their own pid.
# Sourced, not run.

e2e=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=${LIPS_TOOLS:-$HOME/.cache/lips-tools}
export PATH="${LIPS_KUBERNETES:+$tools/kubernetes-$LIPS_KUBERNETES/bin:}$tools/bin:$PATH:/usr/sbin:/sbin"

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

show_log() {
  say "The end of $dir/logs/$1.log:"
  tail -n 15 "$dir/logs/$1.log" >&2 || true
}

# ---- instances: one folder each, some with a network namespace of their own ----

cluster_address=10.0.0.1 # the `kubernetes` Service: the first address of the service range
cluster_domain=cluster.local

# open_instance DIR: sets dir, instance (also the name of its network namespace and cgroups) and enter (what goes before a command
# to run it there). Not `ip netns exec`, which hides /sys/fs/cgroup behind a fresh /sys.
open_instance() {
  dir=$(realpath -m -- "$1")
  instance=lips-$(printf %s "$dir" | sha256sum | cut -c1-8)
  # kubectl keeps what an API server offers by its address, which instances share.
  export KUBECACHEDIR=$dir/kubectl-cache
  enter=()
  if [[ -e $dir/netns ]]; then enter=(nsenter "--net=/run/netns/$instance"); fi
}
cluster() { "${enter[@]}" kubectl --kubeconfig "$dir/kubeconfig" "$@"; }

# open_node NUMBER: sets where a real node lives and as what it registers: what `real-nodes add` has kept in its folder, else by its number.
open_node() {
  local zones=(zone-a zone-b zone-c)
  number=$1
  node=$dir/nodes/real-$1
  name=real-$1
  labels=topology.kubernetes.io/zone=${zones[$1 % 3]},lips.dev/real=true
  if [[ -e $node/registers ]]; then { read -r name && read -r labels; } < "$node/registers"; fi
  bridge=lipsbr$1
  address=10.244.$1.1 # the kubelet refuses a loopback address, so its bridge has one
  cgroup=$instance-$name
}

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

# A zombie has ended, though whoever has to reap it may take seconds; but not while other threads of it are still ending: these keep its
# sockets open.
running() {
  local pid started fields
  { read -r pid started < "$dir/pids/$1"; } 2> /dev/null || return 1
  read -ra fields < <(stat_fields "$pid") || return 1
  [[ ${fields[19]} == "$started" ]] && { [[ ${fields[0]} != [ZX] ]] || ((fields[17] > 1)); }
}
pid_of() { cut -d' ' -f1 "$dir/pids/$1"; }

send() {
  if running "$2"; then kill "-$1" "$(pid_of "$2")" 2> /dev/null || true; fi
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

# X.509 allows common names of 64 characters; with `system:node:` those of nodes may be longer, and nobody who reads them minds.
long_names='openssl_conf = init
[init]
stbl_section = strings
[strings]
CN = min:1, max:256
[req]
distinguished_name = none
[none]
'

# make_certificate NAME SUBJECT [SUBJECT-ALTERNATIVE-NAMES]: for servers and clients, signed by the instance's own authority.
make_certificate() {
  local file=$dir/pki/$1 extensions='extendedKeyUsage=clientAuth,serverAuth'
  [[ -z ${3:-} ]] || extensions+=$'\n'subjectAltName=$3
  new_key "$file.key"
  openssl req -new -config <(printf %s "$long_names") -key "$file.key" -subj "$2" -out "$file.csr"
  openssl x509 -req -in "$file.csr" -CA "$dir/pki/ca.crt" -CAkey "$dir/pki/ca.key" -set_serial "0x$(openssl rand -hex 16)" -days 365 \
    -extfile <(printf '%s\n' "$extensions") -out "$file.crt" 2> /dev/null
  rm "$file.csr"
}

# make_kubeconfig FILE SERVER USERS: USERS as the items of a JSON list, the first of which is the one used unless asked otherwise
make_kubeconfig() {
  local users=$3 name contexts='' first=''
  for name in $(grep -o '"name": *"[^"]*"' <<< "$users" | cut -d'"' -f4); do
    contexts+="${contexts:+, }{\"name\": \"$name\", \"context\": {\"cluster\": \"e2e\", \"user\": \"$name\"}}"
    first=${first:-$name}
  done
  cat > "$1" <<JSON
{"apiVersion": "v1", "kind": "Config",
 "clusters": [{"name": "e2e", "cluster": {"server": "$2", "certificate-authority": "$dir/pki/ca.crt"}}],
 "users": [$users],
 "contexts": [$contexts],
 "current-context": "$first"}
JSON
  chmod 600 "$1"
}
