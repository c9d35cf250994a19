/**
 * What the tests of `npm run test:release` are about: `.ci/run` runs those of them whose subject has changed, by
 * `--since`. A check by its name, a file by its path; globs of paths.
 */
export const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  contracts: ["contracts/**", "test/contracts/**", "hardhat.config.ts"],
  "test/api/who-frees.test.ts": ["api/admin/**", "core/database/deciders.ts", "core/sales/**", "core/purchases/**"],
  "test/api/pairs.test.ts": ["api/admin/**", "core/database/deciders.ts", "core/sales/**", "core/purchases/**"],
  "test/api/turns.test.ts": ["api/admin/**", "core/database/**", "core/sales/**", "core/purchases/**"],
  "test/browser/accessibility.test.ts": ["frontend/**", "core/rules/languages/**"],
  "test/browser/slow.test.ts": ["frontend/**"],
  "test/faults/alerts.test.ts": ["deploy/*.yaml", "**/metrics.ts", "**/metrics/**", "docs/runbook/**"],
  "test/faults/older-database.test.ts": [
    "scripts/restored.ts",
    "core/sender/**",
    "indexer/**",
    "core/purchases/decide-sales.ts",
  ],
  "test/faults/middle-of-a-batch.test.ts": ["core/sender/**", "core/purchases/**", "indexer/**"],
  "test/properties/books.test.ts": ["core/rules/sale/**", "core/sales/**", "core/purchases/**"],
  "test/properties/short-histories.test.ts": ["core/rules/sale/**", "core/sales/**", "core/purchases/**"],
  "test/system/install.test.ts": ["package.json", "package-lock.json", "scripts/developer/postinstall.sh"],
  "test/system/node-calls.test.ts": ["core/process/rpc/**", "core/sender/**", "indexer/**"],
  "test/system/rolling-upgrade.test.ts": ["core/database/migrations/**", "test/upgrade/**"],
};

/** Who changes more files than these runs all of them by hand. */
export const MANY_FILES = 200;
