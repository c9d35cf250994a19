/** The topics of the footer's links, in `?info=`. */
export const INFO_TOPICS = ["about", "faq", "contact", "terms"] as const;
export type InfoTopic = (typeof INFO_TOPICS)[number];

export const isInfoTopic = (value: string | null): value is InfoTopic =>
  (INFO_TOPICS as readonly (string | null)[]).includes(value);
