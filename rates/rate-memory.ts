import { z } from "zod";
import type { Database } from "../database/connect.ts";
import { readSetting, writeSetting } from "../database/settings.ts";

/** An accepted rate; `at` is the feed's time, in milliseconds. */
export type AcceptedRate = { weiPerCent: bigint; at: number };

export type RateMemory = {
  read(): Promise<AcceptedRate | undefined>;
  write(rate: AcceptedRate): Promise<void>;
};

const rememberedSchema = z.object({
  weiPerCent: z
    .string()
    .regex(/^[1-9]\d*$/)
    .transform(BigInt),
  at: z.number(),
});

/** Keeps the last rate in the database, for other processes and for restarts. */
export function databaseRateMemory({ kysely }: Database): RateMemory {
  return {
    async read() {
      const text = await readSetting(kysely, "rate_accepted");
      return text === undefined ? undefined : rememberedSchema.parse(JSON.parse(text));
    },
    async write({ weiPerCent, at }) {
      await writeSetting(kysely, "rate_accepted", JSON.stringify({ weiPerCent: weiPerCent.toString(), at }));
    },
  };
}
