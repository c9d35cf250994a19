/**
 * Creates a new key: `npm run key -- FILE`. Only its owner can read the file (0600); an existing file is never
 * overwritten.
 */
import { writeFileSync } from "node:fs";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";

const [file, ...others] = process.argv.slice(2);
try {
  if (file === undefined || others.length > 0) throw new Error("npm run key -- FILE");
  const key = generatePrivateKey();
  writeFileSync(file, `${key}\n`, { mode: 0o600, flag: "wx" });
  console.log(`${file} ${privateKeyToAddress(key)}`);
} catch (error) {
  const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
  console.error(isThere ? `${file} exists: a key is never overwritten` : (error as Error).message);
  process.exitCode = 1;
}
