# The ports of an instance. Sourced, not run.

# Below 32768: the kernel hands out the higher ones for connections.
least_port=20000
port_count=12000

listening() { "${enter[@]}" bash -c ": <> /dev/tcp/127.0.0.1/$1" 2> /dev/null; }

# choose_ports NAME...: writes NAME_port=NUMBER for each into $dir/ports. No other instance of this user has these ports, not even one that
# starts at the same time and listens on none yet: a link to each folder lies in one place, which is locked meanwhile.
choose_ports() {
  local instances=${TMPDIR:-/tmp}/lips-instances-$UID
  mkdir -p "$instances"
  (
    flock 9
    taken=' '
    for other in "$instances"/*; do
      if [[ -e $other/ports ]]; then taken+="$(sed 's/.*=//' "$other/ports" | tr '\n' ' ')"; else rm -f "$other"; fi
    done
    ln -sfn "$dir" "$instances/$instance"
    for name; do
      port=
      # In its own namespace the API server itself answers for the `kubernetes` Service, because there is no kube-proxy.
      if [[ $name == api && -e $dir/netns ]]; then port=443; fi
      until [[ -n $port ]]; do
        port=$((least_port + RANDOM % port_count))
        if [[ $taken == *" $port "* ]] || listening "$port"; then port=; fi
      done
      taken+="$port "
      echo "${name}_port=$port"
    done > "$dir/ports"
  ) 9>> "$instances/.lock"
}
