import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WEB_APP } from "../../testing/web-app.ts";

/** Another build of the same app: every hashed file has another name. */
export function buildAgain(folder: string): void {
  cpSync(WEB_APP, folder, { recursive: true });
  const assets = join(folder, "assets");
  const names = readdirSync(assets).map((name) => [name, name.replace(/(\.\w+)$/, "Z$1")] as const);
  for (const [name, other] of names) renameSync(join(assets, name), join(assets, other));
  const texts = [join(folder, "index.html"), join(folder, ".vite/pages.json")];
  texts.push(...names.flatMap(([, other]) => (/\.(?:js|css)$/.test(other) ? [join(assets, other)] : [])));
  const pattern = new RegExp(names.map(([name]) => name.replaceAll(".", "\\.")).join("|"), "g");
  const byName = new Map<string, string>(names);
  for (const file of texts)
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(pattern, (name) => byName.get(name) ?? name),
    );
}
