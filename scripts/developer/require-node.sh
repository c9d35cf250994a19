# Says in one sentence that the Node on the PATH cannot run Torcida: `npm ci` brings one that can, for glibc's Linux.
set -eu

version=$(node --version 2>/dev/null || true)
major=${version#v}
major=${major%%.*}
case $major in
  "" | *[!0-9]*) major=0 ;;
esac
[ "$major" -lt 24 ] || exit 0
found=${version:-none that runs}
echo "Torcida needs Node 24 or later, and found $found: install one from https://nodejs.org, or on Linux with glibc run npm ci without --omit=optional" >&2
exit 1
