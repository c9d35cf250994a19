/**
 * Deploys to a network, or continues where an earlier run stopped: `npm run deploy -- --network
 * localhost|spicy|chiliz`. `--dry-run` prints the cost, `--check` compares the network with its record and with this
 * source, `--verify` submits the sources to the explorer. `--successor-of 0x…` deploys a successor of that distributor;
 * with `--retire` the deployer, if it is the admin, first retires that distributor permanently.
 */
import { runDeploy } from "./deploy/run-deploy.ts";

process.exitCode = await runDeploy(process.argv.slice(2), process.env, console);
