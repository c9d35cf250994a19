import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { seedCatalogue } from "../../catalogue/seed.ts";
import { connect, type Database } from "../../database/connect.ts";
import { migrate } from "../../database/migrate.ts";
import { readSetting } from "../../database/settings.ts";
import type { Network } from "../../domain/networks.ts";
import { prepareDatabase } from "../../platform/prepare-database.ts";
import { readOperatorEnvironment } from "../../scripts/operator/environment.ts";
import { openDatabase } from "../../scripts/operator/open-database.ts";
import { bareEnvironment } from "../testing/bare-environment.ts";

const NFT = `0x${"11".repeat(20)}` as const;
const DISTRIBUTOR = `0x${"22".repeat(20)}` as const;

const COMMANDS: Record<string, readonly string[]> = {
  payouts: ["--resume"],
  reconcile: [],
  backup: [],
  doctor: [],
  catalog: ["diff", "catalogue.csv"],
};

describe("An operator's command", function () {
  this.timeout(300_000);
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "torcida-operator-"));
    writeFileSync(join(directory, "catalogue.csv"), "type,store,name,country,category,cashback_percent,slug,image\n");
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const dataDirectory = () => join(directory, "data");
  const file = () => join(dataDirectory(), "torcida.db");

  function run(command: string, environment: Record<string, string> = {}) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(process.cwd(), `scripts/${command}.ts`), ...(COMMANDS[command] ?? [])],
      {
        cwd: directory,
        encoding: "utf8",
        env: {
          ...bareEnvironment(),
          DATA_DIR: dataDirectory(),
          DEPLOYMENTS_DIR: join(directory, "deployments"),
          PURCHASE_NFT_ADDRESS: NFT,
          CASHBACK_DISTRIBUTOR_ADDRESS: DISTRIBUTOR,
          CHAIN_PORT: "9",
          ...environment,
        },
      },
    );
    return { status, output: stdout + stderr };
  }

  const prepare = (network: Network) =>
    prepareDatabase({ databaseUrl: file(), dataDirectory: dataDirectory(), network, onWait: () => {} });

  async function databaseOf(network: Network, indexed?: { chain_id: bigint; purchase_nft: `0x${string}` }) {
    await prepare(network);
    if (!indexed) return;
    const database = await connect(file());
    const row = { id: 1n, start_block: 0n, cashback_distributor: DISTRIBUTOR, ...indexed };
    await database.kysely.insertInto("chain_source").values(row).execute();
    await database.close();
  }

  for (const command of Object.keys(COMMANDS)) {
    it(`${command} rejects a missing database, and creates none`, () => {
      const { status, output } = run(command);
      expect(output).to.include(`There is no database ${file()}`);
      expect(status).not.to.equal(0);
      expect(existsSync(dataDirectory())).to.equal(false);
    });

    it(`${command} refuses a database of another network`, async () => {
      await databaseOf("spicy");
      const { status, output } = run(command);
      expect(output).to.include(`${file()} is of spicy, but this process is for localhost: correct NETWORK`);
      expect(status).not.to.equal(0);
    });
  }

  const opening = async () => {
    const environment = readOperatorEnvironment({
      DATA_DIR: dataDirectory(),
      PURCHASE_NFT_ADDRESS: NFT,
      CASHBACK_DISTRIBUTOR_ADDRESS: DISTRIBUTOR,
    });
    const database = await openDatabase(environment, { print: false });
    await database.close();
  };

  for (const [what, prepare, refusal] of [
    ["without tables", () => connect(file()).then((database) => database.close()), /has no tables of Torcida/],
    [
      "of another chain",
      () => databaseOf("localhost", { chain_id: 88_888n, purchase_nft: NFT }),
      /is of chain 88888, but this process is for localhost/,
    ],
    [
      "of other contracts",
      () => databaseOf("localhost", { chain_id: 88_882n, purchase_nft: DISTRIBUTOR }),
      new RegExp(`is of PurchaseNFT ${DISTRIBUTOR}, but this process is for localhost's ${NFT}`),
    ],
    [
      "of another version",
      () =>
        withDatabase(async (database) => {
          await migrate(database);
          await sql`update kysely_migration set name = '0001-initial'`.execute(database.kysely);
        }),
      /was made by another version before 1\.0\.0: export its catalogue with that version \(npm run catalog/,
    ],
  ] as const) {
    it(`refuses a database ${what}`, async () => {
      await prepare();
      const refused = await opening().catch((error: Error) => error.message);
      expect(refused).to.match(refusal);
    });
  }

  it("says which database, chain and contracts it acts on", async () => {
    await databaseOf("localhost", { chain_id: 88_882n, purchase_nft: NFT });
    const place = `the database ${file()} of localhost (chain 88882): PurchaseNFT ${NFT}, CashbackDistributor ${DISTRIBUTOR}`;
    for (const command of ["payouts", "catalog"]) {
      const { status, output } = run(command);
      expect(output, command)
        .to.match(/^Acting on /)
        .and.include(place);
      expect(status, command).to.equal(0);
    }
  });

  it("leaves the payout switch of another network unchanged", async () => {
    await databaseOf("chiliz");
    await withDatabase(async ({ kysely }) => {
      const row = { name: "payouts_paused" as const, value: "a reason", updated_at: 1n };
      await kysely.insertInto("settings").values(row).execute();
    });
    expect(run("payouts").status).to.equal(1);
    await withDatabase(async ({ kysely }) => {
      expect(await readSetting(kysely, "payouts_paused")).to.equal("a reason");
    });
  });

  it("may be for another network as long as the database has no rows", async () => {
    await databaseOf("spicy");
    await prepare("localhost");
    await withDatabase((database) => seedCatalogue(database));
    const refused = await prepare("chiliz").catch((error: Error) => error.message);
    expect(refused).to.match(/is of localhost, but this process is for chiliz/);
  });

  it("backup leaves a file that nobody else may read", async () => {
    await databaseOf("localhost");
    expect(run("backup").status).to.equal(0);
    const backups = join(dataDirectory(), "backups");
    const [name = ""] = readdirSync(backups);
    expect([modeOf(backups), modeOf(join(backups, name))]).to.deep.equal(["700", "600"]);
  });

  async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
    const database = await connect(file());
    await work(database).finally(() => database.close());
  }
});

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
