import { z } from "zod";
import {
  daysTogether,
  Fields,
  groupsOf,
  type ProgrammeCalls,
  type ProgrammeState,
  programmeOf,
} from "../programmes.ts";
import { readTime } from "../row.ts";
import { type AwinAccount, askAwin } from "./calls.ts";

/** Awin lists programmes by what we are to them, and tells the rates of one at a time. docs/product.md#programmes */
export const awinProgrammes: ProgrammeCalls<AwinAccount> = {
  async *list(session) {
    // What both lists have is joined.
    for (const relationship of ["joined", "suspended"] as const) {
      const rows = z.array(z.unknown(), "the answer is not a list of programmes");
      const answer = rows.parse(await askAwin(session, `programmes?${new URLSearchParams({ relationship })}`));
      yield answer.flatMap((row) => readProgramme(row, relationship === "suspended") ?? []);
    }
  },
  async readTerms(session, advertiserId, withDays) {
    const query = new URLSearchParams({ advertiserId });
    const rates = new Fields(await askAwin(session, `commissiongroups?${query}`));
    const details = new Fields(withDays ? await askAwin(session, `programmedetails?${query}`) : {}).child("kpi");
    const groups = rates.list("commissionGroups").flatMap((row) => readGroup(row));
    return {
      groups: groupsOf(groups),
      expectedDays: daysTogether(details.days(["validationDays"]), details.days(["averagePaymentTime"])),
    };
  },
};

const ENDED = /\b(?:closed|ended|terminated|deleted)\b/i;

function readProgramme(row: unknown, isSuspended: boolean) {
  const fields = new Fields(row);
  const said = `${fields.text(["membershipStatus"]) ?? ""} ${fields.text(["status"]) ?? ""}`.trim();
  const isActive = said === "" || said.split(" ").every((word) => /^(?:active|joined)$/i.test(word));
  const state: ProgrammeState = ENDED.test(said) ? "ended" : isActive && !isSuspended ? "active" : "paused";
  return programmeOf({
    advertiserId: fields.id("id"),
    name: fields.text(["name", "displayName"]),
    state,
    country: fields.text(["primaryRegion"], ["name", "countryCode"]),
    address: fields.text(["displayUrl"], ["url"]),
    domains: fields.list("validDomains"),
    category: fields.text(["primarySector", "sector"]),
    logo: fields.text(["logoUrl"]),
  });
}

function readGroup(row: unknown) {
  const fields = new Fields(row);
  const at = (name: string) => readTime(fields.text([name]) ?? "");
  const [from, until] = [at("ratesStart"), at("ratesEnd")];
  const now = Date.now();
  if ((from !== undefined && from > now) || (until !== undefined && until < now)) return [];
  return [
    {
      code: fields.text(["groupCode", "groupId"], ["code", "id"]),
      name: fields.text(["groupName", "groupCode"]),
      percent: fields.text(["percentage"], ["amount", "value"]),
      isFixed: /fix/i.test(fields.text(["type"]) ?? ""),
    },
  ];
}
