import { readFileSync } from "node:fs";
import type { ApiEnvironment } from "../../api/environment.ts";
import { askOutside } from "../../core/process/outside.ts";
import { codeOf, messageOf, reasonOf } from "../../core/rules/unknown-error.ts";
import { type Finding, healthy, warning } from "./finding.ts";

/** Where docs/going-live.md puts it, and deploy/alertmanager.yaml reads it. */
const ALERT_URL_FILE = "/etc/prometheus/alert.url";
const TEST_IT = "docs/going-live.md#10-alerts-that-reach-a-phone";
/** So a server refuses whoever comes with a wrong path or token. */
const WRONG_ADDRESS = [401, 403, 404, 410];
/** A receiver of notices checks their signature, and nothing is signed here. */
const WRONG_PATH = [404, 410];

/** Whether somebody is there for alerts and notices. Asks by OPTIONS, which rings no phone. */
export async function examineReceivers({ isLocal, NOTIFY_URL }: ApiEnvironment): Promise<Finding[]> {
  return [
    ...(await examineAlerts(process.env.ALERT_URL_FILE ?? (isLocal ? undefined : ALERT_URL_FILE))),
    ...(NOTIFY_URL === undefined
      ? []
      : [await examineReceiver("notices", NOTIFY_URL, "Correct NOTIFY_URL", WRONG_PATH)]),
  ];
}

async function examineAlerts(file: string | undefined): Promise<Finding[]> {
  if (file === undefined) return [];
  try {
    return [await examineReceiver("alerts", readFileSync(file, "utf8").trim(), `Correct ${file} (${TEST_IT})`)];
  } catch (error) {
    if (codeOf(error) === "EACCES") return [warning("alerts", `${file} cannot be read`, "Run the doctor as root")];
    const detail = `${file} cannot be read, so nobody is known to be called: ${messageOf(error)}`;
    return [warning("alerts", detail, `${TEST_IT}; if Prometheus runs elsewhere, set ALERT_URL_FILE to a copy`)];
  }
}

async function examineReceiver(
  subject: string,
  address: string,
  toDo: string,
  wrong: readonly number[] = WRONG_ADDRESS,
): Promise<Finding> {
  // The rest of the address is often a secret.
  const host = URL.parse(address)?.host;
  if (!host) return warning(subject, "the receiver's address is not a URL", toDo);
  try {
    const { status } = await askOutside(address, { method: "OPTIONS" });
    if (status < 500 && !wrong.includes(status))
      return healthy(subject, `${host} answers; it was asked, and sent nothing`);
    return warning(subject, `${host} answers ${status}, so it may take none`, toDo);
  } catch (error) {
    return warning(subject, `${host} does not answer: ${reasonOf(error)}`, toDo);
  }
}
