import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { pageOf, sitemapOf } from "../../api/site/page.ts";
import { readWebApp } from "../../api/site/pages.ts";
import { EnvironmentError } from "../../core/process/environment.ts";
import { fixtureConfig } from "../browser/support/fixture-data.ts";
import { until } from "../testing/until.ts";
import { buildWebApp, WEB_APP } from "../testing/web-app.ts";
import { type ApiSystem, startSystem } from "./support/system.ts";

describe("A web app that another version built", () => {
  it("is refused in one line that says what to do", () => {
    const folder = mkdtempSync(join(tmpdir(), "torcida-web-"));
    mkdirSync(join(folder, ".vite"));
    // Since 1.1, the table names the page for paths that lead nowhere.
    for (const table of ["[]", "not JSON"]) {
      writeFileSync(join(folder, ".vite/pages.json"), table);
      expect(() => readWebApp(folder)).to.throw(
        EnvironmentError,
        `WEB_DIR, ${folder}: another version built this web app; run npm run build`,
      );
    }
    rmSync(folder, { recursive: true });
  });
});

describe("The pages of the site, before any script runs", function () {
  this.timeout(300_000);
  let system: ApiSystem;
  before(async () => {
    await buildWebApp();
    system = await startSystem({ WEB_DIR: WEB_APP, RATE_LIMIT_SCALE: "1000" });
  });
  after(() => system?.stop());

  const open = async (path: string) => {
    const response = await fetch(system.url + path);
    const html = await response.text();
    const read = (pattern: RegExp) => pattern.exec(html)?.[1];
    return {
      status: response.status,
      html,
      title: read(/<title>([^<]*)</),
      description: read(/<meta name="description" content="([^"]*)"/),
      canonical: read(/<link rel="canonical" href="([^"]*)"/),
      picture: read(/<meta property="og:image" content="([^"]*)"/),
      language: read(/<html[^>]* lang="([^"]*)"/),
    };
  };

  it("have a title, a description, a canonical URL, both languages and an absolute picture URL", async () => {
    const page = await open("/stores/1");
    expect(page.status).to.equal(200);
    expect(page.title).to.match(/^Verdão Store: até \d.*% de cashback · Torcida$/);
    expect(page.description).to.have.length.greaterThan(20);
    expect(page.canonical).to.equal(`${system.url}/stores/1`);
    expect(page.picture).to.equal(`${system.url}/share/store/1/pt.png`);
    expect((await open("/stores")).picture).to.equal(`${system.url}/og.png`);
    const front = await open("/?lang=en");
    expect(front.picture).to.equal(`${system.url}/share/site/en.png`);
    expect((await fetch(front.picture ?? "")).headers.get("content-type")).to.equal("image/png");
    expect(page.language).to.equal("pt-BR");
    expect(page.html).to.include(`<link rel="alternate" hreflang="en" href="${system.url}/stores/1?lang=en" />`);
    const english = await open("/stores/1?lang=en");
    expect(english.title).to.match(/^Verdão Store: up to \d.*% cashback · Torcida$/);
    expect(english.language).to.equal("en");
    expect(page.description).to.equal("Camisas, agasalhos e acessórios da torcida do Palmeiras.");
    expect(english.description).to.equal("Shirts, tracksuits and accessories for Palmeiras fans.");
    expect(english.canonical).to.equal(`${system.url}/stores/1?lang=en`);
    expect((await open("/")).title).not.to.equal((await open("/stores")).title);
  });

  it("of a club name it, what its stores give and its picture, in both languages, and stand in the sitemap", async () => {
    const page = await open("/clubs/palmeiras");
    expect(page.status).to.equal(200);
    expect(page.title).to.equal("Palmeiras: a torcida e as lojas com cashback · Torcida");
    expect(page.description).to.match(/^1 loja de Palmeiras, até \d.*% de cashback em CHZ, e o placar da torcida\.$/);
    expect(page.picture).to.equal(`${system.url}/share/club/palmeiras/pt.png`);
    expect(page.html).to.include(">Palmeiras</p>");
    const typed = await fetch(`${system.url}/clubs/S%C3%A3o%20Paulo?lang=en`, { redirect: "manual" });
    expect([typed.status, typed.headers.get("location")]).to.deep.equal([301, "/clubs/sao-paulo?lang=en"]);
    expect((await fetch(`${system.url}/clubs`)).url).to.equal(`${system.url}/clubs/table`);
    const bare = await open("/clubs/remo?lang=en");
    expect(bare.description).to.equal("The scoreboard of Remo&#39;s fans, and stores with cashback.");
    expect(bare.picture).to.equal(`${system.url}/share/club/remo/en.png`);
    expect((await fetch(bare.picture ?? "")).headers.get("content-type")).to.equal("image/png");
    const sitemap = await (await fetch(`${system.url}/sitemap.xml`)).text();
    expect(sitemap).to.include(`<loc>${system.url}/clubs/palmeiras</loc>`).and.not.include("/clubs/remo<");
  });

  it("return the page with 404 for unknown paths", async () => {
    for (const path of [
      "/nowhere",
      "/stores/999",
      "/stores/abc",
      "/ticket/1",
      "/ticket/x",
      "/tx/0x12",
      "/stores/1/more",
      "/clubs/nobody",
      "/clubs/Palmeiras%27--",
    ]) {
      const page = await open(path);
      expect(page.status, path).to.equal(404);
      expect(page.title, path).to.equal("Página não encontrada · Torcida");
      expect(page.html, path).to.include('id="root"').and.include("noindex").and.not.include('src=""');
    }
    for (const path of ["/", "/auth", "/stores", "/dashboard", "/admin", "/redirect/sample-1", "/redirect/1"]) {
      expect((await open(path)).status, path).to.equal(200);
    }
  });

  it("come with their files from memory: many requests at once on a connection leave no file open", async () => {
    const openFiles = async () => {
      const metrics = await (await fetch(`${system.url}/metrics`)).text();
      return Number(/^process_open_fds (\d+)$/m.exec(metrics)?.[1]);
    };
    const { html } = await open("/");
    const [, script = ""] = / src="(\/assets\/[^"]+\.js)"/.exec(html) ?? [];
    const { port } = new URL(system.url);
    const before = await openFiles();
    const blasts = 20;
    for (let blast = 0; blast < blasts; blast++) {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => {});
      await once(socket, "connect");
      socket.write(`GET ${script} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(40));
      await once(socket, "readable");
      socket.destroy();
    }
    // The api opens some of its own meanwhile; a request that left one open would leave hundreds.
    await until("the files are closed", async () => (await openFiles()) <= before + blasts);
  });

  it("name the styles of their screen, so that they come with its scripts", async () => {
    const named = async (path: string) =>
      [...(await open(path)).html.matchAll(/<link rel="stylesheet"[^>]* href="([^"]*)"/g)].map(([, to]) => to ?? "");
    const [ofAll = "", sheet = "", ...more] = await named("/help/bonus");
    expect(more).to.deep.equal([]);
    for (const path of [ofAll, sheet])
      expect((await fetch(system.url + path)).headers.get("content-type")).to.match(/^text\/css/);
    expect(await named("/terms-of-nobody")).to.deep.equal([ofAll]);
  });

  it("answer a file's reader with what they know, in the form that they take", async () => {
    const read = (path: string, headers: Record<string, string>, method = "GET") =>
      fetch(system.url + path, { method, headers });
    const { html } = await open("/");
    const [, sheet = ""] = / href="(\/assets\/[^"]+\.css)"/.exec(html) ?? [];
    const texts = new Set<string>();
    for (const encoding of ["br", "gzip", "identity"]) {
      const answer = await read(sheet, { "accept-encoding": encoding });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get("content-encoding")).to.equal(encoding === "identity" ? null : encoding);
      expect(answer.headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
      expect(answer.headers.get("content-type")).to.match(/^text\/css/);
      expect(answer.headers.get("vary")).to.match(/accept-encoding/i);
      texts.add(await answer.text());
      const again = await read(sheet, { "if-none-match": answer.headers.get("etag") ?? "" });
      expect([again.status, await again.text()]).to.deep.equal([304, ""]);
    }
    expect(texts.size).to.equal(1);
    const head = await read(sheet, {}, "HEAD");
    expect([head.status, await head.text()]).to.deep.equal([200, ""]);
    const worker = await read("/offline-worker.js", {});
    expect(worker.headers.get("cache-control")).to.equal("no-cache");
    for (const path of ["/.vite/pages.json", "/assets/../.vite/pages.json", "/assets/none.js", "/assets"])
      expect((await read(path, {})).status, path).to.equal(404);
  });

  it("list the public pages for search engines", async () => {
    const robots = await (await fetch(`${system.url}/robots.txt`)).text();
    expect(robots).to.include(`Sitemap: ${system.url}/sitemap.xml`);
    const sitemap = await (await fetch(`${system.url}/sitemap.xml`)).text();
    for (const path of ["/", "/stores", "/stores/1"]) expect(sitemap).to.include(`<loc>${system.url}${path}</loc>`);
    for (const [, url] of sitemap.matchAll(/<loc>([^<]*)</g))
      expect((await fetch(url ?? "")).status, url).to.equal(200);
  });

  it("are listed in several files if they are many, each address once", () => {
    const paths = Array.from({ length: 10_001 }, (_, index) => `/stores/${index + 1}`);
    const locations = (text = "") => [...text.matchAll(/<loc>https:\/\/a\.example([^<]*)</g)].map(([, path]) => path);
    const files = locations(sitemapOf(paths, "https://a.example"));
    expect(files).to.deep.equal(["/sitemap-1.xml", "/sitemap-2.xml", "/sitemap-3.xml"]);
    expect(files.flatMap((_, index) => locations(sitemapOf(paths, "https://a.example", index + 1)))).to.deep.equal(
      paths,
    );
    expect(sitemapOf(paths, "https://a.example", 4)).to.equal(undefined);
  });

  it("have a picture of their own for shared links", async () => {
    const read = async (path: string) => {
      const response = await fetch(system.url + path);
      return [response.status, response.headers.get("content-type")];
    };
    expect(await read("/share/store/1/pt.png")).to.deep.equal([200, "image/png"]);
    const buyer = await system.user();
    const id = await buyer.buy(1, "249.90");
    await buyer.paid([id]);
    const page = await open(`/ticket/${id}`);
    expect(page.picture).to.equal(`${system.url}/share/ticket/${id}/pt.png`);
    // The contract's drawing is in the first paint.
    expect(page.html).to.include(`src="/api/nfts/${id}/image"`);
    expect(await read(`/share/ticket/${id}/pt.png`)).to.deep.equal([200, "image/png"]);
    expect(page.html).to.include(`<p class="page-title">Ingresso nº ${id}</p>`).and.to.include("249,90");
  });

  it("show in each language what the screens show first, without a style or script that the policy forbids", async () => {
    for (const path of [
      "/",
      "/stores",
      "/stores/1",
      "/auth",
      "/dashboard",
      "/clubs/palmeiras",
      "/ticket/1",
      "/help",
      "/nowhere",
    ]) {
      const { html } = await open(path);
      for (const [nav, language] of [
        ["Lojas", ""],
        ["Stores", ' lang="en"'],
      ])
        expect(html, path).to.match(new RegExp(`<div class="first-paint"${language}><header.*?${nav}</a>`));
      expect(html, path).to.not.match(/<[^>]* (?:style|on[a-z]+)=/);
      expect(html.match(/<script(?![^>]* (?:src|type="application\/json")=?)[^>]*>/g), path).to.equal(null);
    }
    expect((await open("/")).html)
      .to.include("Cada compra é um ingresso")
      .and.to.include("Every purchase is a ticket");
    const store = (await open("/stores/1")).html;
    expect(store).to.include('<p class="page-title">Verdão Store</p>');
    // What a visitor receives of R$ 100 is there, too.
    expect(store).to.match(/<strong class="figures">R\$\s\d+,\d\d<\/strong>/);
  });

  it("escape names, so that no name can close an element", async () => {
    const hostile = '</title><script>alert("1")</script>';
    const store = readWebApp(WEB_APP)?.pages.find(({ path }) => path === "/stores/:storeId");
    const config = { ...fixtureConfig(), rpc_url: hostile };
    const page = pageOf(
      store?.html ?? [],
      { title: hostile, description: hostile, heading: `{{title}}${hostile}` },
      { origin: system.url, path: `/${hostile}`, language: "pt", config },
    );
    expect(page).to.include('<p class="page-title">{{title}}&#60;/title&#62;');
    expect(page).not.to.include("<script>alert");
    expect(page).not.to.include('alert("1")');
  });
});
