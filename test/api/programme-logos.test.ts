import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { takeLogos } from "../../api/assets/programme-logos.ts";
import { insertStore, updateStore } from "../../core/catalogue/store-rows.ts";
import type { Database } from "../../core/database/connect.ts";
import { portOf } from "../../core/process/listen.ts";
import { getFromStranger } from "../../core/process/outside.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { readByAdvertiser, setSuggestion, storeProgrammes } from "../../core/sales/programme-rows.ts";
import { programmeOf } from "../../core/sales/programmes.ts";
import { takenOf } from "../../core/sales/taken-fields.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";
import { chunk, png } from "./support/png.ts";

const AWIN = { network: "awin", account: "br" };
const SCRIPT = "<script>alert(document.domain)</script>";
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}</svg>`;
const MIB = 1_024 * 1_024;

/** docs/product.md#suggested-logos */
describe("The logo of a store that a network suggested", function () {
  this.timeout(60_000);
  onEitherEngine(({ open }) => {
    let database: Database;
    let directory: string;
    let api: InProcessApi;
    let host: Server;
    let asked: string[];
    const answers: Record<string, RequestListener> = {};

    beforeEach(async () => {
      ({ database } = await open());
      directory = mkdtempSync(join(tmpdir(), "torcida-logos-"));
      api = await startInProcess(database, { DATA_DIR: directory });
      asked = [];
      host = createServer((request, response) => {
        asked.push(request.url ?? "");
        const answer = answers[request.url ?? ""];
        if (answer) answer(request, response);
        else response.writeHead(404).end();
      });
      await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    });
    afterEach(async () => {
      await api.stop();
      host.closeAllConnections();
      host.close();
      rmSync(directory, { recursive: true, force: true });
    });

    /** A store whose programme names a picture at this path of the host. */
    async function suggested(advertiserId: string, path: string, isAccepted = true): Promise<bigint> {
      const { kysely } = database;
      const said = { advertiserId, name: `Loja ${advertiserId}`, state: "active", address: null } as const;
      const programme = programmeOf({ ...said, logo: "https://img.example/logo.png" });
      if (!programme) throw new Error("No programme");
      // As the network would write it, had the host a certificate.
      const logoUrl = `http://127.0.0.1:${portOf(host)}${path}`;
      await storeProgrammes(kysely, AWIN, [{ ...programme, logoUrl }], BigInt(Date.now()));
      const [row] = await readByAdvertiser(kysely, AWIN, [advertiserId]);
      if (!row) throw new Error("No row");
      const storeId = await insertStore(kysely, { name: `Loja ${advertiserId}`, country: "Brasil" });
      const taken = isAccepted ? { taken: takenOf(row) } : {};
      await setSuggestion(kysely, [row.id], { suggestion: "accepted", store_id: storeId, ...taken });
      return storeId;
    }
    const logoOf = async (id: bigint) => {
      const store = await database.kysely.selectFrom("stores").select("logo").where("id", "=", id).executeTakeFirst();
      return store?.logo;
    };
    /** Until none is left to ask for. */
    const take = async () => {
      for (let round = 0; round < 4; round++) await takeLogos(api.services);
    };

    it("is taken once, rebuilt, and served from here", async () => {
      const dirty = Buffer.concat([png(3, 3, [chunk("tEXt", Buffer.from(`Comment\0${SCRIPT}`))]), Buffer.from(SVG)]);
      answers["/logo.png"] = (_request, response) => response.end(dirty);
      const id = await suggested("17", "/logo.png");
      await take();
      const logo = await logoOf(id);
      expect(logo).to.match(/^\/api\/assets\/[0-9a-f]{64}\.png$/);
      const served = await fetch(`${api.url}${logo}`);
      expect(Buffer.from(await served.arrayBuffer())).to.deep.equal(png(3, 3));
      const log = await database.kysely.selectFrom("audit_log").select(["actor", "action", "subject"]).execute();
      expect(log).to.deep.equal([{ actor: "network:awin/br", action: "store.logo", subject: `store:${id}` }]);

      // What the network says later changes nothing, though its picture is another one.
      answers["/other.png"] = (_request, response) => response.end(png(4, 4));
      const [row] = await readByAdvertiser(database.kysely, AWIN, ["17"]);
      const programme = programmeOf({ advertiserId: "17", name: "Loja 17", state: "active", address: null });
      if (!row || !programme) throw new Error("No programme");
      const logoUrl = `http://127.0.0.1:${portOf(host)}/other.png`;
      await storeProgrammes(database.kysely, AWIN, [{ ...programme, logoUrl }], BigInt(Date.now() + DAY_MS));
      await take();
      expect(asked).to.deep.equal(["/logo.png"]);
    });

    it("is not taken for a store that staff made, nor instead of one that they uploaded", async () => {
      answers["/logo.png"] = (_request, response) => response.end(png(3, 3));
      const ofStaff = await suggested("17", "/logo.png", false);
      const uploaded = await suggested("18", "/logo.png");
      await updateStore(database.kysely, uploaded, { logo: "/api/assets/own.png" });
      // One uploads while the picture is on its way.
      const meanwhile = await suggested("19", "/slow.png");
      answers["/slow.png"] = async (_request, response) => {
        await updateStore(database.kysely, meanwhile, { logo: "/api/assets/mine.png" });
        response.end(png(3, 3));
      };
      await take();
      expect(asked).to.deep.equal(["/slow.png"]);
      expect([await logoOf(ofStaff), await logoOf(uploaded), await logoOf(meanwhile)]).to.deep.equal([
        null,
        "/api/assets/own.png",
        "/api/assets/mine.png",
      ]);
    });

    it("stays the drawn mark, whatever a hostile host answers, and costs little", async () => {
      let sent = 0;
      Object.assign(answers, {
        "/redirect": (_request, response) => response.writeHead(302, { location: "/inside" }).end(),
        "/inside": (_request, response) => response.end(png(3, 3)),
        "/script.svg": (_request, response) => response.writeHead(200, { "content-type": "image/png" }).end(SVG),
        "/page": (_request, response) => response.end(`<!doctype html>${SCRIPT}`),
        "/pixels": (_request, response) => response.end(png(60_000, 60_000)),
        "/cut": (_request, response) => response.end(png(3, 3).subarray(0, 40)),
        "/error": (_request, response) => response.writeHead(500).end(png(3, 3)),
        "/50-mb": async (_request, response) => {
          response.on("error", () => {});
          const part = Buffer.alloc(64 * 1_024, 1);
          while (sent < 50 * MIB && !response.destroyed) {
            sent += part.length;
            if (!response.write(part))
              await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
          }
          response.end();
        },
        "/drops": (request) => request.socket.destroy(),
        // A byte now and then, for ever.
        "/drips": (_request, response) => {
          const drip = setInterval(() => response.write("x"), 200);
          response.on("close", () => clearInterval(drip));
        },
        "/silent": () => {},
      } satisfies Record<string, RequestListener>);
      const paths = Object.keys(answers).filter(
        (path) => !["/inside", "/logo.png", "/other.png", "/slow.png"].includes(path),
      );
      const ids: bigint[] = [];
      for (const [index, path] of paths.entries()) ids.push(await suggested(String(20 + index), path));
      const began = performance.now();
      await take();
      expect(performance.now() - began, "all that hang, side by side").to.be.below(20_000);
      for (const id of ids) expect(await logoOf(id)).to.equal(null);
      expect(asked).to.have.members(paths);
      expect(sent, "of 50 MB").to.be.below(8 * MIB);
      expect(readdirSync(directory).filter((name) => name === "assets")).to.deep.equal([]);
    });

    it("is asked for at no address of this network", async () => {
      for (const address of [
        "127.0.0.1",
        "localhost",
        "10.0.0.1",
        "169.254.169.254",
        "[::1]",
        "[fd00::1]",
        "0.0.0.0",
      ]) {
        const url = new URL(`http://${address}:${portOf(host)}/logo.png`);
        const reach = { signal: AbortSignal.timeout(2_000), maximumBytes: MIB, isLocal: false };
        const error = await getFromStranger(url, reach).catch((caught: unknown) => caught);
        expect(error, address).to.have.property("code", "EINSIDE");
      }
      expect(asked).to.deep.equal([]);
      const named = (logo: string) =>
        programmeOf({ advertiserId: "1", name: "Loja", state: "active", address: null, logo })?.logoUrl;
      const cases = [
        "https://10.0.0.1/a.png",
        "https://localhost/a.png",
        "ftp://img.example/a.png",
        "data:image/png;base64,AA",
      ];
      expect(cases.map(named)).to.deep.equal(cases.map(() => null));
      expect(named("https://me:pass@img.example/a.png")).to.equal(null);
      expect(named("http://img.example/a.png?x=1")).to.equal("https://img.example/a.png?x=1");
    });
  });
});
