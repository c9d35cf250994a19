import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { getMe, logout } from "../api/calls.ts";
import { listenForUnauthorized } from "../api/http.ts";
import { isWorthRetrying } from "../api/queries.ts";
import type { Profile } from "../api/shapes.ts";
import { paths } from "../app/paths.ts";
import { forgetSession, readStored, STORAGE_KEYS, store } from "../app/storage.ts";
import { useText } from "../i18n/language.tsx";
import { toast } from "../ui/toast.ts";
import { useWallet } from "../wallet/wallet.tsx";
import { dropDrafts } from "./drafts.ts";

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
  /** Why the profile could not be loaded. */
  failure: Error | null;
  isLoading: boolean;
  /** When the profile was loaded; 0 if it was not. */
  loadedAt: number;
  signOut: () => void;
  /** The wallet that last logged out, which is asked for a signature only after a click. */
  signedOutWallet: string | undefined;
};

const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession must be called inside a SessionProvider");
  return session;
}

/** How often loading the profile is retried. */
const RECOVERY_MS = 10_000;

const meKey = (token: string | null) => ["me", token] as const;

export function SessionProvider({ children }: { children: ReactNode }) {
  const t = useText();
  const client = useQueryClient();
  const { address } = useWallet();
  const [token, setToken] = useState(() => readStored(STORAGE_KEYS.token));
  const [signedOutWallet, setSignedOutWallet] = useState(() => readStored(STORAGE_KEYS.signedOutWallet) ?? undefined);
  const current = useRef(token);
  current.current = token;

  const me = useQuery({
    queryKey: meKey(token),
    queryFn: getMe,
    enabled: token !== null,
    staleTime: 5_000,
    // Temporary failures are retried.
    retry: isWorthRetrying,
    // Retried until there is a profile.
    refetchInterval: ({ state }) => (state.status === "error" && state.data === undefined ? RECOVERY_MS : false),
  });
  const profile = token === null ? undefined : me.data;

  /**
   * Drops everything that belongs to the session's user, so that nobody else can see it or save what the forms show.
   */
  const forget = useCallback(() => {
    client.removeQueries({
      predicate: ({ queryKey }) => queryKey[0] === "me" || queryKey[0] === "is-admin" || queryKey[0] === "own",
    });
  }, [client]);
  const end = useCallback(() => {
    store(STORAGE_KEYS.token, null);
    current.current = null;
    setToken(null);
    forget();
  }, [forget]);

  const navigate = useNavigate();
  /** Leads back to this page after a session that the user did not end. */
  const logInAgain = useCallback(() => {
    const here = location.pathname + location.search;
    return {
      label: t("session.logInAgain"),
      onClick: () => navigate(here.startsWith(paths.auth()) ? here : paths.auth(here)),
    };
  }, [navigate, t]);

  useEffect(() => {
    listenForUnauthorized((refused) => {
      if (!refused || refused !== current.current) return;
      end();
      toast.error(t("session.expired"), {
        id: "session-expired",
        description: t("session.expired.detail"),
        action: logInAgain(),
      });
    });
  }, [end, logInAgain, t]);

  // Another tab logged in or out.
  useEffect(() => {
    const follow = (event: StorageEvent) => {
      if (event.key !== STORAGE_KEYS.token || event.newValue === current.current) return;
      if (event.newValue) {
        setToken(event.newValue);
        forget();
      } else {
        end();
        toast(t("session.endedElsewhere"), { id: "session-expired", action: logInAgain() });
      }
    };
    addEventListener("storage", follow);
    return () => removeEventListener("storage", follow);
  }, [end, forget, logInAgain, t]);

  const signOut = useCallback(() => {
    // Also ends the session on the server; if that fails, it expires there.
    if (token) logout().catch(() => {});
    try {
      forgetSession();
    } catch {
      toast.error(t("session.signOutFailed"), { id: "session", description: t("session.signOutFailed.detail") });
      return;
    }
    dropDrafts();
    if (profile) store(STORAGE_KEYS.signedOutWallet, profile.wallet);
    setSignedOutWallet(profile?.wallet);
    end();
    toast.success(t("session.signedOut"), { id: "session" });
  }, [end, profile, t, token]);

  // An account change ends a session of another wallet. docs/product.md#account-change
  const owner = profile?.wallet;
  useEffect(() => {
    if (!address || !owner || address === owner) return;
    if (current.current) logout().catch(() => {});
    end();
    toast(t("session.otherWallet"), {
      id: "session",
      description: t("session.otherWallet.detail"),
      action: logInAgain(),
    });
  }, [address, owner, end, logInAgain, t]);

  const begin = useCallback(
    async (next: string) => {
      store(STORAGE_KEYS.token, next);
      current.current = next;
      const loaded = await client.fetchQuery({
        queryKey: meKey(next),
        queryFn: getMe,
        retry: isWorthRetrying,
        staleTime: 0,
      });
      store(STORAGE_KEYS.signedOutWallet, null);
      setSignedOutWallet(undefined);
      setToken(next);
      return loaded;
    },
    [client],
  );

  const refresh = useCallback(async () => {
    const asked = current.current;
    try {
      return await client.fetchQuery({ queryKey: meKey(asked), queryFn: getMe, retry: isWorthRetrying, staleTime: 0 });
    } catch (error) {
      if (current.current !== asked) return undefined;
      throw error;
    }
  }, [client]);

  // Only a 401 ends a session, and `end` has been called by then. docs/product.md#session-browser
  const status: SessionStatus =
    token === null ? "anonymous" : profile ? "ready" : me.isError ? "unreachable" : "restoring";
  const value = useMemo(
    () => ({
      status,
      profile,
      begin,
      refresh,
      failure: me.error,
      isLoading: me.isFetching,
      loadedAt: me.dataUpdatedAt,
      signOut,
      signedOutWallet,
    }),
    [status, profile, begin, refresh, me.error, me.isFetching, me.dataUpdatedAt, signOut, signedOutWallet],
  );
  return <SessionContext value={value}>{children}</SessionContext>;
}

/** Polls the profile on the page that shows it, at the interval of `intervalMs`. */
export function useLiveProfile(intervalMs: (profile: Profile) => number): void {
  const token = readStored(STORAGE_KEYS.token);
  useQuery({
    queryKey: meKey(token),
    queryFn: getMe,
    enabled: token !== null,
    retry: isWorthRetrying,
    staleTime: 5_000,
    refetchOnMount: "always",
    // Reloads visible data after sleep, in another tab, or when the connection is back.
    refetchOnWindowFocus: "always",
    refetchOnReconnect: "always",
    refetchInterval: ({ state }) => (state.data ? intervalMs(state.data) : false),
  });
}
