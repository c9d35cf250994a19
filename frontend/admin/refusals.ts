import { textsIn } from "../i18n/language.tsx";
import { sayRefusal } from "./refusal-words.ts";
import { panelLanguage } from "./texts.ts";

/** Why the server rejected an admin's call, in the panel's language; undefined if the reason is unknown. */
export const refusalOf = (error: unknown): string | undefined => sayRefusal(error, textsIn(panelLanguage()));
