import { encodeFunctionData, formatEther, type Hex, type PublicClient } from "viem";
import type { Deployment } from "../../core/chain/deployment.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import type { DeployConfiguration } from "./configuration.ts";

/**
 * One line for each variable that says something else than a standing deployment, with the call that its admin must
 * make: what was constructed with a variable does not follow it. Where a variable says nothing, `deployed` does.
 */
export async function saidOtherwise(
  client: PublicClient,
  { said, deployed = {} }: Pick<DeployConfiguration, "said"> & { deployed?: DeployConfiguration["said"] },
  { purchaseNft, cashbackDistributor }: Deployment,
): Promise<string[]> {
  const nft = { address: purchaseNft.address, abi: purchaseNftAbi } as const;
  const distributor = { address: cashbackDistributor.address, abi: cashbackDistributorAbi } as const;
  const [site, limits] = await Promise.all([
    client.readContract({ ...nft, functionName: "siteUrl" }),
    client.readContract({ ...distributor, functionName: "limits" }),
  ]);
  const lines: string[] = [];
  const tell = async ({ address }: { address: Hex }, what: string, call: string, data: Hex) => {
    const admin = await client.readContract({ address, abi: purchaseNftAbi, functionName: "defaultAdmin" });
    lines.push(`${what} at ${address}: its admin ${admin} must call ${call}, data ${data}`);
  };

  const { adminDelaySeconds } = said;
  const verb = (name: keyof typeof said) => (said[name] === undefined ? "was" : "is");
  const siteUrl = said.siteUrl ?? deployed.siteUrl;
  if (siteUrl !== undefined && new URL(site).origin !== siteUrl) {
    const data = encodeFunctionData({ abi: purchaseNftAbi, functionName: "setSiteUrl", args: [siteUrl] });
    await tell(nft, `SITE_URL ${verb("siteUrl")} ${siteUrl}, and ${site}`, `setSiteUrl("${siteUrl}")`, data);
  }
  const { maxWeiPerCent, maxPayout, dailyCap } = { ...limits, ...deployed, ...said };
  const args = [{ maxWeiPerCent, maxPayout, dailyCap }] as const;
  const data = encodeFunctionData({ abi: cashbackDistributorAbi, functionName: "setLimits", args });
  for (const [variable, name, text] of [
    ["MAX_WEI_PER_CENT", "maxWeiPerCent", String],
    ["MAX_PAYOUT_CHZ", "maxPayout", formatEther],
    ["DAILY_CAP_CHZ", "dailyCap", formatEther],
  ] as const) {
    const wanted = said[name] ?? deployed[name];
    if (wanted === undefined || wanted === limits[name]) continue;
    const call = `setLimits((${maxWeiPerCent}, ${maxPayout}, ${dailyCap}))`;
    await tell(distributor, `${variable} ${verb(name)} ${text(wanted)}, and ${text(limits[name])}`, call, data);
  }
  if (adminDelaySeconds === undefined) return lines;
  for (const { address } of [nft, distributor]) {
    const contract = { address, abi: purchaseNftAbi } as const;
    const [delay, [scheduled]] = await Promise.all([
      client.readContract({ ...contract, functionName: "defaultAdminDelay" }),
      client.readContract({ ...contract, functionName: "pendingDefaultAdminDelay" }),
    ]);
    if ([delay, scheduled].includes(adminDelaySeconds)) continue;
    const functionName = "changeDefaultAdminDelay";
    const later = encodeFunctionData({ abi: purchaseNftAbi, functionName, args: [adminDelaySeconds] });
    const what = `ADMIN_DELAY_SECONDS is ${adminDelaySeconds}, and ${delay}`;
    await tell({ address }, what, `${functionName}(${adminDelaySeconds})`, later);
  }
  return lines;
}
