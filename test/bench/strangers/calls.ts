import type { Flood } from "../strangers.ts";

type Call = Pick<Flood, "method" | "path" | "body">;

const WALLET = `0x${"ab".repeat(20)}`;
const PERSON = { first_name: "Ana", last_name: "Silva", email: "ana@example.com" };
const JUNK = `0x${"11".repeat(65)}`;
const post = (path: string, body: object): Call => ({ method: "POST", path, body: JSON.stringify(body) });

/** Each call that anyone may make, as a stranger would, and calls that are refused without a session. */
export const PUBLIC_CALLS: readonly Call[] = [
  ...[
    "/api",
    "/api/config",
    "/api/stores",
    "/api/stores?limit=60&after=1",
    "/api/stores/1",
    "/api/stores/1/pace",
    "/api/fan-tokens",
    "/api/is-admin",
    "/api/nfts/1",
    "/api/nfts/1/image",
    `/api/wallets/${WALLET}/tickets`,
    "/api/proof",
    "/api/books",
    "/api/openapi.json",
    "/api/docs",
    "/api/assets/none.png",
    "/healthz",
    "/readyz",
    "/mail/verify?token=x",
    "/api/me",
    "/api/purchases",
    "/api/hooks/awin/br/wrong-secret",
    "/",
  ].map((path) => ({ path })),
  post("/api/check-user", { address: WALLET }),
  post("/api/register-user-data", { ...PERSON, address: WALLET, signature: JUNK }),
  post("/api/login", { address: WALLET, signature: JUNK }),
  post("/api/faults", { kind: "error", page: "/", message: "x" }),
  post("/api/register-purchase", { user: WALLET, store_id: 1, amount: 100 }),
];
