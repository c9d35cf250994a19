import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { CertificateWatch, certificateProblem } from "../../core/process/certificate.ts";
import { skipWithout } from "../testing/skip.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("The certificate of our own site", () => {
  it("is told in words once it ends within a week", () => {
    const site = new URL("https://shop.example");
    const problem = (leftMs: number) => certificateProblem(site, 100 * DAY_MS, 100 * DAY_MS - leftMs);
    expect(problem(7 * DAY_MS)).to.equal(undefined);
    expect(problem(7 * DAY_MS - 1)).to.equal("The certificate of shop.example ends in 6 days");
    expect(problem(5 * HOUR_MS)).to.equal("The certificate of shop.example ends in 5 hours");
    expect(problem(-3 * DAY_MS)).to.equal("The certificate of shop.example ended 3 days ago");
  });

  it("is read from the site, also if nobody trusts it, and remembered while the site is away", async function () {
    const directory = mkdtempSync(join(tmpdir(), "torcida-certificate-"));
    const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    const options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost"];
    const made = spawnSync("openssl", ["req", "-x509", ...options, "-days", "3", "-keyout", key, "-out", cert]);
    if (made.status !== 0) return skipWithout(this, "openssl: Debian's package openssl");
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
    try {
      await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
      const watch = new CertificateWatch(`https://localhost:${(server.address() as AddressInfo).port}`);
      await watch.look();
      expect(watch.problem()).to.match(/^The certificate of localhost ends in 2 days$/);
      await new Promise((resolve) => server.close(resolve).closeAllConnections());
      await watch.look();
      expect(watch.problem(Date.now() + 4 * DAY_MS)).to.match(/^The certificate of localhost ended/);
    } finally {
      server.close();
      rmSync(directory, { recursive: true });
    }
  });

  it("is not looked for where the site has none", async () => {
    for (const site of [undefined, "http://localhost:1"]) {
      const watch = new CertificateWatch(site);
      await watch.look();
      expect(watch.problem()).to.equal(undefined);
    }
  });
});
