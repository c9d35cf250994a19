import { messageOf } from "../../domain/unknown-error.ts";
import { certificateProblem, readCertificateEnd } from "../../platform/certificate.ts";
import { type Finding, findingOf, healthy, warning } from "./finding.ts";

/** The certificate of our own site, off the local chain. */
export async function examineCertificate(site: string | undefined): Promise<Finding[]> {
  if (!site?.startsWith("https:")) return [];
  const url = new URL(site);
  try {
    const endsAt = await readCertificateEnd(url);
    const problem = certificateProblem(url, endsAt);
    if (problem) return [findingOf("certificate", { name: "certificate_ends", text: problem })];
    return [healthy("certificate", `that of ${url.hostname} ends on ${new Date(endsAt).toISOString().slice(0, 10)}`)];
  } catch (error) {
    const detail = `that of ${url.hostname} cannot be seen from here: ${messageOf(error)}`;
    return [warning("certificate", detail, "docs/runbook/outside-check.md")];
  }
}
