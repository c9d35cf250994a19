import { OTHER_LANGUAGES, type OtherLanguage, type Translations } from "../../core/rules/languages.ts";
import type { PauseCause } from "../../core/rules/pause-cause.ts";
import type { PurchaseState, Wait } from "../../core/rules/purchase/states.ts";
import { ownValue } from "../../core/rules/records.ts";
import type { Role } from "../../core/rules/roles.ts";
import type { SaleState } from "../../core/rules/sale/facts.ts";
import type { Heard } from "../api/heard.ts";
import type { StoreFields } from "./admin-calls.ts";
import type { Purchase } from "./shapes.ts";
import { type CodeOf, panelLocale, saoPauloMoment, t, textOf } from "./texts.ts";

/** The panel's words for codes. The tone colours a badge; the word carries the meaning. */
export type Tone = "good" | "wait" | "bad" | "plain";
export type Word = { label: string; tone: Tone };
type Words = { family: string; tones: Readonly<Record<string, Tone>> };

const wordsOf = <Family extends string>(family: Family, tones: Record<CodeOf<Family>, Tone>): Words => ({
  family,
  tones,
});

export const PURCHASE_WORDS = wordsOf("purchase.state", {
  held: "bad",
  processing: "wait",
  pending: "wait",
  confirmed: "wait",
  paid: "good",
  settled: "good",
  cancelled: "plain",
} satisfies Record<PurchaseState, Tone>);

export const PAYMENT_WORDS = wordsOf("payment.state", {
  waiting: "wait",
  failed: "bad",
  queued: "plain",
  assigned: "wait",
  done: "good",
  withdrawn: "plain",
});

export const SALE_WORDS = wordsOf("sale.state", {
  held: "bad",
  unmatched: "wait",
  open: "wait",
  approved: "wait",
  payable: "wait",
  settled: "good",
  declined: "plain",
} satisfies Record<SaleState, Tone>);

export const CLAIM_WORDS = wordsOf("claim.state", { open: "wait", matched: "good", refused: "plain" });

export const APPROVAL_WORDS = wordsOf("approval.state", {
  open: "wait",
  approved: "wait",
  used: "good",
  refused: "bad",
  renewed: "plain",
  lapsed: "plain",
});

export const BOOST_WORDS = wordsOf("boost.state", {
  waiting: "wait",
  planned: "wait",
  running: "good",
  over: "plain",
  refused: "bad",
  withdrawn: "plain",
});

export const OFFER_WORDS = wordsOf("offer.state", { planned: "wait", running: "good", over: "plain" });

export const PERSON_WORDS = wordsOf("person.state", { active: "good", erased: "plain" });

export const STORE_WORDS = wordsOf("store.state", { ready: "good", draft: "wait", paused: "wait", uncovered: "bad" });

export const SUGGESTION_WORDS = wordsOf("suggested.state", {
  open: "wait",
  accepted: "good",
  dismissed: "plain",
  gone: "plain",
});

/** A word that a later server answers, and this build does not know. */
export const newWord = (code: string): string => t("newWord", { code });

/** The text of a server's word, which may be one of tomorrow. */
export const heardText = (family: string, code: string): string => textOf(family, code) ?? newWord(code);

export const wordOf = ({ family, tones }: Words, code: string): Word => ({
  label: heardText(family, code),
  tone: ownValue(tones, code) ?? "plain",
});

export const optionsOf = ({ family, tones }: Words) =>
  Object.keys(tones).map((value) => ({ value, label: heardText(family, value) }));

/** Why an operation waits or failed. `OperationReason` */
export const operationWhy = (reason: string | null): string | undefined =>
  reason === null ? undefined : (textOf("operation.why", reason) ?? t("operation.whyUnknown", { reason }));

/** What to do about it. */
export const operationHelp = (reason: string | null): string | undefined => textOf("operation.help", reason);

/** The limit that an operation waits for, with its figure; undefined if it waits for none. */
export const limitWords = (reason: string | null, limit: string | null, chz: (amount: string) => string) =>
  limit === null ? undefined : textOf("operation.limit", reason, { amount: chz(limit) });

/** `kind` of an operation. */
export const operationKind = (kind: string): string => textOf("operation.kind", kind) ?? kind;

/** What a purchase waits for. */
export function purchaseWait(
  purchase: Pick<Purchase, "waits_for" | "waits_detail" | "wait_reason">,
): string | undefined {
  const { waits_for: wait, waits_detail: detail, wait_reason: reason } = purchase;
  if (wait === null) return undefined;
  if (detail === "credit_used" || detail === "unusual_day") return t(`wait.${detail}`);
  if (wait === "set_aside" || wait === "person") return operationWhy(reason) ?? t("wait.stopped");
  return heardText("wait" satisfies FamilyOf<Exclude<Wait, "set_aside" | "person">>, wait);
}

/** The family, where each of these words has a text in it. */
type FamilyOf<Code extends string> = [Code] extends [CodeOf<"wait">] ? "wait" : never;

/** Why payouts are paused, in words; a person's reason stays unchanged. */
export function pauseReason(reason: string | null, heard: Heard<PauseCause> | null): string {
  // One that this build does not know is told by the server's own sentence.
  const cause = heard as PauseCause | null;
  const { key = "", nonce = 0, created_at: at } = { key: undefined, nonce: undefined, created_at: undefined, ...cause };
  return (
    textOf("pause", cause?.code, { key, nonce, created_at: at === undefined ? "" : saoPauloMoment(at) }) ?? reason ?? ""
  );
}

export const NETWORKS = ["awin", "admitad", "impact", "direct"] as const satisfies readonly CodeOf<"network">[];
export const networkName = (network: string): string => textOf("network", network) ?? network;

const languageName = (language: OtherLanguage): string =>
  new Intl.DisplayNames(panelLocale(), { type: "language" }).of(language) ?? language;

/** "em inglês" */
export const inLanguage = (language: OtherLanguage): string => t("inLanguage", { language: languageName(language) });

type TranslatedField = "country" | "category" | "description" | "terms";
type StoreField = Exclude<keyof StoreFields, keyof Translations<Record<TranslatedField, string>>>;
type EachFieldHasText = StoreField extends CodeOf<"field"> & CodeOf<"theField"> ? "field" : never;
const FIELD: EachFieldHasText = "field";

function fieldIn(family: typeof FIELD | "theField", name: string): string | undefined {
  const language = OTHER_LANGUAGES.find((one) => name.endsWith(`_${one}`));
  if (language === undefined) return textOf(family, name);
  const field = textOf(family, name.slice(0, -language.length - 1));
  return field && t("field.inLanguage", { field, language: languageName(language) });
}

/** A field of stores, categories, fan tokens, decisions and lists, in the middle of a sentence. */
export const fieldWord = (name: string): string | undefined => fieldIn(FIELD, name);

/** "o nome" */
export const theField = (name: string): string | undefined => fieldIn("theField", name) ?? fieldWord(name);

export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** "nov. de 2026" of `YYYY-MM`. */
export const monthName = (month: string): string =>
  new Intl.DateTimeFormat(panelLocale(), { month: "short", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01T00:00:00Z`),
  );

export const roleName = (role: Heard<Role> | string): string => heardText("role", role);

/** "10% em Camisas", or in the whole store. */
export const boostedPercent = (percent: string, category: string | null): string =>
  category === null ? t("percentOfStore", { percent }) : t("percentOfCategory", { percent, category });
