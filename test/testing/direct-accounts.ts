import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** More than any test sells. */
export const TRUSTED_REAIS = 1_000_000_000;

/**
 * Writes accounts of direct shops as `AFFILIATE_ACCOUNTS` names them, from the short form of `AFFILIATE_SECRETS`; their
 * credit is not the subject of a test unless it says so. Returns the file's path.
 */
export function directAccountsFile(secrets: string, credit_reais: number | undefined = TRUSTED_REAIS): string {
  const pairs = secrets.split(",").map((one) => one.split(":") as [account: string, secret: string]);
  const accounts = [...Map.groupBy(pairs, ([account]) => account)].map(([account, own]) => ({
    ...{ network: "direct", account, secrets: own.map(([, secret]) => secret) },
    ...(credit_reais === undefined ? {} : { credit_reais }),
  }));
  const file = join(mkdtempSync(join(tmpdir(), "torcida-direct-")), "accounts.json");
  writeFileSync(file, JSON.stringify(accounts), { mode: 0o600 });
  return file;
}
