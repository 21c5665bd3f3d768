#!/usr/bin/env bash
# Every pair of Python and torch that the README names: what records, what watches, every lesson.
# A pair whose packages can't be fetched is skipped, and that is said; any other failure fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=${MATRIX:-$PWD/.matrix}
pytest=(.venv/bin/pytest -n "${JOBS:-2}" -q)
failed=()

step() { # NAME COMMAND...
  local name=$1 began=$SECONDS
  shift
  if "$@"; then echo "ok      $name ($((SECONDS - began)) s)"; else
    echo "FAILED  $name ($((SECONDS - began)) s)"
    failed+=("$name")
  fi
}

fetch() { # SUITE VERSION: the interpreter, and beside it what the program and its tests need
  local dir=$cache/$2
  [ -e "$dir/made" ] && return
  rm -rf "$dir"
  mkdir -p "$cache"
  tests/matrix/debian.sh "$1" "$2" "$dir" &&
    .venv/bin/python tests/matrix/requirements.py >"$dir/requirements.txt" &&
    .venv/bin/python -m pip install -qq --no-compile --target "$dir/site" --python-version "$2" \
      --implementation cp --only-binary=:all: --constraint constraints.txt --requirement "$dir/requirements.txt" &&
    touch "$dir/made"
}

pair() { # NAME PYTHON [VARIABLES FOR TESTS OF THE WORKER THERE]
  local name=$1 python=$2
  shift 2
  step "$name: programs of which all is known, probes" \
    env "$@" "${pytest[@]}" tests/diagnosis/test_programs.py tests/diagnosis/test_probes.py
  step "$name: a GAN" env "$@" "${pytest[@]}" tests/cli/test_explain_elsewhere.py -k gan
  step "$name: the witness" env "$@" "${pytest[@]}" tests/blame
  step "$name: a recorded run ends as the bare one does" \
    "$python" -P -m pytest -q -p no:cacheprovider tests/diagnosis/test_observer_effect.py
  step "$name: every lesson" check "$python"
}

check() { # PYTHON
  local said
  said=$("$1" -P -m inplace_tui check) || { grep -v '^ok' <<<"$said"; return 1; }
}

# What 3.10 lacks of the standard library; the two packages that stand in for it are installed there alone.
step "Python 3.10: types" .venv/bin/mypy --python-version 3.10 --disable-error-code import-not-found src
pair "Python 3.11, torch 2.13" .venv/bin/python
for each in "trixie 3.13 2.6" "forky 3.14 2.14"; do
  read -r suite version torch <<<"$each"
  name="Python $version, torch $torch"
  if fetch "$suite" "$version"; then
    export PYTHONPATH=$cache/$version/site:$PWD/src
    pair "$name" "$cache/$version/python" -u PYTHONPATH "TEST_PYTHON=$cache/$version/python"
    unset PYTHONPATH
  else
    printf '\n******** SKIPPED: %s: its packages could not be fetched ********\n\n' "$name"
  fi
done
if [ ${#failed[@]} -gt 0 ]; then
  printf 'FAILED  %s\n' "${failed[@]}"
  exit 1
fi
