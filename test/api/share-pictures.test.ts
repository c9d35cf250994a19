import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { expect } from "chai";
import express from "express";
import { encodeFunctionResult } from "viem";
import {
  drawClubCard,
  drawSiteCard,
  drawStoreCard,
  drawTicketCard,
  type TicketCard,
} from "../../api/site/share/cards.ts";
import { sharePictures } from "../../api/site/share/share-pictures.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { drawTicket } from "../../core/chain/ticket-drawing.ts";
import { BUILT_IN_CLUBS } from "../../core/database/built-in-clubs.ts";
import type { EveryNode } from "../../core/process/rpc/every-node.ts";
import { standsOf } from "../../core/rules/clubs/stands.ts";
import { NO_LOOK } from "../../core/rules/clubs/ticket-look.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { standIn } from "../testing/stand-in.ts";
import { until } from "../testing/until.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const WALLET = `0x${"ab".repeat(20)}` as WalletAddress;

describe("The thread that draws", () => {
  it("does not keep a process alive", async () => {
    const script = `import("./api/site/share/renderer.ts").then(async ({ Renderer }) => {
      const busy = setInterval(() => {}, 1_000);
      await new Renderer().draw('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
      clearInterval(busy);
      console.log("drawn");
    })`;
    const run = promisify(execFile)(process.execPath, ["--eval", script], { timeout: 60_000 });
    expect((await run).stdout).to.equal("drawn\n");
  });
});

const TICKET: TicketCard = {
  ...{ id: 7n, storeId: 2, store: "Verdão Store", valueCents: 100_000n, baseBps: 300n, bonusBps: 200n, buyer: WALLET },
  ...{ percent: "5", drawn: "pending", paid: undefined },
};

describe("A ticket's card", () => {
  it("has the ticket as its contract draws it, and says in the reader's language what is of it", () => {
    const paid: TicketCard = { ...TICKET, drawn: "paid", paid: "30" };
    const drawing = drawTicket({ ...paid, look: NO_LOOK });
    expect(drawTicketCard(paid, "pt")).to.include(drawing);
    expect(drawTicketCard(paid, "pt")).to.include(">PAGO</text>").and.include(">30 CHZ<");
    expect(drawTicketCard(paid, "en")).to.include(">PAID<").and.include(">30 CHZ<").and.include(">TICKET NO. 7<");
  });

  it("promises its percent until it is paid, and nothing once it is cancelled or returned", () => {
    const DRAWN = ["pending", "confirmed", "cancelled", "returned"] as const;
    const promises = (drawn: (typeof DRAWN)[number]) =>
      drawTicketCard({ ...TICKET, drawn }, "en").includes(">5% cashback<");
    expect(DRAWN.map(promises)).to.deep.equal([true, true, false, false]);
    expect(drawTicketCard({ ...TICKET, drawn: "returned" }, "en"))
      .to.include(">RETURNED<")
      .and.not.include("#0b8448");
  });
});

/** docs/product.md#clubs */
describe("Pictures for shared links, of a store with a club", () => {
  const clubOf = (slug: string) => BUILT_IN_CLUBS.find((one) => one.slug === slug);
  const store = { name: "Loja", percent: "5", isRange: false, tags: [] };

  it("have its ground, and text that can be read on it; of no known club, the site's own", () => {
    const white = drawStoreCard({ ...store, look: clubOf("atletico-mineiro") }, "pt");
    expect(white).to.include('height="630" fill="#000000"').and.include('fill="#f7f4ea" text-anchor="start"');
    const yellow = drawStoreCard({ ...store, look: clubOf("mirassol") }, "pt");
    expect(yellow).to.include('height="630" fill="#ffd400"').and.not.include('fill="#ffc93c"');
    expect(yellow).to.include('fill="#12201a">5%<').and.not.include('fill="#f7f4ea" text-anchor');
    for (const look of [undefined, clubOf("nobody")])
      expect(drawStoreCard({ ...store, look }, "pt")).to.include('height="630" fill="#0b3d2e"');
    const crowd = '<pattern id="a" width="50" height="50" patternUnits="userSpaceOnUse"><path fill="#ffd400"';
    expect(drawSiteCard({ ...store, look: clubOf("mirassol") }, "pt")).to.include(crowd);
    expect(drawTicketCard({ ...TICKET, look: clubOf("mirassol") }, "pt"))
      .to.include('height="630" fill="#ffd400"')
      .and.include(crowd);
  });
});

