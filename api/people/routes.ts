import type { Request } from "express";
import type { z } from "zod";
import { inAuditedTransaction } from "../../core/database/audit-log.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { doneSchema } from "../../core/rules/api/common.ts";
import {
  checkUserRequestSchema,
  checkUserResponseSchema,
  isAdminResponseSchema,
  loginRequestSchema,
  loginResponseSchema,
  logoutEverywhereResponseSchema,
  registerRequestSchema,
  registerResponseSchema,
  sessionsResponseSchema,
  updateProfileRequestSchema,
} from "../../core/rules/api/people.ts";
import { MAIL_TOPIC_NAMES } from "../../core/rules/events.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { deviceOf } from "../../core/rules/session.ts";
import { conflict, notFound } from "../http/api-error.ts";
import { isAlive } from "../http/identity.ts";
import { originOf } from "../http/origin.ts";
import { type Route, route, visitorOf } from "../http/route.ts";
import { wantMail } from "../mail/routes.ts";
import type { Services } from "../services.ts";
import { fanClubRoutes } from "./fan-club.ts";
import { acceptInvite, inviteRoute } from "./invites.ts";
import { leavingRoutes, proverOf } from "./leaving.ts";
import { profileRoute } from "./profile.ts";
import { listSessions, revokeSession, revokeSessions, sessionIdOf } from "./sessions.ts";
import { checkProof, issueChallenge, openSession, type Proof, siteOf, toWireChallenge } from "./sign-in.ts";
import { findUser, insertUser, updateUser } from "./users.ts";

