import { inPortuguese } from "../i18n/language.tsx";
import { sayRefusal } from "./refusal-words.ts";

/** Why the server rejected an admin's call, in Portuguese; undefined if the reason is unknown. */
export const refusalOf = (error: unknown): string | undefined => sayRefusal(error, inPortuguese);
