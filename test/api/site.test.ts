import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { sitemapOf, withDeployment, withHead } from "../../api/site/page.ts";
import { fixtureConfig } from "../browser/support/fixture-data.ts";
import { until } from "../testing/until.ts";
import { buildWebApp, WEB_APP } from "../testing/web-app.ts";
import { type ApiSystem, startSystem } from "./support/system.ts";

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

  it("return the page with 404 for unknown paths", async () => {
    for (const path of [
      "/nowhere",
      "/stores/999",
      "/stores/abc",
      "/ticket/1",
      "/ticket/x",
      "/tx/0x12",
      "/stores/1/more",
    ]) {
      const page = await open(path);
      expect(page.status, path).to.equal(404);
      expect(page.title, path).to.equal("Página não encontrada · Torcida");
      expect(page.html, path).to.include('id="root"').and.to.include("noindex");
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
    expect(await read(`/share/ticket/${id}/pt.png`)).to.deep.equal([200, "image/png"]);
    expect(page.html).to.include(`<p class="page-title">Ingresso nº ${id}</p>`).and.to.include("249,90");
  });

  it("escape names, so that no name can close an element", async () => {
    const hostile = '</title><script>alert("1")</script>';
    const html = await (await fetch(system.url)).text();
    const page = withHead(
      withDeployment(html, { ...fixtureConfig(), rpc_url: hostile }),
      { title: hostile, description: hostile },
      { origin: system.url, path: `/${hostile}`, language: "pt" },
    );
    expect(page).not.to.include("<script>alert");
    expect(page).not.to.include('alert("1")');
  });
});
