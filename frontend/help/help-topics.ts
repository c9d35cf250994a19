export const HELP_TOPICS = [
  "how-it-works",
  "bonus",
  "when-cashback-comes",
  "missing-cashback",
  "using-chz",
  "passkey-wallet",
  "terms",
  "privacy",
  "contact",
] as const;
export type HelpTopic = (typeof HELP_TOPICS)[number];
