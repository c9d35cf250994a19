import { findDeployment } from "../../chain/deployment.ts";
import { type DeployedContracts, readContracts } from "../../platform/contracts.ts";
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

export type OperatorEnvironment = ChainEnvironment & {
  dataDirectory: string;
  databaseUrl: string;
  /** Undefined if nothing is deployed yet. */
  contracts: DeployedContracts | undefined;
};

/** The environment of an operator command that needs no node; other commands read more. @throws EnvironmentError */
export function readOperatorEnvironment(source: Variables): OperatorEnvironment {
  const values = checkVariables({ ...DATABASE_VARIABLES, ...CHAIN_VARIABLES }, source, networkContradictions);
  const chain = chainEnvironment(values);
  const areNamed = values.PURCHASE_NFT_ADDRESS !== undefined && values.CASHBACK_DISTRIBUTOR_ADDRESS !== undefined;
  const areKnown = areNamed || findDeployment(chain.network) !== undefined;
  return {
    ...chain,
    dataDirectory: values.DATA_DIR,
    databaseUrl: databaseUrlOf(values),
    contracts: areKnown ? readContracts({ ...values, network: chain.network }) : undefined,
  };
}
