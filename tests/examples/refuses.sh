# refuses.sh PROGRAM: bad input is one line that says what would be right.
refuses() {
  line=$1
  shift
  if said=$("$@" 2>&1); then
    echo "not refused: $*"
    exit 1
  fi
  said=$(printf '%s\n' "$said" | grep -v '^\[')  # what MPI says of its surroundings is not ours
  case $said in
    *"
"*) echo "more than a line: $said"; exit 1 ;;
    *"$line"*) ;;
    *) echo "'$said' does not say '$line'"; exit 1 ;;
  esac
}
refuses "there is no option '--sice'; there are --size, --steps, --rounds, --exchange" "$1" --sice 3
refuses "--size takes a number from 1 to 1000000, not '3x'" "$1" --size 3x
refuses "--steps takes a value" "$1" --steps
refuses "p2p:nonblockin" "$1" --exchange plain,p2p:nonblockin
