import { z } from "zod";
import { SPICY_CHAIN_ID } from "../../domain/product.ts";

const PORT_RULE = "must be a whole number from 1 to 65535";
const port = (fallback: number) =>
  z.coerce.number({ error: PORT_RULE }).int(PORT_RULE).min(1, PORT_RULE).max(65_535, PORT_RULE).default(fallback);

const schema = z.object({
  PORT: port(3000),
  CHAIN_PORT: port(8545),
  INDEXER_PORT: port(3001),
  DATA_DIR: z.string().min(1).default("data"),
  DATABASE_URL: z.string().min(1).optional(),
  RPC_URLS: z.string().min(1).optional(),
  CHAIN_ID: z.coerce.number({ error: "must be a chain id such as 88882" }).int().positive().default(SPICY_CHAIN_ID),
});

export type StartEnvironment = z.infer<typeof schema>;

/** Reads what `npm start` needs; the processes that it starts check their own. Throws one line a wrong variable. */
export function readEnvironment(source: NodeJS.ProcessEnv): StartEnvironment {
  const present = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
  throw new Error(lines.join("\n"));
}
