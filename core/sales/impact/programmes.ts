import { isRecord } from "../../rules/records.ts";
import { CallRefusedError } from "../http-calls.ts";
import { Fields, groupsOf, type ProgrammeCalls, programmeOf } from "../programmes.ts";
import { parseExactJson } from "../row.ts";
import { getFromImpact, type ImpactAccount } from "./calls.ts";

const PAGES = 500;

/** impact.com lists campaigns by pages, and tells the terms of one at a time. docs/product.md#programmes */
export const impactProgrammes: ProgrammeCalls<ImpactAccount> = {
  async *list(session) {
    let next: string | null = `${pathOf(session.account)}?InsertionOrderStatus=Active`;
    let rows = 0;
    for (let page = 1; next !== null; page++) {
      if (page > PAGES) throw new Error("The pages of campaigns do not end");
      const answer: unknown = parseExactJson(await getFromImpact(session, next));
      if (!isRecord(answer) || !Array.isArray(answer.Campaigns))
        throw new Error("The answer is not a list of campaigns");
      rows += answer.Campaigns.length;
      yield answer.Campaigns.flatMap((row) => readCampaign(row) ?? []);
      const fields = new Fields(answer);
      next = fields.text(["@nextpageuri"]);
      if (next === null && rows < Number(fields.text(["@total"]) ?? 0))
        throw new Error("The pages of campaigns changed while they were read");
    }
  },
  async readTerms(session, campaignId) {
    const path = `${pathOf(session.account)}/${encodeURIComponent(campaignId)}/Contracts/Active`;
    try {
      const contract = new Fields(parseExactJson(await getFromImpact(session, path)));
      const terms = contract.child("Terms");
      const groups = terms.list("EventPayouts").map((row) => {
        const fields = new Fields(row);
        const percent = fields.text(["DefaultPayoutRate"]);
        return {
          code: fields.text(["EventTypeId"]),
          name: fields.text(["EventTypeName"]),
          percent,
          isFixed: percent === null && fields.text(["DefaultPayout"]) !== null,
        };
      });
      return { groups: groupsOf(groups), expectedDays: terms.days(["LockingDays", "PayoutDays"]) };
    } catch (error) {
      if (error instanceof CallRefusedError && error.status === 404) return { groups: [], expectedDays: null };
      throw error;
    }
  },
};

const pathOf = ({ account_sid }: ImpactAccount) => `/Mediapartners/${encodeURIComponent(account_sid)}/Campaigns`;

function readCampaign(row: unknown) {
  const fields = new Fields(row);
  const status = fields.text(["ContractStatus"]);
  const isActive = status === null || /^active$/i.test(status);
  return programmeOf({
    advertiserId: fields.id("CampaignId"),
    name: fields.text(["CampaignName", "AdvertiserName"]),
    state: isActive ? "active" : /\b(?:expired|ended|terminated|cancell?ed)\b/i.test(status) ? "ended" : "paused",
    country: new Fields({ first: fields.list("ShippingRegions")[0] }).text(["first"]),
    address: fields.text(["CampaignUrl", "AdvertiserUrl"]),
    domains: fields.list("DeeplinkDomains"),
    linkCode: null,
    logo: fields.text(["CampaignLogoUri"]),
  });
}
