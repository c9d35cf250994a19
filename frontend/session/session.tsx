import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { logout } from "../api/calls.ts";
import { meQuery } from "../api/queries.ts";
import type { Profile } from "../api/shapes.ts";
import { isFirstPage } from "../app/page.tsx";
import { forgetSession, readStored, STORAGE_KEYS, store } from "../app/storage.ts";
import { useText } from "../i18n/language.tsx";
import { toast } from "../ui/toast.ts";
import { dropDrafts } from "./drafts.ts";
import { type SessionToken, useSessionToken } from "./session-token.ts";
import { tendPush } from "./tend-push.ts";
import { useEndOnOtherWallet, useEndOnUnauthorized, useOtherTabs } from "./use-session-ends.ts";

/**
 * `restoring`: a token exists and its profile is loading. `unreachable`: it could not be loaded, and the token is kept.
 * docs/product.md#session-browser.
 */
export type SessionStatus = "anonymous" | "restoring" | "unreachable" | "ready";

export type Session = {
  status: SessionStatus;
  profile: Profile | undefined;
  /** Keeps the token and loads the profile. */
  begin: (token: string) => Promise<Profile>;
  /** Reloads the profile; undefined if the session has ended in the meantime. */
  refresh: () => Promise<Profile | undefined>;
  /** Why the profile could not be loaded, and another try. */
  retry: { error: Error | null; refetch: () => unknown; isFetching: boolean };
  signOut: () => void;
  /** Forgets a session that the server has ended, and says why. */
  leave: (why: string) => void;
  /** The wallet that last logged out, which is asked for a signature only after a click. */
  signedOutWallet: string | undefined;
};

const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession must be called inside a SessionProvider");
  return session;
}

const RECOVERY_MS = 10_000;

export function SessionProvider({ children }: { children: ReactNode }) {
  const session = useSessionToken();
  const { token } = session;
  const [signedOutWallet, setSignedOutWallet] = useState(() => readStored(STORAGE_KEYS.signedOutWallet) ?? undefined);
  const me = useQuery({
    ...meQuery(token),
    enabled: token !== null,
    staleTime: 5_000,
    // Retried until there is a profile.
    refetchInterval: ({ state }) => (state.status === "error" && state.data === undefined ? RECOVERY_MS : false),
  });
  const profile = token === null ? undefined : me.data;
  useEndOnUnauthorized(session);
  useOtherTabs(session, setSignedOutWallet);
  const owner = profile?.wallet;
  useEndOnOtherWallet(session, owner);
  useEffect(() => {
    if (owner) tendPush(owner);
  }, [owner]);
  const { begin, refresh } = useLoading(session, setSignedOutWallet);
  const leave = useLeave(session, profile, setSignedOutWallet);
  const signOut = useSignOut(token, leave);

  const status: SessionStatus =
    token === null ? "anonymous" : profile ? "ready" : me.isError ? "unreachable" : "restoring";
  // With a profile it would render at every poll.
  const isTrying = status === "unreachable" && me.isFetching;
  const value = useMemo(
    () => ({
      status,
      profile,
      begin,
      refresh,
      retry: { error: me.error, refetch: me.refetch, isFetching: isTrying },
      signOut,
      leave,
      signedOutWallet,
    }),
    [status, profile, begin, refresh, me.error, me.refetch, isTrying, signOut, leave, signedOutWallet],
  );
  return <SessionContext value={value}>{children}</SessionContext>;
}

export type SetSignedOutWallet = (wallet: string | undefined) => void;

/** Loads the profile for a new token, or again for the current one. */
function useLoading({ current, setToken }: SessionToken, setSignedOutWallet: SetSignedOutWallet) {
  const client = useQueryClient();
  const begin = useCallback(
    async (next: string) => {
      store(STORAGE_KEYS.token, next);
      current.current = next;
      const loaded = await client.fetchQuery({ ...meQuery(next), staleTime: 0 });
      store(STORAGE_KEYS.signedOutWallet, null);
      setSignedOutWallet(undefined);
      setToken(next);
      return loaded;
    },
    [client, current, setToken, setSignedOutWallet],
  );
  const refresh = useCallback(async () => {
    const asked = current.current;
    try {
      return await client.fetchQuery({ ...meQuery(asked), staleTime: 0 });
    } catch (error) {
      if (current.current !== asked) return undefined;
      throw error;
    }
  }, [client, current]);
  return { begin, refresh };
}

function useSignOut(token: string | null, leave: Session["leave"]): () => void {
  const t = useText();
  return useCallback(() => {
    // Also ends the session on the server; if that fails, it expires there.
    if (token) logout().catch(() => {});
    leave(t("session.signedOut"));
  }, [leave, t, token]);
}

function useLeave(
  { end }: SessionToken,
  profile: Profile | undefined,
  setSignedOutWallet: SetSignedOutWallet,
): Session["leave"] {
  const t = useText();
  return useCallback(
    (why) => {
      const wallet = profile?.wallet ?? readStored(STORAGE_KEYS.currentWallet) ?? undefined;
      // Before the token: other tabs that see it go must already know not to ask this wallet.
      if (wallet) store(STORAGE_KEYS.signedOutWallet, wallet);
      try {
        forgetSession();
      } catch {
        toast.error(t("session.signOutFailed"), { id: "session", description: t("session.signOutFailed.detail") });
        return;
      }
      dropDrafts();
      tendPush();
      setSignedOutWallet(wallet);
      end();
      toast.success(why, { id: "session" });
    },
    [end, profile, setSignedOutWallet, t],
  );
}

/** Polls the profile on the page that shows it, at the interval of `intervalMs`. */
export function useLiveProfile(intervalMs: (profile: Profile) => number): void {
  const token = readStored(STORAGE_KEYS.token);
  useQuery({
    ...meQuery(token),
    enabled: token !== null,
    staleTime: 5_000,
    // A purchase may be newer than the profile; on the first page, the profile was asked for a moment ago.
    refetchOnMount: isFirstPage() ? true : "always",
    // Reloads visible data after sleep, in another tab, or when the connection is back.
    refetchOnWindowFocus: "always",
    refetchOnReconnect: "always",
    refetchInterval: ({ state }) => (state.data ? intervalMs(state.data) : false),
    // The session's own query renders what has changed.
    notifyOnChangeProps: [],
  });
}
