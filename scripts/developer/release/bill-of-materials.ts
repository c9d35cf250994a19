import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const OPTIONS = { encoding: "utf8", maxBuffer: 64 * 2 ** 20 } as const;

/**
 * Writes a CycloneDX bill of what `root`'s lock file names. npm makes it, and calls the root by its folder.
 * @throws in one sentence, if the npm of this machine has no `npm sbom`
 */
export function writeBillOfMaterials(root: string, file: string): void {
  const version = execFileSync("npm", ["--version"], OPTIONS).trim();
  if (Number.parseInt(version, 10) < 10) {
    throw new Error(
      `A bill of materials needs npm 10 or later, and this is npm ${version}: npm install --global npm@11`,
    );
  }
  const call = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=application"];
  const bill: { metadata: { component: { name: string } } } = JSON.parse(
    execFileSync("npm", call, { ...OPTIONS, cwd: root }),
  );
  bill.metadata.component.name = "torcida";
  writeFileSync(file, `${JSON.stringify(bill, undefined, 2)}\n`);
}
