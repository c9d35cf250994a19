import { AnswerTooLargeError } from "../../process/outside.ts";
import { daysTogether, Fields, groupsOf, type ProgrammeCalls, programmeOf, type SaidGroup } from "../programmes.ts";
import { type AdmitadAccount, askAdmitad } from "./calls.ts";

export const PAGE_ROWS = 500;
export const READINGS = 3;

/** Admitad lists each programme with its rates. docs/product.md#programmes */
export const admitadProgrammes: ProgrammeCalls<AdmitadAccount> = {
  async *list(session) {
    // A page of programmes with many rates may be larger than is read: smaller ones are asked for.
    let limit = PAGE_ROWS;
    const path = `/advcampaigns/website/${encodeURIComponent(session.account.website_id)}/`;
    const readFrom = async (offset: number) => {
      for (;;)
        try {
          const query = { connection_status: "active", limit: String(limit), offset: String(offset) };
          return await askAdmitad(session, path, query, "advcampaigns_for_website");
        } catch (error) {
          if (!(error instanceof AnswerTooLargeError) || limit === 1) throw error;
          limit = Math.ceil(limit / 4);
        }
    };
    const seen = new Set<string>();
    // A programme that comes or goes shifts the pages: they are read again until they are as many as the network says.
    for (let reading = 1; reading <= READINGS; reading++) {
      let count = 0;
      let rows = 0;
      // A page may have fewer rows than were asked for.
      for (;;) {
        const { results, _meta } = await readFrom(rows);
        count = _meta.count;
        rows += results.length;
        const page = results.flatMap((row) => readProgramme(row) ?? []);
        yield page.filter(({ advertiserId }) => !seen.has(advertiserId));
        for (const { advertiserId } of page) seen.add(advertiserId);
        if (results.length === 0 || rows >= count) break;
      }
      if (rows >= count && seen.size >= count) return;
    }
    throw new Error("The pages of programmes changed while they were read");
  },
};

function readProgramme(row: unknown) {
  const fields = new Fields(row);
  const states = [fields.text(["status"]), fields.text(["connection_status"])];
  const isActive = states.every((state) => state === null || /^active$/i.test(state));
  const isEnded = states.some((state) => state !== null && /\b(?:disabled|declined|closed|ended)\b/i.test(state));
  return programmeOf({
    advertiserId: fields.id("id"),
    name: fields.text(["name"]),
    state: isActive ? "active" : isEnded ? "ended" : "paused",
    country: new Fields(fields.list("regions")[0]).text(["region"]),
    address: fields.text(["site_url"]),
    // `https://ad.admitad.com/g/abc123/` has `abc123`.
    linkCode: /^https?:\/\/[^/]+\/g\/([\w-]{1,64})\/?/.exec(fields.text(["gotolink"]) ?? "")?.[1] ?? null,
    category: new Fields(fields.list("categories")[0]).text(["name"]),
    logo: fields.text(["image"]),
    terms: {
      groups: groupsOf(fields.list("actions_detail").flatMap(readAction)),
      expectedDays: daysTogether(fields.days(["avg_hold_time"]), fields.days(["avg_money_transfer_time"])),
    },
  });
}

function readAction(row: unknown): SaidGroup[] {
  const action = new Fields(row);
  if (/lead/i.test(action.text(["type"]) ?? "")) return [];
  return action.list("tariffs").flatMap((one) => {
    const tariff = new Fields(one);
    const rates = tariff.list("rates").map((rate) => new Fields(rate));
    const ofBrazil = rates.filter((rate) => rate.text(["country"])?.toUpperCase() === "BR");
    return (ofBrazil.length > 0 ? ofBrazil : rates).map((rate) => ({
      code: tariff.id("id"),
      name: tariff.text(["name"]) ?? action.text(["name"]),
      percent: rate.text(["size"]),
      isFixed: !rate.flag("is_percentage"),
    }));
  });
}