export function peopleRoutes(services: Services): Route[] {
  const { database } = services;
  return [
    profileRoute(services),
    route.get("/api/is-admin", {
      access: "anyone",
      cost: { thread: 0.2, node: 0, stored: 0, mail: 0 },
      summary: "Whether the caller is an admin",
      responses: { 200: isAdminResponseSchema },
      handle({ identity }) {
        return { body: { success: true, isAdmin: identity.kind === "user" && identity.role !== undefined } };
      },
    }),
    route.post("/api/check-user", {
      access: "anyone",
      cost: { thread: 0.6, node: 0, stored: 500, mail: 0 },
      summary: "Whether a wallet is registered, and the challenge to sign next",
      body: checkUserRequestSchema,
      responses: { 200: checkUserResponseSchema },
      async handle({ body, request }) {
        const exists = (await findUser(database.kysely, body.address)) !== undefined;
        const purpose = exists ? "login" : "register";
        const site = siteOf(services, request);
        const challenge = await issueChallenge(services, database.kysely, { wallet: body.address, purpose, site });
        return { body: { success: true, exists, challenge: toWireChallenge(challenge) } };
      },
    }),
    route.post("/api/register-user-data", {
      access: "anyone",
      cost: { thread: 3, node: 2, stored: 1000, mail: 0 },
      signsIn: true,
      summary: "Registers a wallet by its signature",
      body: registerRequestSchema,
      failures: { 409: "This wallet is already registered" },
      responses: { 200: registerResponseSchema },
      async handle({ body, request }) {
        const proof = proofOf(body, "register", request);
        if (await findUser(database.kysely, body.address)) throw alreadyRegistered();
        const admission = await checkProof(services, proof, siteOf(services, request));
        const token = await inAuditedTransaction(database.kysely, null, async (queries) => {
          const profile = { email: body.email, firstName: body.first_name, lastName: body.last_name };
          if (!(await insertUser(queries, body.address, profile))) throw alreadyRegistered();
          if (body.mail_language) {
            const wish = { topics: MAIL_TOPIC_NAMES, language: body.mail_language };
            await wantMail(queries, services, { wallet: body.address, ...wish });
          }
          if (body.invite) await acceptInvite(services, queries, { friend: body.address, code: body.invite, request });
          return openSession(services, queries, proof, admission);
        });
        return { body: { success: true, message: "Account created successfully", token } };
      },
    }),
    route.post("/api/login", {
      access: "anyone",
      cost: { thread: 3, node: 2, stored: 300, mail: 0 },
      signsIn: true,
      summary: "Signs a registered wallet in by its signature",
      body: loginRequestSchema,
      failures: { 404: "This wallet is not registered" },
      responses: { 200: loginResponseSchema },
      async handle({ body, request }) {
        const proof = proofOf(body, "login", request);
        if (!(await findUser(database.kysely, body.address))) throw notFound("Wallet");
        const admission = await checkProof(services, proof, siteOf(services, request));
        const token = await inAuditedTransaction(database.kysely, null, (queries) =>
          openSession(services, queries, proof, admission),
        );
        return { body: { success: true, token } };
      },
    }),
    route.post("/api/logout", {
      access: "user",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "Ends the session",
      responses: { 200: doneSchema },
      async handle({ identity }) {
        await revokeSession(database.kysely, visitorOf(identity).tokenHash);
        return { body: { success: true, message: "Signed out" } };
      },
    }),
    route.post("/api/logout-everywhere", {
      access: "user",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "Ends all of the user's sessions but this one",
      responses: { 200: logoutEverywhereResponseSchema },
      async handle({ identity }) {
        const { wallet, tokenHash } = visitorOf(identity);
        const ended = Number(await revokeSessions(database.kysely, wallet, tokenHash));
        return { body: { success: true, message: `${ended} other sessions ended`, ended } };
      },
    }),
    route.get("/api/me/sessions", {
      access: "user",
      cost: { thread: 1, node: 0, stored: 0, mail: 0 },
      summary: "The signed-in user's open sessions, the last used first",
      responses: { 200: sessionsResponseSchema },
      async handle({ identity }) {
        const { wallet, tokenHash } = visitorOf(identity);
        const sessions = (await listSessions(database.kysely, wallet)).filter(isAlive).map((session) => ({
          id: sessionIdOf(session),
          started_at: isoTime(session.createdAt),
          used_at: isoTime(session.lastSeenAt),
          device: session.device,
          is_current: session.tokenHash === tokenHash,
        }));
        return { body: { success: true, sessions } };
      },
    }),
    route.delete("/api/me/sessions/:id", {
      access: "user",
      cost: { thread: 1, node: 0, stored: 100, mail: 0 },
      summary: "Ends one of the user's sessions",
      failures: { 404: "No such open session" },
      responses: { 200: doneSchema },
      async handle({ identity, params }) {
        const sessions = await listSessions(database.kysely, visitorOf(identity).wallet);
        const ended = sessions.find((session) => sessionIdOf(session) === params.id);
        if (!ended) throw notFound("Session");
        await revokeSession(database.kysely, ended.tokenHash);
        return { body: { success: true, message: "Session ended" } };
      },
    }),
    route.put("/api/me", {
      access: "proven_user",
      cost: { thread: 1, node: 0, stored: 100, mail: 0 },
      summary: "Changes the user's names and e-mail",
      body: updateProfileRequestSchema,
      responses: { 200: doneSchema },
      async handle({ identity, body, request }) {
        const { wallet, email } = visitorOf(identity);
        const profile = { email: body.email, firstName: body.first_name, lastName: body.last_name };
        const isOtherMail = body.email !== email;
        // Whoever has the e-mail reads of every purchase: a session alone does not change it.
        const prove = isOtherMail && (await proverOf(services, { wallet, purpose: "email", wish: body, request }));
        await inTransaction(database.kysely, async (queries) => {
          if (prove) await prove(queries);
          await updateUser(queries, wallet, profile);
        });
        return { body: { success: true, message: "Profile saved" } };
      },
    }),
    inviteRoute(services),
    ...fanClubRoutes(services),
    ...leavingRoutes(services),
  ];
}

function proofOf(
  { address, signature, nonce }: z.output<typeof loginRequestSchema>,
  purpose: Proof["purpose"],
  { ip = "", headers }: Request,
): Proof {
  const from = { address: ip, origin: originOf(ip), device: deviceOf(headers["user-agent"]) };
  return { wallet: address, purpose, signature, nonce, ...from };
}

function alreadyRegistered() {
  return conflict("This wallet is already registered", "ALREADY_REGISTERED");
}
