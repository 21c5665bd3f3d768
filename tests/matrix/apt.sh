# apt.sh: to be sourced by a script that has set `suite` and `dir`. Afterwards `private_apt WORDS` is
# an apt-get that knows this suite alone (`deb` or `deb-src`, as $1 says) and keeps its files in $dir/apt.

# The mirror of Debian that this machine's apt is set up with, else Debian's own.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
  grep -v '^#' | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 || true)
mkdir -p "$dir"/apt/lists/partial "$dir"/apt/cache/archives/partial
: >"$dir/apt/status"
key=/usr/share/keyrings/debian-archive-keyring.gpg
echo "$1 [signed-by=$key] ${mirror:-https://deb.debian.org/debian} $suite main" >"$dir/apt/sources.list"

private_apt() {
  apt-get \
    -o "Dir::Etc::sourcelist=$dir/apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::Etc::preferencesparts=- \
    -o "Dir::State::lists=$dir/apt/lists" -o "Dir::State::status=$dir/apt/status" -o "Dir::Cache=$dir/apt/cache" \
    -o APT::Install-Recommends=0 -o APT::Sandbox::User=root -o Acquire::Languages=none -o Debug::NoLocking=1 \
    -o Acquire::Retries=2 -o Acquire::http::Timeout=20 "$@"
}
private_apt -qq update
