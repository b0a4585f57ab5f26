#!/bin/sh
# guard.sh DIRECTORY [--after SCRIPT] [COMMAND ARGUMENT...]
#
# Runs COMMAND until it ends, until the word "stop" arrives on standard input, or until standard
# input closes. The write end of that pipe is held by the JVM that started this guard and by no
# other process, so the last case means that the JVM is gone, in whichever way: then COMMAND is killed and
# the work DIRECTORY removed. Without COMMAND it guards the directory alone.
# SCRIPT is the text of a shell script that runs, with DIRECTORY, when COMMAND has ended, in whichever way: it removes
# what the kernel does not release when a process dies.
#
# DIRECTORY/.owned says that a JVM owns the directory. The first guard to notice the JVM's end
# removes it before it kills, so every guard whose command was killed for that reason finds it
# missing afterwards, and the last of them removes what the others' commands were still writing.
directory=$1
shift
if [ ! -e "$directory/.owned" ]; then
  echo "guard: $directory is not a work directory of the test bed" >&2
  exit 64
fi

after=
if [ "${1-}" = --after ]; then
  after=$2
  shift 2
fi

# Ctrl-C reaches the whole process group; only the pipe decides.
trap '' HUP INT TERM

child=
listen() {
  read -r order
  [ "$order" = stop ] || rm -f "$directory/.owned"
  [ -z "$child" ] || kill -KILL "$child"
}

status=0
if [ $# -eq 0 ]; then
  listen
else
  exec 3<&0
  "$@" </dev/null 3<&- &
  child=$!
  listen <&3 2>/dev/null &
  listener=$!
  wait "$child"
  status=$?
  kill -KILL "$listener" 2>/dev/null
  [ -z "$after" ] || /bin/sh -c "$after" guard-after "$directory"
fi
[ -e "$directory/.owned" ] || rm -rf "$directory"
exit "$status"
