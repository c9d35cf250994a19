/**
 * What the tests of `npm run test:release` are about: `.ci/run` runs those of them whose subject has changed, by
 * `--since`. A check by its name, a file by its path; globs of paths.
 */
export const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  contracts: ["contracts/**", "test/contracts/**", "hardhat.config.ts"],
  "test/api/who-frees.test.ts": [
    "api/admin/**",
    "core/database/changed-facts.ts",
    "core/sales/**",
    "core/purchases/**",
  ],
  "test/api/pairs.test.ts": ["api/admin/**", "core/database/changed-facts.ts", "core/sales/**", "core/purchases/**"],
  "test/api/purses.test.ts": ["api/http/**"],
  "test/api/turns.test.ts": ["api/admin/**", "core/database/**", "core/sales/**", "core/purchases/**"],
  "test/browser/accessibility.test.ts": ["frontend/**", "core/rules/languages/**"],
  "test/browser/answers-of-tomorrow.test.ts": ["frontend/**", "core/rules/api/**"],
  "test/browser/panel-keyboard.test.ts": ["frontend/admin/**"],
  "test/browser/slow.test.ts": ["frontend/**"],
  "test/faults/alerts.test.ts": ["deploy/*.yaml", "{api,core,indexer}/**/metrics.ts", "docs/runbook/**"],
  "test/faults/drill.test.ts": ["scripts/drill.ts", "scripts/backup/**", "scripts/restore.ts"],
  "test/faults/isolation.test.ts": ["core/sender/**", "core/process/rpc/**"],
  "test/faults/older-database.test.ts": [
    "scripts/restored.ts",
    "core/sender/**",
    "indexer/**",
    "core/purchases/decide-sales.ts",
  ],
  "test/faults/middle-of-a-batch.test.ts": ["core/sender/**", "core/purchases/**", "indexer/**"],
  "test/faults/one-wrong-variable.test.ts": ["{api,core,indexer,scripts}/**/environment.ts", ".env.example"],
  "test/properties/books.test.ts": ["core/rules/sale/**", "core/sales/**", "core/purchases/**"],
  "test/properties/short-histories.test.ts": ["core/rules/sale/**", "core/sales/**", "core/purchases/**"],
  "test/system/going-live/going-live.test.ts": ["docs/going-live.md", "deploy/**", "scripts/deploy/**"],
  "test/system/install.test.ts": ["package.json", "package-lock.json", "scripts/developer/postinstall.sh"],
  "test/system/node-calls.test.ts": ["core/process/rpc/**", "core/sender/**", "indexer/**"],
  "test/system/rolling-builds.test.ts": ["vite.config.ts", "frontend/*.tsx", "api/assets/**"],
  "test/system/rolling-upgrade.test.ts": ["core/database/migrations/**", "test/upgrade/**"],
  "test/faults/succession.test.ts": [
    "scripts/deploy/**",
    "contracts/**",
    "core/chain/deployment.ts",
    "indexer/store/**",
  ],
  "test/faults/wrong-contracts.test.ts": [
    "core/process/rpc/refuse-wrong-contracts.ts",
    "core/process/contracts.ts",
    "core/chain/deployment.ts",
  ],
  "test/faults/separate-keys.test.ts": [
    "core/process/signing-keys.ts",
    "core/process/signer.ts",
    "api/create-senders.ts",
  ],
  "test/faults/signer.test.ts": ["core/process/signing-keys.ts", "core/process/signer.ts", "core/sender/account.ts"],
  "test/faults/key-rotation.test.ts": [
    "core/process/signing-keys.ts",
    "core/sender/account.ts",
    "docs/runbook/key-rotation.md",
  ],
  "test/faults/database-failover.test.ts": [
    "core/database/connect.ts",
    "core/database/postgres*.ts",
    "core/process/lease.ts",
  ],
  "test/faults/pooler.test.ts": ["core/database/connect.ts", "core/database/postgres*.ts", "core/process/lease.ts"],
  "test/faults/read-replica.test.ts": ["core/database/replica.ts", "core/database/connect.ts"],
  "test/faults/late-database.test.ts": ["core/process/prepare-database.ts", "core/database/connect.ts"],
  "test/faults/full-disk-at-start.test.ts": ["core/process/prepare-database.ts", "core/database/write-probe.ts"],
  "test/faults/clock.test.ts": ["core/database/clock.ts"],
  "test/faults/store-names.test.ts": ["core/catalogue/chain-names.ts", "core/purchases/encoders.ts"],
  "test/database/wal-archive.test.ts": ["deploy/restore-wal", "scripts/backup/**", "docs/runbook/database-lost.md"],
};

/** What a file is about for a release only because the rest of it runs on SQLite. */
export const OTHER_ENGINE: readonly string[] = [
  "core/database/connect.ts",
  "core/database/postgres*.ts",
  "core/database/transaction.ts",
  "test/testing/databases.ts",
];

/** Who changes more files than these runs all of them by hand. */
export const MANY_FILES = 200;
