import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { TorcidaError } from "../../core/rules/torcida-error.ts";
import { codeOf } from "../../core/rules/unknown-error.ts";

/**
 * Who gets a copy of each backup: a command that reads a line with its SHA-256 and then the copy, and prints the SHA-256;
 * and the key it is encrypted for.
 */
export type Receiver = { command: string; publicKey: string };

/**
 * Encrypts a backup and the pictures beside it with `age`, so that only the private key, which is elsewhere, can read the
 * copy, and gives it to the receiver.
 * @throws CopyError unless the receiver has confirmed the whole copy
 */
export async function sendCopy(file: string, { command, publicKey }: Receiver): Promise<void> {
  const folder = dirname(file);
  const encrypted = join(folder, `.${process.pid}.tar.age`);
  try {
    const names = [basename(file), "assets", "erased"].filter((name) => existsSync(join(folder, name)));
    const tar = start("tar", ["-c", "-C", folder, ...names]);
    const age = start("age", ["-r", publicKey]);
    await Promise.all([
      tar.ended,
      age.ended,
      pass(tar.output, age.input),
      pipeline(age.output, createWriteStream(encrypted, { mode: 0o600 })),
    ]);
    const sha256 = await hashOf(encrypted);
    const receiver = start("sh", ["-c", command]);
    // So that a receiver does not keep what a broken connection left.
    receiver.input.write(`${sha256}\n`);
    const [said] = await Promise.all([
      textOf(receiver.output),
      receiver.ended,
      pass(createReadStream(encrypted), receiver.input),
    ]);
    if (said.trim() !== sha256) throw new CopyError("BACKUP_RECEIVER did not confirm the copy with its SHA-256");
  } finally {
    rmSync(encrypted, { force: true });
  }
}

type Started = { input: Writable; output: Readable; ended: Promise<void> };

function start(program: string, parameters: readonly string[]): Started {
  const child = spawn(program, parameters, { stdio: ["pipe", "pipe", "pipe"] });
  const errors = textOf(child.stderr);
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", (error) =>
      reject(
        codeOf(error) === "ENOENT" ? new CopyError(`${program} is not installed: apt-get install ${program}`) : error,
      ),
    );
    child.once("close", async (code) => {
      if (code === 0) return resolve();
      const said = await errors;
      reject(new CopyError(`${program} ended with ${code}: ${said.trim()}`));
    });
  });
  return { input: child.stdin, output: child.stdout, ended };
}

/** A program that ends early breaks the pipe; its exit code says why. */
async function pass(from: Readable, to: Writable): Promise<void> {
  await pipeline(from, to).catch((error: unknown) => {
    if (!["EPIPE", "ERR_STREAM_PREMATURE_CLOSE"].includes(String(codeOf(error)))) throw error;
  });
}

async function textOf(stream: Readable): Promise<string> {
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) text += chunk;
  return text;
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}

/** The backup is complete, and no copy of it is elsewhere. */
class CopyError extends TorcidaError {
  override readonly docs = "docs/going-live.md#11-backups-elsewhere";
}
