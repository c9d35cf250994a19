/**
 * Creates a new key: `npm run key -- FILE`. Only its owner can read the file (0600); an existing file is never
 * overwritten.
 */

import { writeFileSync } from "node:fs";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import { codeOf } from "../core/rules/unknown-error.ts";

const [file, ...others] = process.argv.slice(2);
try {
  if (file === undefined || others.length > 0) throw new UsageError("npm run key -- FILE");
  const key = generatePrivateKey();
  writeFileSync(file, `${key}\n`, { mode: 0o600, flag: "wx" });
  console.log(`The key of ${privateKeyToAddress(key)} is in ${file}`);
} catch (error) {
  const isThere = codeOf(error) === "EEXIST";
  console.error(isThere ? `${file} exists: a key is never overwritten` : failureText(error));
  process.exitCode = 1;
}
