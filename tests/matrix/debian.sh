#!/usr/bin/env bash
# debian.sh SUITE VERSION DIR: the Python of a Debian suite with its CPU build of torch, unpacked
# below DIR and run in place by its own loader as DIR/python. Nothing of the machine is changed.
# Needs apt-get, dpkg-deb and Debian's archive keyring; about 250 MB are fetched, 950 MB kept.
set -euo pipefail
suite=$1 version=$2 dir=$(mkdir -p "$3" && cd "$3" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
source "$here/apt.sh" deb
private_apt -y -qq --download-only install python3-torch >/dev/null
mkdir -p "$dir/root"

for deb in "$dir"/apt/cache/archives/*.deb; do
  case ${deb##*/} in libtorch-test* | perl* | libperl* | *systemd* | adduser* | *-doc_*) continue ;; esac
  dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir/root" --keep-directory-symlink \
    --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' 2>/dev/null
done
rm -rf "$dir/apt/cache/archives"

cd "$dir/root"
for merged in lib lib64 bin sbin; do
  [ -e $merged ] || [ ! -e usr/$merged ] || ln -s usr/$merged $merged
done
libraries=usr/lib/x86_64-linux-gnu
for name in blas lapack; do  # what update-alternatives would link
  [ -e $libraries/lib$name.so.3 ] || ln -s $name/lib$name.so.3 $libraries/lib$name.so.3
done
loader=$(find usr/lib64 usr/lib/x86_64-linux-gnu -name ld-linux-x86-64.so.2 | head -n 1)
path=$dir/root/$libraries
cat >"$dir/python" <<END
#!/bin/sh
export PYTHONHOME=$dir/root/usr
exec $dir/root/$loader --library-path $path:$path/openmpi/lib:$path/blas:$path/lapack:$dir/root/usr/lib \\
  --argv0 $dir/python $dir/root/usr/bin/python$version "\$@"
END
chmod +x "$dir/python"
"$dir/python" -c 'import sys, torch; print("Python", sys.version.split()[0], "with torch", torch.__version__)'
