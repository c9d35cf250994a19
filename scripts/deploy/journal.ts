import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Address, Hash, Hex } from "viem";

/** A signed creation; stored before it is sent, so that a crash cannot lose it. */
export type JournalEntry = {
  creationHash: Hash;
  rawTransaction: Hex;
  transaction: Hash;
  address: Address;
  nonce: number;
};

/** What a deployment has signed so far, by step. It survives a crash and is deleted when the record is written. */
export class Journal {
  readonly #path: string;
  readonly #entries: Record<string, JournalEntry>;

  constructor(path: string) {
    this.#path = path;
    this.#entries = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  }

  get(step: string): JournalEntry | undefined {
    return this.#entries[step];
  }

  set(step: string, entry: JournalEntry): void {
    this.#entries[step] = entry;
    writeWhole(this.#path, this.#entries);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}

/** Writes JSON atomically: a crash leaves the old file or the new one. */
export function writeWhole(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`);
  renameSync(`${path}.new`, path);
}
