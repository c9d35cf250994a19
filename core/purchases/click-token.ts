import { randomBytes } from "node:crypto";

/** In byte order, so that later times sort after earlier ones. */
const BASE32 = "234567abcdefghijklmnopqrstuvwxyz";
/** Milliseconds until the year 3084. */
const TIME_LENGTH = 9;
/** 85 bits. */
const RANDOM_LENGTH = 17;

/**
 * A click's token for the networks: 26 lower-case base32 characters, which fit the shortest field of any network. It
 * starts with the time, so that new tokens are adjacent in the index: random ones would each touch a different page,
 * which costs most once the table is large. The rest cannot be guessed.
 */
export function newClickToken(now = Date.now()): string {
  let token = "";
  for (let rest = now, count = 0; count < TIME_LENGTH; count++, rest = Math.floor(rest / 32)) {
    token = BASE32[rest % 32] + token;
  }
  for (const byte of randomBytes(RANDOM_LENGTH)) token += BASE32[byte % 32];
  return token;
}
