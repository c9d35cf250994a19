/** Checks everything the system needs and says how to fix problems: `npm run doctor`. */

import { isIPv6 } from "node:net";
import type { ApiEnvironment } from "../api/environment.ts";
import { readEnvironment } from "../api/environment.ts";
import { tryServer } from "../api/mail/transport.ts";
import { readinessSchema } from "../api/operations/routes.ts";
import { certificateProblem, readCertificateEnd } from "../core/process/certificate.ts";
import { EnvironmentError } from "../core/process/environment.ts";
import { type ChainMemory, DatabaseChainMemory } from "../core/process/rpc/node-proof.ts";
import { messageOf, reasonOf } from "../core/rules/unknown-error.ts";
import { accountsOf, readEnvironment as readAffiliates, saleRules } from "../core/sales/environment.ts";
import { readVariables as readIndexer } from "../indexer/environment.ts";
import { examineChain } from "./doctor/examine-chain.ts";
import { examineDatabase } from "./doctor/examine-database.ts";
import { examineAdmins, examineApprovals, examineEnvFile, examineSaleRefKey } from "./doctor/examine-env-file.ts";
import { examineUnits } from "./doctor/examine-installed.ts";
import { examineNodes } from "./doctor/examine-nodes.ts";
import { examinePush } from "./doctor/examine-push.ts";
import { examineReceivers } from "./doctor/examine-receivers.ts";
import { type Finding, failure, findingOf, healthy, SUBJECTS, warning } from "./doctor/finding.ts";
import { type OperatorEnvironment, readOperatorEnvironment } from "./operator/environment.ts";
import { openDatabase } from "./operator/open-database.ts";

const PATIENCE_MS = 10_000;
/** An address that listens on all of a host's. */
const OF_ALL: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

const MARKS = { healthy: "✓", warning: "!", failure: "✗" } as const;
const findings = await examine();
for (const { state, subject, detail, toDo } of findings) {
  console.log(`${MARKS[state]} ${subject}: ${detail}`);
  if (toDo) console.log(`  → ${toDo}`);
}
const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
console.log(`${count("healthy")} healthy, ${count("warning")} to watch, ${count("failure")} to fix`);
process.exitCode = count("failure") === 0 ? 0 : 1;

async function examine(): Promise<Finding[]> {
  const mistakes = [readEnvironment, readIndexer, readAffiliates, readOperatorEnvironment].flatMap(mistakesOf);
  if (mistakes.length > 0) {
    return [...new Set(mistakes)].map((line) =>
      failure("configuration", line, "Correct it; .env.example lists every variable"),
    );
  }
  const environment = readEnvironment(process.env);
  const { network, CHAIN_ID, AUTH_MODE, SIMULATED_PURCHASES } = environment;
  const mode = SIMULATED_PURCHASES ? "simulated" : "live";
  const operator = readOperatorEnvironment(process.env);
  const accounts = accountsOf(environment);
  const rules = saleRules(environment, accounts, environment.isLocal);
  return [
    healthy("configuration", `${network} (chain ${CHAIN_ID}), ${mode} purchases, ${AUTH_MODE} sign-in`),
    ...examineEnvFile(),
    ...examineUnits(),
    ...examineApprovals(environment),
    ...examineSaleRefKey(environment),
    ...examineAdmins(environment),
    ...(await examineDatabase(
      operator,
      environment.keys,
      { accounts, closed: environment.AFFILIATE_CLOSED_ACCOUNTS },
      rules.saleRefs,
    )),
    ...(await examineApi(environment)),
    ...(await examineMail(environment)),
    ...(await examinePush(environment, () => openDatabase(operator, { print: false }))),
    ...(await examineReceivers(environment)),
    ...(await examineCertificate(environment.isLocal ? undefined : environment.PUBLIC_URL)),
    ...(await examineNodes(environment)),
    ...(await withKnownChain(operator, CHAIN_ID, (memory) => examineChain(environment, operator, memory))),
  ];
}

/** A line for each variable that one of our processes would reject. */
function mistakesOf(read: (variables: NodeJS.ProcessEnv) => unknown): string[] {
  try {
    read(process.env);
    return [];
  } catch (error) {
    if (error instanceof EnvironmentError) return error.message.split("\n");
    throw error;
  }
}

/** The chain facts stored in the database; nothing if there is no database. */
async function withKnownChain<T>(
  operator: OperatorEnvironment,
  chainId: number,
  work: (memory: ChainMemory) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(operator, { print: false }).catch(() => undefined);
  try {
    return await work(new DatabaseChainMemory(chainId, { ...(database ? { database } : {}), mayWrite: false }));
  } finally {
    await database?.close();
  }
}

/** The certificate of our own site, off the local chain. */
async function examineCertificate(site: string | undefined): Promise<Finding[]> {
  if (!site?.startsWith("https:")) return [];
  const url = new URL(site);
  try {
    const endsAt = await readCertificateEnd(url);
    const problem = certificateProblem(url, endsAt);
    if (problem) return [findingOf({ name: "certificate_ends", text: problem })];
    return [healthy("certificate", `that of ${url.hostname} ends on ${new Date(endsAt).toISOString().slice(0, 10)}`)];
  } catch (error) {
    const detail = `that of ${url.hostname} cannot be seen from here: ${messageOf(error)}`;
    return [warning("certificate", detail, "docs/runbook/outside-check.md")];
  }
}

/** E-mails wait while their server is away, and nothing else does. */
async function examineMail({ SMTP_URL: url }: ApiEnvironment): Promise<Finding[]> {
  if (url === undefined) return [];
  // Without its password.
  const { host } = new URL(url);
  try {
    await tryServer(url);
    return [healthy("mail", `${host} lets us in`)];
  } catch (error) {
    const toDo = "Correct SMTP_URL, or wait for the server: e-mails wait and are sent then";
    return [warning("mail", `${host} does not take our e-mails: ${messageOf(error)}`, toDo)];
  }
}

/** What only the api of this host knows: its rate, its nodes, what its senders wait for, whether it has ids. */
async function examineApi({ HOST, PORT, SERVICE_TOKENS: [token] }: ApiEnvironment): Promise<Finding[]> {
  const host = OF_ALL[HOST] ?? HOST;
  const url = `http://${isIPv6(host) ? `[${host}]` : host}:${PORT}/readyz`;
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
    const { faults, sends } = readinessSchema.parse(await answer.json());
    if (!faults) {
      const toDo = "Run the doctor on the api's host with HOST=127.0.0.1, or set SERVICE_TOKENS";
      return [warning("api", `${url} does not tell this caller what is wrong`, toDo)];
    }
    const own = faults.filter(({ name }) => SUBJECTS[name] === "api");
    if (own.length > 0) return own.map(findingOf);
    return [healthy("api", `${url}: it has a node, a rate and ids${sends ? ", and sends" : ""}`)];
  } catch (error) {
    const detail = `${url} does not answer, so its rate, senders and index are unknown: ${reasonOf(error)}`;
    return [warning("api", detail, "Start it: npm run api")];
  }
}
