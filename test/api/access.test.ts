import { expect } from "chai";
import { DEMO_ADMIN } from "../../core/rules/demo-wallets.ts";
import { keysOf } from "../../core/rules/records.ts";
import { type Permission, panelPermissionsOf, permissionsOf, ROLES } from "../../core/rules/roles.ts";
import { Caller } from "./support/caller.ts";
import { type ApiSystem, onSystem } from "./support/system.ts";

/** The status each role gets; "in" means that the call passed the access rule. */
type Expected = Record<Role, 401 | 403 | 404 | "in">;
type Role = "anonymous" | "dead" | "other" | "owner" | "compat" | "admin" | "old_admin" | "service";

const everyone: Expected = {
  anonymous: "in",
  dead: "in",
  other: "in",
  owner: "in",
  compat: "in",
  admin: "in",
  old_admin: "in",
  service: "in",
};
const users: Expected = { ...everyone, anonymous: 401, dead: 401, service: 403 };
const proven: Expected = { ...users, compat: 403 };
const admins: Expected = {
  anonymous: 401,
  dead: 401,
  other: 403,
  owner: 403,
  compat: 403,
  admin: "in",
  old_admin: "in",
  service: 403,
};
const freshAdmins: Expected = { ...admins, old_admin: 403 };
const staff: Expected = { ...admins, service: "in" };

const nobody = Object.fromEntries(Object.keys(everyone).map((role) => [role, 404])) as Expected;

