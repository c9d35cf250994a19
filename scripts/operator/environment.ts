import {
  CHAIN_VARIABLES,
  type ChainEnvironment,
  chainEnvironment,
  checkVariables,
  DATABASE_VARIABLES,
  databaseUrlOf,
  type Variables,
} from "../../platform/environment.ts";
import { networkContradictions } from "../../platform/networks.ts";

export type OperatorEnvironment = ChainEnvironment & { dataDirectory: string; databaseUrl: string };

/** What an operator's command acts on. It needs no node: one that asks a node reads more. @throws EnvironmentError */
export function readOperatorEnvironment(source: Variables): OperatorEnvironment {
  const values = checkVariables({ ...DATABASE_VARIABLES, ...CHAIN_VARIABLES }, source, networkContradictions);
  return { ...chainEnvironment(values), dataDirectory: values.DATA_DIR, databaseUrl: databaseUrlOf(values) };
}
