import { z } from "zod";
import { findDeployment } from "../../core/chain/deployment.ts";
import { signAuditBy } from "../../core/database/audit-log.ts";
import { type DeployedContracts, readContracts } from "../../core/process/contracts.ts";
import {
  CHAIN_VARIABLES,
  type ChainEnvironment,
  chainEnvironment,
  checkVariables,
  DATABASE_VARIABLES,
  databaseUrlOf,
  erasedFileOf,
  type Problem,
  type Variables,
} from "../../core/process/environment.ts";
import { networkContradictions } from "../../core/process/network-rules.ts";
import { SALE_VARIABLES } from "../../core/sales/environment.ts";

const BACKUP_VARIABLES = {
  BACKUP_RECEIVER: z.string().optional(),
  BACKUP_PUBLIC_KEY: z
    .string()
    .regex(/^age1[0-9a-z]{58}$/, "must be a public key of age: age1…")
    .optional(),
};

export type OperatorEnvironment = ChainEnvironment & {
  dataDirectory: string;
  databaseUrl: string;
  erasedFile: string;
  /** Undefined if nothing is deployed yet. */
  contracts: DeployedContracts | undefined;
  /** `SALE_REF_KEY` and the former ones, by which the audit log is signed. */
  saleRefKeys: readonly string[];
  /** Who gets a copy of each backup; undefined: nobody. */
  backupReceiver: { command: string; publicKey: string } | undefined;
};

/** The environment of an operator command that needs no node; other commands read more. @throws EnvironmentError */
export function readOperatorEnvironment(source: Variables): OperatorEnvironment {
  const values = checkVariables(
    {
      ...DATABASE_VARIABLES,
      ...CHAIN_VARIABLES,
      ...BACKUP_VARIABLES,
      SALE_REF_KEY: SALE_VARIABLES.SALE_REF_KEY,
      SALE_REF_KEYS: SALE_VARIABLES.SALE_REF_KEYS,
    },
    source,
    (read, wrong) => [...networkContradictions(read), ...missingHalf(read, wrong)],
  );
  // What a command writes into the audit log is signed as what the api writes.
  signAuditBy(values.SALE_REF_KEY);
  const chain = chainEnvironment(values);
  const areNamed = values.PURCHASE_NFT_ADDRESS !== undefined && values.CASHBACK_DISTRIBUTOR_ADDRESS !== undefined;
  const areKnown = areNamed || findDeployment(chain.network) !== undefined;
  return {
    ...chain,
    dataDirectory: values.DATA_DIR,
    databaseUrl: databaseUrlOf(values),
    erasedFile: erasedFileOf(values),
    saleRefKeys: [...(values.SALE_REF_KEY === undefined ? [] : [values.SALE_REF_KEY]), ...values.SALE_REF_KEYS],
    backupReceiver:
      values.BACKUP_RECEIVER && values.BACKUP_PUBLIC_KEY
        ? { command: values.BACKUP_RECEIVER, publicKey: values.BACKUP_PUBLIC_KEY }
        : undefined,
    contracts: areKnown ? readContracts({ ...values, network: chain.network }) : undefined,
  };
}

function missingHalf(
  {
    BACKUP_RECEIVER: receiver,
    BACKUP_PUBLIC_KEY: key,
  }: { BACKUP_RECEIVER?: string | undefined; BACKUP_PUBLIC_KEY?: string | undefined },
  wrong: ReadonlySet<string>,
): Problem[] {
  if (receiver && !key && !wrong.has("BACKUP_PUBLIC_KEY"))
    return [{ variable: "BACKUP_PUBLIC_KEY", message: "is missing: copies leave this server encrypted only" }];
  return key && !receiver
    ? [{ variable: "BACKUP_RECEIVER", message: "is missing: the command that takes a copy" }]
    : [];
}

/** Where a command's lines go: the console, or a test. */
export type Terminal = Pick<Console, "log" | "error">;
