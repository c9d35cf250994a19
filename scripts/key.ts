/**
 * Creates a new key: `npm run key -- FILE`; with `--vapid` the one that signs messages to devices. Only its owner can read
 * the file (0600); an existing file is never overwritten.
 */

import { writeFileSync } from "node:fs";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import webPush from "web-push";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import { codeOf } from "../core/rules/unknown-error.ts";

const [file, ...others] = process.argv.slice(2).filter((one) => one !== "--vapid");
const isVapid = process.argv.includes("--vapid");
try {
  if (file === undefined || others.length > 0) throw new UsageError("npm run key -- [--vapid] FILE");
  // The public key of a VAPID key follows from it.
  const key = isVapid ? webPush.generateVAPIDKeys().privateKey : generatePrivateKey();
  writeFileSync(file, `${key}\n`, { mode: 0o600, flag: "wx" });
  const whose = isVapid ? "for VAPID_KEY_FILE" : `of ${privateKeyToAddress(key as `0x${string}`)}`;
  console.log(`The key ${whose} is in ${file}`);
} catch (error) {
  const isThere = codeOf(error) === "EEXIST";
  console.error(isThere ? `${file} exists: a key is never overwritten` : failureText(error));
  process.exitCode = 1;
}
