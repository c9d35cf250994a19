import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { ADMIN_KEY, ME_KEY, OWN_KEY } from "../api/queries.ts";
import { readStored, STORAGE_KEYS, store } from "../app/storage.ts";

export type SessionToken = ReturnType<typeof useSessionToken>;

/** The session's token, shared with the browser's other tabs by the storage. Everything but `token` never changes. */
export function useSessionToken() {
  const client = useQueryClient();
  const [token, setToken] = useState(() => readStored(STORAGE_KEYS.token));
  /** The token that calls send, which `end` changes before the next render. */
  const current = useRef(token);
  current.current = token;

  /**
   * Drops everything that belongs to the session's user, so that nobody else can see it or save what the forms show.
   */
  const forget = useCallback(() => {
    for (const queryKey of [ME_KEY, ADMIN_KEY, OWN_KEY]) client.removeQueries({ queryKey });
  }, [client]);

  const end = useCallback(() => {
    store(STORAGE_KEYS.token, null);
    current.current = null;
    setToken(null);
    forget();
  }, [forget]);

  return { token, current, setToken, forget, end };
}
