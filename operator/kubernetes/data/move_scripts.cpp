#include "kubernetes/data/move_scripts.h"

// The environment says: LIPS_BLOCKS_0.. (lines: number, source path, offset, size, whole or part, SHA-256 or -, final
// path; tabs between; of a deletion: paths, and behind "." a file and the number of its byte that has to be there),
// LIPS_TEMPORARY (folder in the target), LIPS_SOURCE_ROOT and LIPS_TARGET_ROOT (set where that store is mounted). The
// remotes source:, target: and sums: are configured by RCLONE_CONFIG_*. No pipe stands behind rclone: it would hide how
// rclone ended.
// clang-format off

namespace lips::kubernetes {
namespace {

const char* const common = R"sh(set -eu
tab=$(printf '\t')
blocks=/scratch/blocks
die() { echo "$*" > /dev/termination-log; echo "$*" >&2; exit 1; }
error_of() { last=; while read -r line; do last=$line; done < /scratch/error; echo "$last"; }
sha() { sha256sum < "$1" > /scratch/sum || die "cannot read $1"; read -r sum _ < /scratch/sum; }
i=0
: > $blocks
while eval "part=\${LIPS_BLOCKS_$i:-}" && [ -n "$part" ]; do
  printf '%s\n' "$part" >> $blocks
  i=$((i + 1))
done
mounted=${LIPS_TARGET_ROOT:-}
)sh";

const char* const copying = R"sh(
# Temporary files of earlier attempts are of no use.
if [ -n "$mounted" ]; then
  rm -rf "$mounted/$LIPS_TEMPORARY"
else
  rclone purge "target:$LIPS_TEMPORARY" 2> /scratch/error || true
fi
: > /scratch/expected
while IFS="$tab" read -r number from offset size kind expected to; do
  temporary=$LIPS_TEMPORARY/$LIPS_ATTEMPT/$number
  # Renamed by an earlier attempt: only verified again.
  there=no
  if [ -n "$mounted" ]; then
    if [ -f "$mounted/$to" ] && [ "$(stat -c %s "$mounted/$to")" = "$size" ]; then there=yes; fi
  elif rclone lsf --format s "target:$to" > /scratch/found 2> /scratch/error; then
    read -r found < /scratch/found || found=
    if [ "$found" = "$size" ]; then there=yes; fi
  fi
  if [ $there = no ] && [ "$kind" = whole ]; then
    rclone copyto --ignore-times --retries 3 $LIPS_FLAGS "source:$from" "target:$temporary" 2> /scratch/error ||
      die "block $number: cannot copy $from: $(error_of)"
    # Of what is not in a bucket rclone copies nothing, without a word.
    if [ -n "$mounted" ] && [ ! -f "$mounted/$temporary" ]; then die "block $number: there is no $from"; fi
  elif [ $there = no ]; then
    part=/scratch/part
    if [ -n "$mounted" ]; then
      part=$mounted/$temporary
      mkdir -p "${part%/*}"
    fi
    rclone cat $LIPS_FLAGS --offset "$offset" --count "$size" "source:$from" > "$part" 2> /scratch/error ||
      die "block $number: cannot read $from: $(error_of)"
    if [ -z "$mounted" ]; then
      rclone copyto --ignore-times $LIPS_FLAGS "$part" "target:$temporary" 2> /scratch/error ||
        die "block $number: cannot write: $(error_of)"
      rm -f "$part"
    fi
  fi
  # The checksum: known, or by what stands beside the source, or by reading the source once more.
  if [ "$expected" = - ] && [ -n "${LIPS_SUMS:-}" ]; then
    rclone cat "sums:$number" > /scratch/sum 2> /scratch/error || die "block $number: no checksum: $(error_of)"
    read -r expected < /scratch/sum || die "block $number: no checksum"
  elif [ "$expected" = - ]; then
    rclone cat --offset "$offset" --count "$size" "source:$from" > /scratch/again 2> /scratch/error ||
      die "block $number: cannot read $from: $(error_of)"
    sha /scratch/again
    rm -f /scratch/again
    expected=$sum
  fi
  printf '%s\t%s\t%s\t%s\t%s\n' "$number" "$size" "$expected" "$there" "$to" >> /scratch/expected
done < $blocks
)sh";

