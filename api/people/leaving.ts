import type { Request } from "express";
import type { z } from "zod";
import { findWaiting, propose, undoProposal } from "../../core/database/proposals.ts";
import { touchUser } from "../../core/database/touch-user.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { erasedFileOf } from "../../core/process/environment.ts";
import { doneSchema } from "../../core/rules/api/common.ts";
import {
  challengeRequestSchema,
  challengeResponseSchema,
  eraseRequestSchema,
  type provenWishSchema,
} from "../../core/rules/api/people.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { ApiError, conflict, notFound } from "../http/api-error.ts";
import { originOf } from "../http/origin.ts";
import { type Route, route, visitorOf } from "../http/route.ts";
import type { Services } from "../services.ts";
import { acceptedLanguage } from "../texts.ts";
import { listErased, listWish } from "./erased-list.ts";
import { eraseUser } from "./erasure.ts";
import { revokeSessions } from "./sessions.ts";
import { checkProof, issueChallenge, type Site, siteOf, spend, toWireChallenge } from "./sign-in.ts";
import { findUser } from "./users.ts";

type WishPurpose = z.output<typeof challengeRequestSchema>["purpose"];
type ProvenWish = z.output<typeof provenWishSchema>;

/**
 * What only the owner of the wallet may do, and not whoever has its session: leave, and change the e-mail. Its sentence
 * says so, and is signed now. docs/product.md#erase
 */
export function leavingRoutes(services: Services): Route[] {
  const { kysely } = services.database;
  return [
    route.post("/api/challenge", {
      access: "user",
      summary: "What the wallet signs to erase the profile or to change its e-mail",
      cost: { thread: 2, node: 0, stored: 900, mail: 0 },
      body: challengeRequestSchema,
      responses: { 200: challengeResponseSchema },
      async handle({ body: { purpose }, identity, request }) {
        const { wallet } = visitorOf(identity);
        const challenge = await issueChallenge(services, kysely, { wallet, purpose, site: siteOf(services, request) });
        return { body: { success: true, challenge: toWireChallenge(challenge) } };
      },
    }),
    route.delete("/api/me", {
      access: "proven_user",
      summary: "Erases the profile after 72 hours; the purchases stay, identified by wallet only",
      cost: { thread: 5, node: 0, stored: 900, mail: 0 },
      body: eraseRequestSchema,
      responses: {
        202: doneSchema.extend({ takes_effect_at: challengeResponseSchema.shape.challenge.shape.expires_at }),
      },
      async handle({ identity, body, request }) {
        const { wallet, tokenHash } = visitorOf(identity);
        const prove = await proverOf(services, { wallet, purpose: "erase", wish: body, request });
        const takesEffectAt = await inTransaction(kysely, async (queries) => {
          await prove(queries);
          const user = await findUser(queries, wallet);
          if (!user) throw notFound("Profile");
          const asked = await findWaiting(queries, "erase", wallet);
          // Asking again does not put it off.
          if (asked?.is_own === 1n && asked.takes_effect_at !== null) return asked.takes_effect_at;
          listWish(erasedFileOf(services.environment), services.environment, "asked", user);
          // Whoever else is signed in learns of it by signing in.
          await revokeSessions(queries, wallet, tokenHash);
          await touchUser(queries, wallet);
          const wanted = await propose(
            queries,
            { kind: "erase", subject: wallet },
            { actor: wallet, hasOthers: false },
          );
          return wanted.takesEffectAt ?? 0n;
        });
        const takes_effect_at = isoTime(takesEffectAt);
        const message = `Your account is erased on ${takes_effect_at}, unless you sign in and keep it`;
        return { status: 202, body: { success: true, message, takes_effect_at } };
      },
    }),
    route.post("/api/me/keep", {
      access: "proven_user",
      summary: "Keeps a profile whose erasure was asked for",
      cost: { thread: 3, node: 0, stored: 100, mail: 0 },
      failures: { 409: "Nobody asked for its erasure" },
      responses: { 200: doneSchema },
      async handle({ identity }) {
        const { wallet } = visitorOf(identity);
        await inTransaction(kysely, async (queries) => {
          const [asked, user] = [await findWaiting(queries, "erase", wallet), await findUser(queries, wallet)];
          if (!asked || !user || !(await undoProposal(queries, asked.id, { actor: wallet, reason: null })))
            throw conflict("Nobody asked for the erasure of this account", "DECIDED");
          listWish(erasedFileOf(services.environment), services.environment, "kept", user);
          await touchUser(queries, wallet);
        });
        return { body: { success: true, message: "Your account stays" } };
      },
    }),
  ];
}

type Asked = { wallet: WalletAddress; purpose: WishPurpose; wish: ProvenWish; request: Request };

/**
 * Checks the signature of a wish; the returned function spends its nonce in the transaction that grants it.
 * @throws ApiError 403 with what to sign, or 400
 */
export async function proverOf(services: Services, { wallet, purpose, wish, request }: Asked) {
  const { nonce, signature } = wish;
  const site: Site = siteOf(services, request);
  if (nonce === undefined || signature === undefined) {
    const challenge = await issueChallenge(services, services.database.kysely, { wallet, purpose, site });
    // The web app of 1.0.0 shows this sentence as it is.
    throw new ApiError(403, "SIGNATURE_NEEDED", SIGN_NOW[acceptedLanguage(request)], {
      extra: { challenge: toWireChallenge(challenge) },
    });
  }
  const { ip = "" } = request;
  await checkProof(
    services,
    { wallet, purpose, signature, nonce, address: ip, origin: originOf(ip), device: null },
    site,
  );
  return (queries: Queries) => spend(queries, nonce);
}

const SIGN_NOW = {
  pt: "Por segurança, a sua carteira assina este pedido agora. Recarregue a página e tente de novo.",
  en: "To be safe, your wallet signs this request now. Reload the page and try again.",
} as const;

/** Before staff stop an erasure: a backup from before would bring it back. */
export async function listKept({ environment }: Services, queries: Queries, wallet: WalletAddress): Promise<void> {
  const user = await findUser(queries, wallet);
  if (user) listWish(erasedFileOf(environment), environment, "kept", user);
}

/** Carries out an erasure whose day has come. False: there is no such profile any more. */
export async function eraseNow({ environment }: Services, queries: Queries, wallet: WalletAddress): Promise<boolean> {
  const user = await findUser(queries, wallet);
  if (!user) return false;
  listErased(erasedFileOf(environment), environment, user);
  await eraseUser(queries, wallet, environment);
  return true;
}
