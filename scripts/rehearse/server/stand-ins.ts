import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Replacements for commands that would change the machine, or need what a rehearsal lacks: root, other users, packages,
 * the network. All other commands are the machine's own.
 */
export function writeStandIns(folder: string, source: string): void {
  const node = process.execPath;
  const told = (name: string) => `echo "(${name} $*)"`;
  const scripts: Record<string, string> = {
    "apt-get": told("apt-get"),
    useradd: told("useradd"),
    chown: told("chown"),
    crontab: `${told("crontab")}; [ "\${1:-}" = - ] && cat; true`,
    // Ignores owners, keeps modes.
    install: `args=(); while [ $# -gt 0 ]; do case "$1" in -o|-g) shift 2;; *) args+=("$1"); shift;; esac; done; exec /usr/bin/install "\${args[@]}"`,
    runuser: `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`,
    systemctl: `exec "${node}" "${source}/scripts/rehearse/server/systemctl.ts" "$@"`,
    psql: `exec "${node}" "${source}/scripts/rehearse/server/psql.ts" "$@"`,
    // Copies the working tree, committed or not.
    git: `[ "$1" = clone ] || exec /usr/bin/git "$@"; mkdir -p "$3"; cd "$2"; /usr/bin/git ls-files -z -co --exclude-standard | while IFS= read -r -d '' file; do [ -f "$file" ] && printf '%s\\0' "$file"; done | tar -c --null -T - | tar -x -C "$3"`,
    npm: `if [ "$1" = ci ]; then echo "(npm ci)"; ln -sfn "${source}/node_modules" node_modules; exit; fi; self=$(dirname "$0"); export PATH="\${PATH//$self:/}:$self"; exec npm "$@"`,
    rsync: `${told("rsync")}; mkdir -p "\${@: -1}"; cp -a "\${@: -2:1}." "\${@: -1}"`,
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(scripts)) {
    const file = join(folder, name);
    writeFileSync(file, `#!/usr/bin/env bash\nset -eu -o pipefail\n${text}\n`);
    chmodSync(file, 0o755);
  }
}
