#!/usr/bin/env bash
# PyTorch's own tests of autograd, from Debian's source package (30 MB), fetched once into .upstream:
# each has to end with the witness as it ends without. What fails without it, too, is no difference.
# The suite is the one with the nearest torch whose sources Debian's mirrors hold.
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=${SUITE:-trixie} dir=${UPSTREAM:-$PWD/.upstream}

if [ ! -e "$dir/$suite/made" ]; then
  mkdir -p "$dir/$suite"
  source tests/matrix/apt.sh deb-src
  (cd "$dir/apt" && private_apt -qq --download-only --tar-only source pytorch)
  tar -xf "$dir"/apt/pytorch_*.orig.tar.* -C "$dir/$suite" --strip-components=1 --wildcards \
    '*/test/test_autograd.py' '*/test/autograd'
  rm -rf "$dir/apt"
  touch "$dir/$suite/made"
fi
exec .venv/bin/python tests/upstream/compare.py "$dir/$suite/test" "$@"
