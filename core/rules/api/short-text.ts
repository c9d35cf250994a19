import { z } from "zod";

/** A text that nothing else looks at if it is longer: whoever sends it chooses how long it is. */
export const shortText = (max: number, error?: string) => z.string().max(max, { error, abort: true });
