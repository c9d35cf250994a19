import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { codeOf } from "../../core/rules/unknown-error.ts";
import { ArchiveError } from "./archive-error.ts";

const COPY = /^torcida-[0-9TZx-]+\.tar\.age$/;
const ARCHIVE = /^torcida-[0-9TZ-]+\.jsonl\.gz$/;

/** An archive, with what lies beside it: `erased` and the pictures. */
export type OpenedCopy = { archive: string; folder: string };

/**
 * Opens the newest copy in a folder, or one file: an encrypted one with its private key, unpacked into a folder of its own in
 * `scratch`; an archive as it is. The names hold the times. Anybody can encrypt for the key: nothing that is unpacked is believed,
 * and it holds files only: no link elsewhere, and no pipe that never ends.
 * @throws ArchiveError
 */
export async function openCopy(from: string, identity: string | undefined, scratch: string): Promise<OpenedCopy> {
  const names = statSync(from).isDirectory() ? readdirSync(from) : undefined;
  const newest = names
    ?.filter((name) => COPY.test(name) || ARCHIVE.test(name))
    .sort()
    .at(-1);
  if (names && newest === undefined) throw new ArchiveError(`${from} holds no backup and no copy of one`);
  const file = newest === undefined ? from : join(from, newest);
  if (!file.endsWith(".age")) return { archive: file, folder: join(file, "..") };
  if (identity === undefined)
    throw new ArchiveError(`${file} is encrypted: name the private key, --identity torcida-backup.key`);
  const folder = join(scratch, "copy");
  mkdirSync(folder);
  const age = spawn("age", ["-d", "-i", identity, file], { stdio: ["ignore", "pipe", "pipe"] });
  const tar = spawn("tar", ["-x", "--no-same-owner", "-C", folder], { stdio: ["pipe", "ignore", "pipe"] });
  const ends = [ended("age", age), ended("tar", tar)];
  await pipeline(age.stdout, tar.stdin).catch(() => {});
  await Promise.all(ends);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const odd = entries.find((entry) => !(entry.isFile() || entry.isDirectory()));
  const archive = entries.find(({ name, parentPath }) => parentPath === folder && ARCHIVE.test(name));
  if (odd || archive?.isFile() !== true)
    throw new ArchiveError(`${file} holds ${odd ? `${odd.name}, which is no file` : "no backup of Torcida"}`);
  return { archive: join(folder, archive.name), folder };
}

function ended(program: string, child: ReturnType<typeof spawn>): Promise<void> {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(
        codeOf(error) === "ENOENT"
          ? new ArchiveError(`${program} is not installed: apt-get install ${program}`)
          : error,
      ),
    );
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new ArchiveError(`${program} ended with ${code}: ${said.trim()}`)),
    );
  });
}