/** Who may call what: docs/product.md#access. A route missing here fails the test below. */
const TABLE: Record<string, Expected> = {
  "get /api": everyone,
  "get /api/config": everyone,
  "post /api/faults": everyone,
  "get /healthz": everyone,
  "get /readyz": everyone,
  "get /api/openapi.json": everyone,
  "get /api/docs": everyone,
  "get /api/stores": everyone,
  "get /api/offers": everyone,
  "get /api/stores/domains": everyone,
  "get /api/stores/{id}": everyone,
  "get /api/stores/{id}/pace": everyone,
  "get /api/fan-tokens": everyone,
  "get /api/clubs": everyone,
  "get /api/clubs/{slug}": everyone,
  "get /api/nfts": users,
  "get /api/nfts/{tokenId}": everyone,
  "get /api/nfts/{tokenId}/image": everyone,
  "get /api/wallets/{wallet}/tickets": everyone,
  "get /api/proof": everyone,
  "get /api/books": everyone,
  "get /api/is-admin": everyone,
  "post /api/check-user": everyone,
  "post /api/register-user-data": everyone,
  "post /api/login": everyone,
  "get /api/me": users,
  "put /api/me": proven,
  "delete /api/me": proven,
  "get /api/purchases": users,
  "get /api/admin/stores/{id}/boosts": admins,
  "post /api/admin/stores/{id}/boosts": admins,
  "post /api/admin/boosts/{id}/end": admins,
  "post /api/admin/boosts/{id}/withdraw": admins,
  "get /api/admin/stores/{id}/offers": admins,
  "post /api/admin/stores/{id}/offers": admins,
  "put /api/admin/offers/{id}": admins,
  "delete /api/admin/offers/{id}": admins,
  "get /api/admin/percent-approvals": admins,
  "post /api/admin/percent-approvals/{id}/approve": freshAdmins,
  "post /api/admin/percent-approvals/{id}/refuse": freshAdmins,
  "get /api/admin/proposals": admins,
  "post /api/admin/proposals/{id}/agree": freshAdmins,
  "post /api/admin/proposals/{id}/refuse": admins,
  "post /api/admin/proposals/{id}/undo": admins,
  "get /api/admin/accounts": admins,
  "get /api/admin/accounts/{network}/{account}/bookings": admins,
  "post /api/admin/accounts/{network}/{account}/bookings": freshAdmins,
  "post /api/admin/accounts/{network}/{account}/bookings/{id}/reverse": freshAdmins,
  "post /api/admin/accounts/{network}/{account}/bookings/file": admins,
  "post /api/admin/accounts/{network}/{account}/sales-days": freshAdmins,
  "get /api/me/mail": users,
  "post /api/me/mail/send": proven,
  "get /api/me/invite": users,
  "get /api/me/club": users,
  "put /api/me/club": proven,
  "get /api/clubs/table": everyone,
  "get /api/me/sessions": users,
  "delete /api/me/sessions/{id}": users,
  "get /api/me/payments": users,
  "put /api/me/mail": proven,
  "get /api/me/push": users,
  "put /api/me/push": proven,
  "post /api/me/push/devices": proven,
  "delete /api/me/push/devices/{id}": users,
  "get /mail/verify": everyone,
  "post /mail/verify": everyone,
  "get /mail/unsubscribe": everyone,
  "post /mail/unsubscribe": everyone,
  "get /dev/mail": everyone,
  "get /api/events": users,
  "post /api/events/read": users,
  "post /api/challenge": users,
  "post /api/me/keep": proven,
  "post /api/logout": users,
  "post /api/logout-everywhere": users,
  "post /api/register-purchase": users,
  "post /api/links": everyone,
  "post /api/purchases/{id}/withdraw": users,
  "post /api/mint-nft": { ...everyone, anonymous: 401, dead: 401, other: 404, compat: 404 },
  "post /api/confirm-purchase": staff,
  "post /api/distribute-cashback": { ...staff, old_admin: 403 },
  "post /api/store": admins,
  "put /api/store/{id}": admins,
  "delete /api/store/{id}": admins,
  "post /api/store/{id}/cashback": admins,
  "put /api/store/{id}/cashback/{cashbackId}": admins,
  "delete /api/store/{id}/cashback/{cashbackId}": admins,
  "post /api/admin/fan-token": admins,
  "delete /api/admin/fan-token/{id}": admins,
  "post /api/admin/clubs": admins,
  "delete /api/admin/clubs/{slug}": admins,
  "get /api/admin/overview": admins,
  "get /api/admin/role": admins,
  "get /api/admin/audit-log": admins,
  "post /api/admin/payouts": admins,
  "get /api/admin/operations": admins,
  "post /api/admin/operations/{id}/retry": freshAdmins,
  "get /api/admin/purchases": admins,
  "get /api/admin/purchases/{id}": admins,
  "post /api/admin/purchases/{id}/hold": admins,
  "post /api/admin/purchases/{id}/release": freshAdmins,
  "get /api/admin/users/{wallet}": admins,
  "post /api/admin/users/{wallet}/nickname": admins,
  "post /api/admin/users/{wallet}/sessions/revoke": admins,
  "post /api/admin/users/{wallet}/erase": freshAdmins,
  "get /api/admin/stores/{id}/conversion": admins,
  "get /api/admin/stores/{id}/test-click": admins,
  "get /api/admin/token-contract": admins,
  "get /api/admin/catalogue": admins,
  "post /api/admin/catalogue": admins,
  "post /api/admin/stores/{id}/logo": admins,
  "get /api/assets/{name}": everyone,
  "get /api/admin/approvals": admins,
  "get /api/admin/approvals/together": admins,
  "post /api/admin/approvals/approve": freshAdmins,
  "post /api/admin/approvals/refuse": freshAdmins,
  "post /api/admin/approvals/{id}/approve": freshAdmins,
  "post /api/admin/approvals/{id}/refuse": freshAdmins,
  "get /api/admin/figures": admins,
  "get /api/admin/attention": admins,
  "get /api/admin/configuration": admins,
  "get /api/admin/payments": admins,
  "get /api/admin/users": admins,
  "get /api/admin/names": admins,
  "get /api/admin/stores": admins,
  "get /api/admin/suggested-stores": admins,
  "post /api/admin/suggested-stores/accept": admins,
  "post /api/admin/suggested-stores/dismiss": admins,
  "post /api/admin/suggested-stores/read": admins,
  "post /api/admin/suggested-stores/withheld": admins,
  "get /api/clicks": users,
  "get /api/claims": users,
  "post /api/claims": users,
  "post /api/claims/{id}/picture": users,
  "get /api/admin/sales": admins,
  "get /api/admin/sales/{id}": admins,
  "post /api/admin/sales/{id}/release": freshAdmins,
  "post /api/admin/sales/{id}/decline": admins,
  "post /api/admin/sales/{id}/assign": freshAdmins,
  "get /api/admin/claims": admins,
  "get /api/admin/claims/{id}/picture": admins,
  "post /api/admin/claims/{id}/match": freshAdmins,
  "post /api/admin/claims/{id}/refuse": admins,
  "get /api/admin/margin": admins,
  "get /api/admin/networks": admins,
  "post /api/admin/fx-rates/{currency}/{day}/accept": freshAdmins,
  // Access requires a secret in the path.
  "get /api/hooks/{network}/{account}/{secret}": nobody,
  "post /api/hooks/{network}/{account}/{secret}": nobody,
  // Access requires a signature over the body, which none of the roles has.
  "post /api/hooks/affiliate/{network}": nobody,
};

