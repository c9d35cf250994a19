import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";

type Step = { uses?: string; run?: string; with?: Record<string, unknown>; if?: string };
type Job = { "runs-on": string; "timeout-minutes": number; permissions?: object; steps: Step[] };
type Workflow = {
  name: string;
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
};

const workflows = Object.fromEntries(
  globSync(".github/workflows/*.yaml").map((file) => [
    basename(file, ".yaml"),
    parse(readFileSync(file, "utf8"), { strict: true, uniqueKeys: true }) as Workflow,
  ]),
);
const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);
const commandsOf = (workflow: Workflow) => stepsOf(workflow).flatMap(({ run }) => run ?? []);

describe("The workflows of GitHub", () => {
  it("test, release, review dependencies, and mutate and fuzz each week", () => {
    expect(Object.keys(workflows)).to.have.members(["test", "release", "weekly", "dependency-review"]);
    expect(workflows.test?.on).to.have.all.keys("push", "pull_request");
    expect(workflows.release?.on).to.deep.equal({ push: { tags: ["v*.*.*"] } });
    expect(workflows.weekly?.on).to.have.property("schedule");
    expect(workflows["dependency-review"]?.on).to.have.all.keys("pull_request");
  });

  for (const [name, workflow] of Object.entries(workflows)) {
    it(`${name} runs only what exists, with an end and as few permissions as it needs`, () => {
      expect(workflow.permissions, "permissions").to.be.an("object");
      for (const [job, { "timeout-minutes": minutes, steps }] of Object.entries(workflow.jobs)) {
        expect(minutes, job).to.be.within(1, 360);
        for (const { uses, run } of steps) {
          expect([uses, run].filter(Boolean), job).to.have.length(1);
          // A tag can be moved to other code; a commit cannot.
          if (uses) expect(uses).to.match(/^actions\/[\w-]+@[0-9a-f]{40}$/);
        }
      }
      for (const command of commandsOf(workflow)) {
        for (const [, script = "", options = ""] of command.matchAll(/npm run ([\w:-]+)(?: -- (.*))?/g)) {
          expect(scripts, command).to.have.property(script);
          const file = /[\w/-]+\.ts/.exec(scripts[script] ?? "")?.[0] ?? "package.json";
          const files = file.endsWith("/main.ts") ? globSync(join(dirname(file), "*.ts")) : [file];
          const source = files.map((one) => readFileSync(one, "utf8")).join("\n");
          for (const [, option = ""] of options.matchAll(/--([\w-]+)/g)) expect(source, command).to.include(option);
        }
        for (const [file] of command.matchAll(/(?<=^bash )\S+/g)) expect(existsSync(file), command).to.equal(true);
      }
    });
  }

  it("release what was tested, with its bill of materials and where it was built", () => {
    const release = workflows.release as Workflow;
    const commands = commandsOf(release);
    expect(commands.slice(0, 2), "tests first").to.deep.equal(["bash .ci/run", "npm run test:release"]);
    expect(commands.findIndex((one) => one.startsWith("gh release create"))).to.equal(commands.length - 1);
    const attested = stepsOf(release).find(({ uses }) => uses?.startsWith("actions/attest-build-provenance@"));
    const files = String(attested?.with?.["subject-path"]).split(", ");
    expect(files).to.include("sbom.cdx.json");
    for (const file of files) {
      expect(commands.filter((one) => one.includes(file)).length, `${file} is made and released`).to.equal(2);
    }
    const image = commands.find((one) => one.includes("docker build --file deploy/docker/Dockerfile"));
    expect(image, "the image").to.match(/dpkg-query --show >image-packages\.txt[\s\S]*docker push/);
    expect(files).to.include("image-packages.txt");
    expect(release.permissions).to.include({ packages: "write", "id-token": "write", attestations: "write" });
  });
});

describe("The notes of a release", () => {
  it("are its section of the changelog, whose links lead to the documents of its tag", () => {
    const write = commandsOf(workflows.release as Workflow).find((one) => one.includes(">notes.md"));
    const folder = mkdtempSync(join(tmpdir(), "torcida-notes-"));
    const changelog =
      "# Changelog\n\n## 1.1.0 (2026-02-03)\n\n* [New](docs/upgrading.md#a)\n\n### Fixed\n\n* It\n\n## 1.0.0 (2026-01-01)\n\n* Old\n";
    writeFileSync(join(folder, "CHANGELOG.md"), changelog);
    const env = { ...process.env, GITHUB_REPOSITORY: "our/shop", GITHUB_REF_NAME: "v1.1.0" };
    execFileSync("bash", ["-c", write ?? ""], { cwd: folder, env });
    expect(readFileSync(join(folder, "notes.md"), "utf8")).to.equal(
      "## 1.1.0 (2026-02-03)\n\n* [New](https://github.com/our/shop/blob/v1.1.0/docs/upgrading.md#a)\n\n### Fixed\n\n* It\n\n",
    );
    rmSync(folder, { recursive: true });
  });
});

describe(".ci/run", () => {
  it("ends by its own limits before a runner's, of ninety minutes, whatever hangs", () => {
    const script = readFileSync(".ci/run", "utf8").replace(/^#.*$/gm, "");
    const killAfterMinutes = Number(/--kill-after=(\d+)/.exec(script)?.[1]) / 60;
    const parts = [...script.matchAll(/\bpart (\d+)m /g)].map(([, minutes]) => Number(minutes) + killAfterMinutes);
    // Once for each word of the `for` whose body it stands in.
    const others = [...script.matchAll(/for \w+ in ([^;]+); do\s+timeout (\d+) |\btimeout (\d+) /g)].map(
      ([, words, each, once]) => (words ? words.split(" ").length * Number(each) : Number(once)) / 60,
    );
    expect([parts.length, others.length]).to.deep.equal([4, 3]);
    expect([...parts, ...others].reduce((sum, minutes) => sum + minutes)).to.be.below(90);
  });
});
