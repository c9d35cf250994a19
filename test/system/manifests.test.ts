import { existsSync, globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { parse, parseAllDocuments } from "yaml";
import { skipWithout } from "../testing/skip.ts";

/** The schemas of Kubernetes are larger than the program: `npm ci --prefix scripts/developer/manifest-lint` installs them. */
const LINTER = resolve("scripts/developer/manifest-lint/package.json");

type Probe = { httpGet: { path: string; port: string } };
type Container = {
  name: string;
  command: string[];
  ports?: { name: string; containerPort: number }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  resources?: { limits: { memory: string } };
};
type Pod = { containers: [Container]; terminationGracePeriodSeconds?: number };
type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec: { template?: { spec: Pod }; jobTemplate?: { spec: { template: { spec: Pod } } } };
};

const manifests = parseAllDocuments(readFileSync("deploy/kubernetes.yaml", "utf8")).map(
  (one) => one.toJS() as Manifest,
);
const podOf = ({ spec }: Manifest) => spec?.template?.spec ?? spec?.jobTemplate?.spec.template.spec;
const containerOf = (name: string) =>
  manifests.map((one) => podOf(one)?.containers[0]).find((container) => container?.name === name);

describe("The Kubernetes manifests", () => {
  it("run every process with a command that exists", () => {
    const containers = manifests.flatMap((one) => podOf(one)?.containers ?? []);
    expect(containers.map(({ name }) => name)).to.deep.equal([
      "migrate",
      "torcida-api",
      "torcida-indexer",
      "torcida-reader",
      "backup",
    ]);
    for (const { name, command } of containers) expect(command[0], name).to.equal("/app/deploy/run");
  });

  it("limit the memory of every process, as do the units and the containers", () => {
    for (const { name, resources } of manifests.flatMap((one) => podOf(one)?.containers ?? []))
      expect(resources?.limits.memory, name).to.equal("1Gi");
    for (const unit of globSync("deploy/systemd/*.service"))
      expect(readFileSync(unit, "utf8"), unit).to.match(/^MemoryMax=1G$/m);
    const compose: { services: Record<string, { image?: string; mem_limit?: string }> } = parse(
      readFileSync("deploy/docker/compose.yaml", "utf8"),
      { merge: true },
    );
    const own = Object.entries(compose.services).filter(([, { image }]) => image === "torcida");
    expect(own).to.have.length.greaterThan(5);
    for (const [name, service] of own) expect(service.mem_limit, name).to.equal("1g");
  });

  it("listen on loopback unless told otherwise, as do the unit and the image", () => {
    expect(manifests[0]?.data?.HOST).to.equal("0.0.0.0");
    for (const file of ["deploy/docker/Dockerfile", "deploy/systemd/torcida-api.service"])
      expect(readFileSync(file, "utf8"), file).not.to.match(/^(?:ENV|Environment)\b.*HOST=/m);
    expect(readFileSync("deploy/docker/Dockerfile", "utf8")).to.include("-e HOST=0.0.0.0 -p 127.0.0.1:3000:3000");
  });

  it("set only variables of .env.example", () => {
    const example = readFileSync(".env.example", "utf8");
    const named = Object.keys(manifests[0]?.data ?? {});
    expect(named.filter((name) => !new RegExp(`\\b${name}=`).test(example))).to.deep.equal([]);
  });

  it("take a draining api out of the service, and restart it for nothing that passes by itself", () => {
    const api = containerOf("torcida-api");
    expect(api?.readinessProbe?.httpGet.path).to.equal("/healthz");
    for (const probe of [api?.livenessProbe, api?.startupProbe]) expect(probe?.httpGet.path).to.equal("/api");
    // DRAIN_SECONDS (5), then nine seconds.
    for (const grace of manifests.flatMap((one) => podOf(one)?.terminationGracePeriodSeconds ?? []))
      expect(grace).to.be.greaterThan(5 + 9);
  });

  it("do not wait for a standby to be ready", () => {
    for (const name of ["torcida-indexer", "torcida-reader"]) {
      const container = containerOf(name);
      expect(container?.livenessProbe?.httpGet.path, name).to.equal("/healthz");
      expect(container, name).not.to.have.property("readinessProbe");
    }
    expect(readFileSync("deploy/kubernetes.yaml", "utf8")).not.to.match(/path: \/readyz/);
  });

  describe("by their schemas @deep", () => {
    before(function () {
      if (!existsSync(resolve(LINTER, "../node_modules")))
        skipWithout(this, "schemas: npm ci --prefix scripts/developer/manifest-lint");
    });

    it("are valid", async () => {
      for (const manifest of manifests) {
        const { apiVersion, kind } = manifest;
        // The package may only be imported, and is not among ours.
        const path = resolve(LINTER, `../node_modules/kubernetes-models/${apiVersion}/${kind}.js`);
        const models = (await import(pathToFileURL(path).href)) as Record<
          string,
          new (
            values: object,
          ) => { validate(): void }
        >;
        const Model = models[kind];
        if (!Model) throw new Error(`There is no ${kind}`);
        expect(() => new Model(manifest).validate(), `${kind} ${manifest.metadata.name}`).not.to.throw();
      }
    });
  });
});
