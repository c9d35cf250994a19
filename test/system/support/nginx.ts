import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Supervised } from "../../faults/support/supervised.ts";

/** With the example of the page, but for its addresses. */
export function startNginx(folder: string, port: number, apis: readonly Supervised[]): ChildProcess {
  const [, example = ""] = /```nginx\n(.*?)```/s.exec(readFileSync("docs/operations.md", "utf8")) ?? [];
  const hosts = apis.map(({ url }) => new URL(url).host);
  const servers = example
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replace(/10\.0\.0\.\d:3000/g, () => hosts.shift() ?? "");
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; error_log ${folder}/errors;
     events { worker_connections 256; }
     http { access_log off; ${paths.join(" ")} ${servers} }`,
  );
  return spawn("nginx", ["-p", folder, "-c", file, "-e", join(folder, "errors")], { stdio: "ignore" });
}