const char* const verifying = R"sh(
while IFS="$tab" read -r number size expected there to; do
  temporary=$LIPS_TEMPORARY/$LIPS_ATTEMPT/$number
  written=$temporary
  if [ "$there" = yes ]; then written=$to; fi
  if [ -n "$mounted" ]; then
    sync "$mounted/$written" 2> /scratch/error || sync
    sha "$mounted/$written"
  else
    rclone cat "target:$written" > /scratch/back 2> /scratch/error || die "block $number: cannot read back: $(error_of)"
    sha /scratch/back
    rm -f /scratch/back
  fi
  if [ "$sum" != "$expected" ]; then
    # What stands under the final name is wrong: the next attempt copies it again.
    if [ "$there" = yes ] && [ -n "$mounted" ]; then
      rm -f "$mounted/$to"
    elif [ "$there" = yes ]; then
      rclone deletefile "target:$to" 2> /scratch/error || true
    fi
    die "block $number: the checksum is $sum, should be $expected"
  fi
  if [ "$there" = yes ]; then continue; fi
  if [ -n "$mounted" ]; then
    final=$mounted/$to
    mkdir -p "${final%/*}"
    mv -f "$mounted/$temporary" "$final" || die "block $number: cannot rename"
  else
    rclone moveto --ignore-times "target:$temporary" "target:$to" 2> /scratch/error ||
      die "block $number: cannot rename: $(error_of)"
  fi
done < /scratch/expected
if [ -n "$mounted" ]; then
  rm -rf "$mounted/$LIPS_TEMPORARY"
  rmdir "$mounted/lips-copies/moving" 2> /dev/null || true
  sync
fi
)sh";

const char* const summing = R"sh(
while IFS="$tab" read -r number from offset size kind expected to; do
  if [ "$expected" != - ]; then continue; fi
  if [ "$kind" = whole ]; then
    sha "$LIPS_SOURCE_ROOT/$from"
  else
    rclone cat --offset "$offset" --count "$size" "source:$from" > /scratch/part 2> /scratch/error ||
      die "block $number: cannot read $from: $(error_of)"
    sha /scratch/part
    rm -f /scratch/part
  fi
  echo "$sum" > "/serve/sums/$number"
done < $blocks
)sh";

// Computes StoreKey::seal() of a name, with the key of the store.
const char* const sealing = R"sh(
hash() { printf '%s' "$1" | sha256sum | cut -d ' ' -f 1; }
seal() { hash "$LIPS_STORE_KEY:outer:$(hash "$LIPS_STORE_KEY:inner:$1")"; }
)sh";

// rclone calls this for each user. Reads JSON, writes the settings of a remote, and fails if the password is not the
// seal of the user's folder.
const char* const admitting = R"sh(
request=$(tr -d '\n')
field() { printf '%s' "$request" | sed -n "s/.*\"$1\": *\"\([A-Za-z0-9_-]*\)\".*/\1/p"; }
user=$(field user)
password=$(field pass)
case $user in folder-*) ;; *) exit 1 ;; esac
[ "$password" = "$(seal "$user")" ] || exit 1
encoded=$(printf '%s' "${user#folder-}" | tr '_-' '/+')
while [ $((${#encoded} % 4)) -ne 0 ]; do encoded=$encoded=; done
folder=$(printf '%s' "$encoded" | base64 -d | sed 's/["\\]/\\&/g')
printf '{"type":"local","_root":"%s/%s"}\n' "$LIPS_SERVED" "$folder"
)sh";

const char* const serving = R"sh(
exec rclone serve http --addr ":$LIPS_PORT" --auth-proxy "sh /scratch/admit" --read-only --dir-cache-time 1s
)sh";

// User and password are RCLONE_USER and RCLONE_PASS.
const char* const serving_a_source = R"sh(
exec rclone serve http "$LIPS_SERVED" --addr ":$LIPS_PORT" --read-only --dir-cache-time 1s
)sh";

// The remotes that a pod of the same move serves.
const char* const reading_a_source = R"sh(
if [ -n "${LIPS_SOURCE:-}" ]; then
  export RCLONE_CONFIG_SOURCE_URL="http://lips:$LIPS_PASSWORD@$LIPS_SOURCE/data/"
  export RCLONE_CONFIG_SUMS_URL="http://lips:$LIPS_PASSWORD@$LIPS_SOURCE/sums/"
fi
)sh";