/** The permission an admin needs for each write; a call missing here is for owners only. */
const PERMISSION: Record<string, Permission> = {
  "post /api/confirm-purchase": "payments",
  "post /api/admin/accounts/{network}/{account}/bookings": "payments",
  "post /api/admin/accounts/{network}/{account}/bookings/{id}/reverse": "payments",
  "post /api/admin/accounts/{network}/{account}/bookings/file": "payments",
  "post /api/admin/accounts/{network}/{account}/sales-days": "payments",
  "post /api/distribute-cashback": "payments",
  "post /api/admin/payouts": "payments",
  "post /api/admin/operations/{id}/retry": "payments",
  "post /api/admin/purchases/{id}/hold": "payments",
  "post /api/admin/purchases/{id}/release": "payments",
  "post /api/admin/users/{wallet}/nickname": "people",
  "post /api/admin/users/{wallet}/sessions/revoke": "people",
  "post /api/admin/users/{wallet}/erase": "people",
  "post /api/admin/fx-rates/{currency}/{day}/accept": "payments",
  "post /api/admin/sales/{id}/release": "sales",
  "post /api/admin/sales/{id}/decline": "sales",
  "post /api/admin/sales/{id}/assign": "sales",
  "get /api/admin/claims/{id}/picture": "claims",
  "post /api/admin/claims/{id}/match": "claims",
  "post /api/admin/claims/{id}/refuse": "claims",
  "post /api/admin/approvals/approve": "payments",
  "post /api/admin/approvals/refuse": "payments",
  "post /api/admin/approvals/{id}/approve": "payments",
  "post /api/admin/approvals/{id}/refuse": "payments",
  "post /api/admin/stores/{id}/boosts": "catalogue",
  "post /api/admin/boosts/{id}/end": "catalogue",
  "post /api/admin/boosts/{id}/withdraw": "catalogue",
  "post /api/admin/stores/{id}/offers": "catalogue",
  "put /api/admin/offers/{id}": "catalogue",
  "delete /api/admin/offers/{id}": "catalogue",
  "post /api/admin/percent-approvals/{id}/approve": "catalogue",
  "post /api/admin/percent-approvals/{id}/refuse": "catalogue",
  // Who may decide is a matter of each proposal's kind.
  "post /api/admin/proposals/{id}/agree": "read",
  "post /api/admin/proposals/{id}/refuse": "read",
  "post /api/admin/proposals/{id}/undo": "read",
  "post /api/admin/suggested-stores/accept": "catalogue",
  "post /api/admin/suggested-stores/dismiss": "catalogue",
  "post /api/admin/suggested-stores/read": "catalogue",
  "post /api/admin/suggested-stores/withheld": "catalogue",
  "post /api/admin/catalogue": "catalogue",
  "post /api/admin/stores/{id}/logo": "catalogue",
  "post /api/store": "catalogue",
  "put /api/store/{id}": "catalogue",
  "delete /api/store/{id}": "catalogue",
  "post /api/store/{id}/cashback": "catalogue",
  "put /api/store/{id}/cashback/{cashbackId}": "catalogue",
  "delete /api/store/{id}/cashback/{cashbackId}": "catalogue",
  "post /api/admin/fan-token": "catalogue",
  "delete /api/admin/fan-token/{id}": "catalogue",
  "post /api/admin/clubs": "catalogue",
  "delete /api/admin/clubs/{slug}": "catalogue",
};

