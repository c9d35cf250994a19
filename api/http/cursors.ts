import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import type { Schema } from "../../core/database/generated/schema.ts";
import { writeSettingOnce } from "../../core/database/settings.ts";

const KEY_BYTES = 32;
const SIGNED = /^(.+)~([0-9a-f]{32})$/s;

/** The cursors of one database: the same in every process, and after a restart. */
export async function openCursors(queries: Kysely<Schema>): Promise<Cursors> {
  return new Cursors(await writeSettingOnce(queries, "cursor_key", randomBytes(KEY_BYTES).toString("base64url")));
}

/**
 * Signs where the next page of a public list starts, so that a page can be told that we offered from one that somebody
 * made up: each of those is read from the database, however many they are. docs/product.md#limit-lists
 */
export class Cursors {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  /** `list` names the list with its filters and order: a cursor is of no other one. */
  sign(list: string, cursor: number | string): string {
    return `${cursor}~${this.#seal(list, String(cursor))}`;
  }

  /** A plain cursor is one that a process of 1.0.0 gave, or somebody made up. */
  read(list: string, text: string): { cursor: string; isPlain: boolean } {
    const [, cursor = text, seal] = SIGNED.exec(text) ?? [];
    const isOurs = seal !== undefined && timingSafeEqual(Buffer.from(seal), Buffer.from(this.#seal(list, cursor)));
    return isOurs ? { cursor, isPlain: false } : { cursor: text, isPlain: true };
  }

  #seal(list: string, cursor: string): string {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([list, cursor]))
      .digest("hex")
      .slice(0, 32);
  }
}
