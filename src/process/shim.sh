#!/bin/sh
# Runs one command so that it outlives the server that asked for it, and tells what became of it in a directory:
#   shim    "<boot id> <pid> <start time>" of this shim, as the text of a link
#   job     the pid of the command, which leads a session and a process group of its own
#   output  what it said, both streams in order; "cut" stands beside it when that was too much
#   closed  nobody holds the output any more: it is whole
#   exit    the exit code, by rename
# Usage: shim.sh run <directory> <working directory> <null|fifo> <output limit, KiB> <end|discard> <command…>
# The names begin with shim_ because a variable that came with the environment would go on into the command.

run() {
  shim_dir=$1 shim_cwd=$2 shim_stdin=$3 shim_kib=$4 shim_when_full=$5
  shift 5
  exec 2>>"$shim_dir/shim.log"
  PATH=/usr/bin:/bin:$PATH # for the shim's own needs; the command gets its own back

  # Making a link fails if it is there: of all shims for this directory one goes on, and none once it was given up.
  identify
  ln -s "$shim_identity" "$shim_dir/shim" 2>/dev/null || exit 0

  # Its place on the disk is taken now, so that a full disk does not cost the exit code.
  printf -- '---\n' >"$shim_dir/exit.tmp"
  mkfifo -m 600 "$shim_dir/pipe" 2>>"$shim_dir/output" || finish 126
  if [ "$shim_stdin" = fifo ]; then
    shim_stdin=$shim_dir/input
    mkfifo -m 600 "$shim_stdin" 2>>"$shim_dir/output" || finish 126
    exec 3<>"$shim_stdin" # held open, so that no writer's leaving is the end of the command's input
  else
    shim_stdin=/dev/null
  fi

  # A handler, because the command would inherit that a signal is ignored.
  trap : HUP INT QUIT TERM

  copy_output <"$shim_dir/pipe" 3>&- &

  if command -v setsid >/dev/null; then
    set -- setsid sh "$0" job "$shim_dir" "$shim_cwd" "$@"
  else
    set -- perl -e 'use POSIX; POSIX::setsid(); exec @ARGV' sh "$0" job "$shim_dir" "$shim_cwd" "$@"
  fi
  # In the foreground, because a shell makes what it runs in the background ignore SIGINT; in parentheses, because
  # else some shells hold the pipe too, and say "Killed" into it.
  (exec "$@") <"$shim_stdin" >"$shim_dir/pipe" 2>&1 3>&-
  finish "$?"
}

finish() {
  printf '%-3s\n' "$1" 1<>"$shim_dir/exit.tmp"
  mv -f "$shim_dir/exit.tmp" "$shim_dir/exit"
  exit
}

job() {
  printf '%s\n' "$$" >"$1/job"
  cd "$2" || exit 126
  shift 2
  PATH=${PATH#/usr/bin:/bin:}
  exec "$@"
}

# The size limit holds for the copying alone; the command may write files as large as it likes.
copy_output() {
  if (
    ulimit -c 0
    ulimit -f $((shim_kib * 2))
    exec cat >>"$shim_dir/output"
  ); then
    true >"$shim_dir/closed"
    return
  fi
  true >"$shim_dir/cut" # not ":", after whose failing a shell must end
  if [ "$shim_when_full" = end ]; then
    printf '\n[holdfast: the command was ended because its output reached %s KiB or could not be written]\n' "$shim_kib" >>"$shim_dir/output"
    # After its exit the pid may be another's; what is left of it then ends by writing to nobody.
    [ -e "$shim_dir/exit" ] || { read -r shim_job <"$shim_dir/job" && kill -s KILL -- "-$shim_job"; }
  else
    printf '\n[holdfast: output beyond %s KiB is not kept; the command goes on]\n' "$shim_kib" >>"$shim_dir/output"
    cat >/dev/null
  fi
  true >"$shim_dir/closed"
}

identify() {
  if [ -r "/proc/$$/stat" ]; then
    read -r shim_boot </proc/sys/kernel/random/boot_id
    read -r shim_stat <"/proc/$$/stat"
    set -- ${shim_stat##*\) }
    shift 19
    shim_identity="$shim_boot $$ $1"
  else
    shim_identity="$(sysctl -n kern.bootsessionuuid) $$ $(LC_ALL=C TZ=UTC ps -o lstart= -p $$ | tr -s ' ' '_')"
  fi
}

# One line that ends in exit: the whole file is read before anything runs, so an upgrade cannot change it underneath.
"$@"; exit