onSystem("Who may call what", "sqlite", { SIMULATED_STEP_DELAY_MS: "3600000" }, (system) => {
  it("lets each role make the calls that the table names, and no others (F22)", async () => {
    const callers = await callersOf(system());
    const purchaseId = await callers.owner.buy();
    const paths = (await callers.anonymous.get("/api/openapi.json")).body.paths as Record<
      string,
      Record<string, unknown>
    >;
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(routes).to.have.members(Object.keys(TABLE));

    const mistakes: string[] = [];
    for (const [name, expected] of Object.entries(TABLE)) {
      const [method = "", template = ""] = name.split(" ");
      // Calls that end a session come last.
      if (name.startsWith("post /api/logout") || name === "delete /api/me") continue;
      for (const [role, caller] of Object.entries(callers) as [Role, Caller][]) {
        const path = template.replace("{network}", "nobody").replace(/\{\w+\}/g, "999999");
        const body = name.includes("mint-nft") ? { user: callers.owner.address, purchase_id: purchaseId } : {};
        const answer = await caller.send(
          method.toUpperCase(),
          path,
          method === "get" ? undefined : JSON.stringify(body),
        );
        const isIn = ![401, 403].includes(answer.status) && !(expected[role] === 404 && answer.status === 404);
        const wanted = expected[role];
        if (wanted === "in" ? !isIn : answer.status !== wanted)
          mistakes.push(`${name} as ${role}: ${answer.status}, not ${wanted}`);
        if (answer.status >= 500 && name !== "get /readyz") mistakes.push(`${name} as ${role}: ${answer.text}`);
      }
    }
    expect(mistakes).to.deep.equal([]);
  });

  it("lets each kind of admin do what its role allows", async () => {
    expect(Object.keys(PERMISSION).filter((name) => TABLE[name] === undefined)).to.deep.equal([]);
    const mistakes: string[] = [];
    const walletOf = async (role: (typeof ROLES)[number]) => (await system().adminCaller(role)).address;
    const owners = [await walletOf("owner"), DEMO_ADMIN];
    const may = {
      catalogue: [...owners, await walletOf("catalogue")],
      payments: [...owners, await walletOf("operator")],
    };
    for (const role of ROLES) {
      const admin = await system().adminCaller(role);
      const { approvers, ...own } = (await admin.get("/api/admin/role")).body;
      // 1.0.0's panel refuses an answer with a permission that it does not know.
      const reads_people = permissionsOf(role).includes("people:read");
      expect(own).to.deep.equal({
        success: true,
        role,
        permissions: panelPermissionsOf(role),
        reads_people,
        percent_alone: 10,
      });
      for (const permission of keysOf(may))
        expect(approvers[permission], permission).to.have.members(
          may[permission].filter((wallet) => wallet !== admin.address),
        );
      for (const [name, expected] of Object.entries(TABLE)) {
        if (expected.admin !== "in" || expected.other !== 403) continue;
        const [method = "", template = ""] = name.split(" ");
        const permission = PERMISSION[name] ?? (method === "get" ? "read" : undefined);
        const isPermitted = permission === undefined ? role === "owner" : permissionsOf(role).includes(permission);
        const path = template.replace(/\{\w+\}/g, "999999");
        const answer = await admin.send(method.toUpperCase(), path, method === "get" ? undefined : "{}");
        const isIn = answer.body?.code !== "ROLE_NOT_ALLOWED";
        if (isIn !== isPermitted) mistakes.push(`${name} as ${role}: ${answer.status} ${answer.body?.code}`);
      }
    }
    expect(mistakes).to.deep.equal([]);
  });

  it("ends a session on logout, and erases a profile only for a proven user", async () => {
    const { compat, other } = await callersOf(system());
    expect((await compat.send("DELETE", "/api/me", "{}")).status).to.equal(403);
    expect((await other.post("/api/logout")).status).to.equal(200);
    expect((await other.get("/api/me")).status).to.equal(401);
    await other.enter();
    expect((await other.send("DELETE", "/api/me", "{}")).body.code).to.equal("SIGNATURE_NEEDED");
    expect((await other.askErasure()).status).to.equal(202);
  });

  it("ends the user's other sessions, and nobody else's", async () => {
    const [user, stranger] = [await system().user(), await system().user()];
    const statusWith = async (token: string) =>
      (await fetch(`${system().url}/api/me`, { headers: { authorization: `Bearer ${token}` } })).status;
    const earlier = user.token ?? "";
    await user.enter();
    expect(await statusWith(earlier)).to.equal(200);
    expect((await user.post("/api/logout-everywhere")).body).to.include({ success: true, ended: 1 });
    expect(await statusWith(earlier)).to.equal(401);
    for (const one of [user, stranger]) expect((await one.get("/api/me")).status).to.equal(200);
    expect((await user.post("/api/logout-everywhere")).body.ended).to.equal(0);
  });

  it("lists the user's open sessions, and ends one of them, but nobody else's", async () => {
    const [user, stranger] = [await system().user(), await system().user()];
    const phone = user.token ?? "";
    await user.enter();
    const { sessions } = (await user.get("/api/me/sessions")).body;
    expect(sessions.map((one: { is_current: boolean }) => one.is_current).sort()).to.deep.equal([false, true]);
    const other = sessions.find((one: { is_current: boolean }) => !one.is_current);
    expect((await stranger.send("DELETE", `/api/me/sessions/${other.id}`)).status).to.equal(404);
    expect((await user.send("DELETE", `/api/me/sessions/${other.id}`)).status).to.equal(200);
    const answer = await fetch(`${system().url}/api/me`, { headers: { authorization: `Bearer ${phone}` } });
    expect(answer.status).to.equal(401);
    expect((await user.get("/api/me/sessions")).body.sessions).to.have.length(1);
  });

  it("keeps a wallet's twenty last used sessions", async () => {
    const user = await system().user();
    const first = user.token ?? "";
    for (let count = 0; count < 21; count++) await user.enter();
    expect((await user.get("/api/me/sessions")).body.sessions).to.have.length(20);
    const answer = await fetch(`${system().url}/api/me`, { headers: { authorization: `Bearer ${first}` } });
    expect(answer.status).to.equal(401);
  });

  it("responds to a wrong method with the allowed ones, and to an unknown call in JSON", async () => {
    const caller = system().anonymous();
    const wrong = await caller.send("DELETE", "/api/stores");
    expect(wrong.status).to.equal(405);
    expect(wrong.headers.get("allow")).to.contain("GET");
    const unknown = await caller.get("/api/nothing/here");
    expect(unknown.status).to.equal(404);
    expect(unknown.body).to.include({ success: false, code: "NOT_FOUND" });
  });

  it("keeps one user from another's purchase", async () => {
    const { owner, other } = await callersOf(system());
    const id = await owner.buy();
    const stolen = await other.post("/api/register-purchase", { user: owner.address, store_id: 1, amount: 1 });
    expect(stolen.status).to.equal(403);
    expect((await other.post("/api/mint-nft", { user: owner.address, purchase_id: id })).status).to.equal(404);
    expect((await other.post("/api/mint-nft", { user: other.address, purchase_id: id })).status).to.equal(404);
    expect((await owner.post("/api/mint-nft", { user: other.address, purchase_id: id })).status).to.equal(403);
  });
});

async function callersOf(system: ApiSystem): Promise<Record<Role, Caller>> {
  const compat = new Caller(system.url);
  const signature = await compat.signSentence("register");
  const answer = await compat.post("/api/register-user-data", {
    address: compat.address,
    first_name: "Rui",
    last_name: "Costa",
    email: "rui@example.com",
    signature,
  });
  compat.token = answer.body.token;
  const oldAdmin = await system.adminCaller();
  await system.age(oldAdmin.token, 20 * 60_000);
  return {
    anonymous: system.anonymous(),
    dead: new Caller(system.url, undefined, "no-such-token"),
    other: await system.user(),
    owner: await system.user(),
    compat,
    admin: await system.adminCaller(),
    old_admin: oldAdmin,
    service: system.service(),
  };
}
