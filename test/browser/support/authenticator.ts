import type { CDPSession, Page } from "playwright-core";

export type Authenticator = {
  cdp: CDPSession;
  id: string;
  /** The ids of its passkeys, in base64. */
  passkeys: () => Promise<string[]>;
  remove: (credentialId: string) => Promise<void>;
  /** Whether the finger is the owner's; otherwise it is refused. */
  recognise: (isOwner: boolean) => Promise<void>;
};

/** Gives the page Chromium's own virtual authenticator: face, finger and passkeys of a phone. */
export async function giveAuthenticator(page: Page, { hasPrf = true } = {}): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId: id } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", ctap2Version: "ctap2_1", transport: "internal", hasPrf },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return {
    cdp,
    id,
    async passkeys() {
      const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId: id });
      return credentials.map(({ credentialId }) => credentialId);
    },
    async remove(credentialId) {
      await cdp.send("WebAuthn.removeCredential", { authenticatorId: id, credentialId });
    },
    async recognise(isUserVerified) {
      await cdp.send("WebAuthn.setUserVerified", { authenticatorId: id, isUserVerified });
    },
  };
}