/** docs/product.md#club-page */
describe("A club's card", () => {
  const look = { colours: ["#ffd400", "#006633"], pattern: "hoops" } as const;
  const card = { name: "Clube do <b>Norte</b> & Filhos", look, count: 3, best: { percent: "12,75", isRange: true } };

  it("has the stands of the club's page, its name as text, and the figures of its fans only if they are told", () => {
    const told = { fans: "1.240", amount: "18.450", month: "outubro de 2026" };
    const drawn = drawClubCard({ ...card, told }, "pt");
    for (const { colour, path } of standsOf(look)) expect(drawn).to.include(`<path fill="${colour}" d="${path}"/>`);
    expect(drawn).to.include("&#60;b&#62;Norte").and.not.include("<b>");
    expect(drawn).to.include(">até 12,75%<").and.include(">de cashback em 3 lojas do clube<");
    expect(drawn).to.include(">1.240 torcedores, 18.450 CHZ de volta em outubro de 2026<");
    const dark = drawClubCard({ ...card, told: null, best: undefined }, "en");
    expect(dark).to.not.match(/%<|CHZ/);
    expect(dark).to.include(">OUR FANS<");
  });
});

describe("Pictures for shared links, and the public list of a wallet's tickets", function () {
  this.timeout(300_000);
  onEitherEngine(({ open }) => {
    let api: InProcessApi;
    let site: Server;
    let url: string;
    beforeEach(async () => {
      api = await startInProcess((await open()).database, { RATE_LIMIT_SCALE: "1" });
      const app = express();
      app.get("/share/*picture", sharePictures(api.services));
      app.use((_request, response) => {
        response.status(404).end();
      });
      site = createServer(app);
      await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
      url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      await named(api);
      for (let id = 1; id <= 3; id++) await mint(api, id);
    });
    afterEach(async () => {
      site.close();
      await api.stop();
    });

    const read = async (path: string) => {
      const response = await fetch(url + path);
      return { status: response.status, type: response.headers.get("content-type"), bytes: await response.bytes() };
    };

    it("are PNGs of 1200 by 630 pixels in the reader's language, and exist only for existing stores and tickets", async () => {
      const portuguese = await read("/share/store/1/pt.png");
      expect([portuguese.status, portuguese.type]).to.deep.equal([200, "image/png"]);
      const header = new DataView(portuguese.bytes.buffer, portuguese.bytes.byteOffset);
      expect(header.getUint32(0).toString(16)).to.equal("89504e47");
      expect([header.getUint32(16), header.getUint32(20)]).to.deep.equal([1200, 630]);
      expect(portuguese.bytes).to.have.length.within(10_000, 200_000);
      expect((await read("/share/store/1/en.png")).bytes).not.to.deep.equal(portuguese.bytes);
      expect((await read("/share/store/1/pt.png")).bytes).to.deep.equal(portuguese.bytes);
      const ticket = await read("/share/ticket/1/pt.png");
      expect([ticket.status, ticket.type]).to.deep.equal([200, "image/png"]);
      for (const path of ["store/999/pt.png", "ticket/99/pt.png", "store/1/fr.png", "x/1/pt.png", "store/1%27/pt.png"])
        expect((await read(`/share/${path}`)).status, path).to.equal(404);
    });

    it("of a club exist for each that is known, in both languages, as the stands of its page are drawn", async () => {
      const portuguese = await read("/share/club/remo/pt.png");
      expect([portuguese.status, portuguese.type]).to.deep.equal([200, "image/png"]);
      const header = new DataView(portuguese.bytes.buffer, portuguese.bytes.byteOffset);
      expect([header.getUint32(16), header.getUint32(20)]).to.deep.equal([1200, 630]);
      expect(portuguese.bytes).to.have.length.within(10_000, 200_000);
      expect((await read("/share/club/remo/en.png")).bytes).not.to.deep.equal(portuguese.bytes);
      const { kysely } = api.services.database;
      await kysely.updateTable("clubs").set({ pattern: "hoops" }).where("slug", "=", "remo").execute();
      expect((await read("/share/club/remo/pt.png")).bytes).not.to.deep.equal(portuguese.bytes);
      for (const path of ["club/nobody/pt.png", "club/remo/fr.png", "club/remo%27/pt.png", "club/1/pt.png"])
        expect((await read(`/share/${path}`)).status, path).to.equal(404);
    });

    it("are in the colours of the store's club as its row says them today", async () => {
      const { kysely } = api.services.database;
      await kysely.updateTable("stores").set({ club_slug: "remo" }).where("id", "=", 1n).execute();
      const paths = ["/share/store/1/pt.png", "/share/ticket/1/pt.png"];
      const before = await Promise.all(paths.map(read));
      await kysely.updateTable("clubs").set({ colours: "#ffd400 #006633" }).where("slug", "=", "remo").execute();
      const after = await Promise.all(paths.map(read));
      await kysely.updateTable("clubs").set({ deleted_at: 1n }).where("slug", "=", "remo").execute();
      const gone = await Promise.all(paths.map(read));
      for (const [index, path] of paths.entries()) {
        expect(after[index]?.status, path).to.equal(200);
        expect(after[index]?.bytes, path).not.to.deep.equal(before[index]?.bytes);
        expect(gone[index]?.bytes, path).not.to.deep.equal(after[index]?.bytes);
      }
    });

    it("shows on the site's own picture what the first featured store pays a visitor, or no figure", async () => {
      const { kysely } = api.services.database;
      const before = await read("/share/site/pt.png");
      expect([before.status, before.type]).to.deep.equal([200, "image/png"]);
      await kysely.updateTable("store_cashbacks").set({ cashback_bps: 1_234n }).where("store_id", "=", 1n).execute();
      await kysely.updateTable("stores").set({ featured: 0n }).where("id", "!=", 1n).execute();
      const raised = await read("/share/site/pt.png");
      expect(raised.bytes).not.to.deep.equal(before.bytes);
      await kysely.updateTable("stores").set({ featured: 0n }).execute();
      expect((await read("/share/site/pt.png")).bytes).not.to.deep.equal(raised.bytes);
      expect(drawSiteCard(undefined, "pt")).not.to.match(/\d%</);
    });

    it("shows a ticket's status as it is now", async () => {
      const pending = await read("/share/ticket/1/pt.png");
      await api.services.database.kysely.updateTable("nfts").set({ status: 2n }).where("token_id", "=", 1n).execute();
      expect((await read("/share/ticket/1/pt.png")).bytes).not.to.deep.equal(pending.bytes);
    });

    it("draws at most sixty new pictures a minute per address, and keeps serving known ones", async () => {
      const { kysely } = api.services.database;
      const known = await read("/share/ticket/1/pt.png");
      const drawn: Uint8Array[] = [];
      for (let cents = 1n; cents <= 61n; cents++) {
        await kysely.updateTable("nfts").set({ value_cents: cents }).where("token_id", "=", 2n).execute();
        const response = await fetch(`${url}/share/ticket/2/pt.png`, { redirect: "manual" });
        if (response.status === 200) drawn.push(await response.bytes());
        else expect([response.status, response.headers.get("location")]).to.deep.equal([302, "/og.png"]);
      }
      expect(drawn).to.have.length(59);
      expect((await read("/share/ticket/1/pt.png")).bytes).to.deep.equal(known.bytes);
    });

    it("are drawn once for all who ask meanwhile, and sent once to who keeps them", async () => {
      const before = await Promise.all(Array.from({ length: 100 }, () => read("/share/ticket/3/pt.png")));
      expect(new Set(before.map(({ status, type }) => `${status} ${type}`))).to.deep.equal(new Set(["200 image/png"]));
      const { headers } = await fetch(`${url}/share/ticket/3/pt.png`);
      const again = { headers: { "if-none-match": headers.get("etag") ?? "" } };
      expect((await fetch(`${url}/share/ticket/3/pt.png`, again)).status).to.equal(304);
    });

    it("shows a ticket as its contract draws it: once for all who ask meanwhile, and for a minute", async () => {
      let drawings = 0;
      const drawn = Promise.withResolvers<void>();
      const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`;
      const uri = tokenUri(picture);
      const claimed = async () => {
        drawings++;
        await drawn.promise;
        return { shown: [uri] };
      };
      Object.assign(api.services, { everyNode: standIn<EveryNode>({ claimed }) });
      const ask = (headers = {}) => fetch(`${api.url}/api/nfts/1/image`, { headers });
      const asked = Array.from({ length: 30 }, () => ask());
      await until("it is being drawn", async () => drawings > 0);
      drawn.resolve();
      for (const answer of await Promise.all(asked)) expect(await answer.text()).to.equal(picture);
      const etag = (await ask()).headers.get("etag") ?? "";
      expect([(await ask({ "if-none-match": etag })).status, drawings]).to.deep.equal([304, 1]);
    });

    it("lists a wallet's tickets to anyone, page by page, with their payouts", async () => {
      await api.services.database.kysely
        .insertInto("payouts")
        .values({
          token_id: 2n,
          recipient: WALLET,
          amount_gwei: 7_500_000_000n,
          state: "paid",
          paid_at: 1n,
          transaction_hash: `0x${"cd".repeat(32)}`,
          block_number: 5n,
          log_index: 0n,
        })
        .execute();
      const stranger = await api.user();
      const path = `/api/wallets/${WALLET.toUpperCase().replace("0X", "0x")}/tickets?limit=2`;
      const { body } = await stranger.get(path);
      expect(body.tickets).to.deep.equal([
        { token_id: 3, paid: null },
        { token_id: 2, paid: { tx: `0x${"cd".repeat(32)}`, amount: "7.5" } },
      ]);
      const rest = (await stranger.get(`${path}&before=${body.next_before}`)).body;
      expect([rest.tickets, rest.next_before]).to.deep.equal([[{ token_id: 1, paid: null }], null]);
      expect((await stranger.get("/api/wallets/0x12/tickets")).status).to.equal(400);
    });
  });
});

function tokenUri(svg: string): string {
  const image = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
  const result = `data:application/json;base64,${Buffer.from(JSON.stringify({ image })).toString("base64")}`;
  return encodeFunctionResult({ abi: purchaseNftAbi, functionName: "tokenURI", result });
}

/** The chain has the name of every store. */
async function named({ services }: InProcessApi): Promise<void> {
  await services.database.kysely
    .updateTable("operations")
    .set({ status: "done" })
    .where("kind", "=", "register_store")
    .execute();
}

async function mint({ services }: InProcessApi, id: number): Promise<void> {
  await services.database.kysely
    .insertInto("nfts")
    .values({
      token_id: BigInt(id),
      owner: WALLET,
      store_id: 1n,
      value_cents: 10_000n,
      cashback_bps: 500n,
      bonus_bps: 200n,
      status: 1n,
      mint_transaction: `0x${"ef".repeat(32)}`,
      minted_block: 1n,
      minted_at: 1n,
      status_transaction: null,
      status_block: null,
      status_at: null,
    })
    .execute();
}