const char* const deleting = R"sh(
# Two stores may be one place under two names, where the other replica is the file that goes: what is written into one is
# then seen in the other.
apart=
look_apart() {
  [ -z "$apart" ] || return 0
  read -r mark < /proc/sys/kernel/random/uuid
  mark=lips-copies/moving/place-$mark
  echo here > /scratch/mark
  if [ -n "$mounted" ]; then
    mkdir -p "$mounted/lips-copies/moving" && cp /scratch/mark "$mounted/$mark" || die "cannot write into the store"
  else
    rclone copyto /scratch/mark "target:$mark" 2> /scratch/error || die "cannot write into the store: $(error_of)"
  fi
  ended=0
  rclone cat "source:$mark" > /scratch/seen 2> /scratch/error || ended=$?
  if [ -n "$mounted" ]; then
    rm -f "$mounted/$mark"
    # Other moves may still have files there.
    rmdir "$mounted/lips-copies/moving" "$mounted/lips-copies" 2> /dev/null || true
  else
    # A mark that stays is listed as a copy that nobody owns.
    rclone deletefile "target:$mark" 2> /dev/null || true
  fi
  # 3 and 4: it is not there.
  case $ended in 0|3|4) ;; *) die "nothing is deleted: cannot look into the other store: $(error_of)" ;; esac
  if [ -s /scratch/seen ]; then apart=no; else apart=yes; fi
}
if [ -n "${LIPS_TEMPORARY:-}" ] && [ -n "$mounted" ]; then
  rm -rf "$mounted/$LIPS_TEMPORARY"
  # Other moves may still have files there.
  rmdir "$mounted/lips-copies/moving" "$mounted/lips-copies" 2> /dev/null || true
elif [ -n "${LIPS_TEMPORARY:-}" ]; then
  rclone purge "target:$LIPS_TEMPORARY" 2> /scratch/error || true
fi
kept=0
while IFS="$tab" read -r path proof last; do
  # What a drop relies on comes first: nothing is deleted unless all of it can be read.
  if [ "$path" = . ]; then
    look_apart
    [ $apart = yes ] || die "nothing is deleted: the other replica is the same file under another name: $proof"
    : > /scratch/proof
    # A replica that cannot be read leaves no proof, which is asked for next.
    rclone cat --offset "$last" --count 1 "source:$proof" > /scratch/proof 2> /scratch/error || true
    [ -s /scratch/proof ] || die "nothing is deleted: the other replica cannot be read: $proof"
    continue
  fi
  # The rest of a failed copy goes only where its source can be read.
  if [ -n "${LIPS_TEMPORARY:-}" ]; then
    : > /scratch/proof
    # A source that cannot be read leaves no proof, and the file stays.
    [ -z "$proof" ] || rclone cat --offset "$last" --count 1 "source:$proof" > /scratch/proof 2> /scratch/error || true
    [ ! -s /scratch/proof ] || look_apart
    if [ ! -s /scratch/proof ] || [ $apart = no ]; then
      kept=$((kept + 1))
      continue
    fi
  fi
  if [ -n "$mounted" ]; then
    if [ -n "${LIPS_FOLDERS:-}" ]; then
      rm -rf "$mounted/$path" || die "cannot delete $path"
    elif [ ! -d "$mounted/$path" ]; then
      rm -f "$mounted/$path" || die "cannot delete $path"
    fi
    # Folders that are ours and empty now go too.
    folder=$path
    while folder=${folder%/*} && [ "${folder#lips-copies/}" != "$folder" ]; do
      rmdir "$mounted/$folder" 2> /dev/null || break
    done
    rmdir "$mounted/lips-copies" 2> /dev/null || true
  else
    ended=0
    if [ -n "${LIPS_FOLDERS:-}" ]; then
      rclone delete "target:$path" 2> /scratch/error || ended=$?
    else
      rclone deletefile "target:$path" 2> /scratch/error || ended=$?
    fi
    # 3 and 4: it is not there.
    case $ended in 0|3|4) ;; *) die "cannot delete $path: $(error_of)" ;; esac
  fi
done < $blocks
if [ $kept -gt 0 ]; then echo "$kept files stay: their source cannot be read, or is the same file under another name" > /dev/termination-log; fi
)sh";

// Nothing but the list may be in the log: rclone's notices would be among it.
const char* const listing = R"sh(
set -- --filter '- /lips-copies/**'
if [ -n "${LIPS_INCLUDE:-}" ]; then set -- "$@" --filter "+ $LIPS_INCLUDE" --filter '- *'; fi
rclone lsjson --recursive --files-only --no-mimetype --no-modtime "$@" "target:$LIPS_PATH" 2> /scratch/error ||
  die "cannot list: $(error_of)"
# It ends well also where it leaves out what it cannot name or follow.
if grep -e ' ERROR : ' -e "Can't follow" /scratch/error > /scratch/left_out; then
  read -r line < /scratch/left_out
  die "the list would be without a part of the data: $line"
fi
)sh";

// A folder is lips-copies/NAMESPACE/NAME/UID, or what else lies there. The last line says that nothing is missing.
const char* const looking = R"sh(
ended=0
rclone lsf --recursive --files-only --format sp --separator "$tab" "target:lips-copies" > /scratch/list 2> /scratch/error || ended=$?
# 3: there is no such folder. A part of it may have gone meanwhile, too.
if [ $ended -ne 0 ] && { [ $ended -ne 3 ] || [ -s /scratch/list ]; }; then die "cannot list: $(error_of)"; fi
if [ $ended -eq 0 ] && grep -e ' ERROR : ' /scratch/error > /scratch/left_out; then
  read -r line < /scratch/left_out
  die "the list would be without a part of the copies: $line"
fi
awk '{
  at = index($0, "\t")
  if (at == 0) next
  path = substr($0, at + 1)
  parts = split(path, part, "/")
  folder = parts > 3 ? part[1] "/" part[2] "/" part[3] : path
  files[folder] += 1
  bytes[folder] += substr($0, 1, at - 1)
}
END { for (folder in files) printf "%s\t%.0f\t%.0f\n", folder, files[folder], bytes[folder] }' /scratch/list > /scratch/folders ||
  die "cannot sum up the list"
cat /scratch/folders
echo complete
)sh";

// One process fetches everything: one for each of thousands of files would take minutes. A log may hold 10 MiB, so it
// gets only the needed parts of block locations.
const char* const fetching = R"sh(
# Our words for what a name node refuses. Its own may be confidential. rclone fails here as it did before: its output counts.
refusal_of() { # URL
  rclone copyurl --retries 1 --dump bodies "$1" /scratch/refused > /scratch/said 2>&1 || true
  case $(grep -oE '"exception": *"[A-Za-z]+"' /scratch/said | head -n 1) in
    *Standby*) echo ': this name node stands by' ;;
    *SafeMode*) echo ': this name node is in safe mode' ;;
    *FileNotFound*) echo ': there is no such file or folder' ;;
    *AccessControl* | *Security*) echo ': access is denied' ;;
  esac
}
n=0
while IFS= read -r url; do
  printf '"%s",%s\n' "$url" $n
  n=$((n + 1))
done < $blocks > /scratch/urls
mkdir -p /scratch/answers
if [ $n -gt 0 ] && ! rclone copyurl --urls /scratch/urls /scratch/answers 2> /scratch/error; then
  # An rclone before 1.72 takes one at a time.
  grep -q 'unknown flag' /scratch/error || die "cannot fetch: $(error_of)$(refusal_of "$(head -n 1 $blocks)")"
  i=0
  while IFS= read -r url; do
    rclone copyurl "$url" /scratch/answers/$i 2> /scratch/error || die "cannot fetch $url: $(error_of)$(refusal_of "$url")"
    i=$((i + 1))
  done < $blocks
fi
i=0
while [ $i -lt $n ]; do
  tr -d '\r\n' < /scratch/answers/$i
  echo
  i=$((i + 1))
done > /scratch/lines
unread='"(cachedHosts|names|storageTypes|topologyPaths)":\[[^]]*\]'
sed -E "s/$unread,//g; s/,$unread//g" /scratch/lines
)sh";

}  // namespace

std::string fetch_script() { return std::string(common) + fetching; }
std::string copy_script() { return std::string(common) + reading_a_source + copying; }
std::string verify_script() { return std::string(common) + verifying; }
std::string sums_script() { return std::string(common) + summing; }
std::string admit_script() { return std::string("set -eu") + sealing + admitting; }
std::string serve_script() {
  return "set -eu\ncat > /scratch/admit <<'END'\n" + admit_script() + "END\n" + serving;
}
std::string serve_source_script() { return std::string("set -eu") + serving_a_source; }
std::string delete_script() { return std::string(common) + deleting; }
std::string look_script() { return std::string(common) + looking; }
std::string list_script() { return std::string(common) + listing; }

}  // namespace lips::kubernetes
