import { useCallback, useEffect } from "react";
import { useNavigate } from "react-router";
import { logout } from "../api/calls.ts";
import { listenForUnauthorized } from "../api/http.ts";
import { paths } from "../app/paths.ts";
import { STORAGE_KEYS } from "../app/storage.ts";
import { useText } from "../i18n/language.tsx";
import { toast } from "../ui/toast.ts";
import { useWallet } from "../wallet/use-wallet.ts";
import type { SetSignedOutWallet } from "./session.tsx";
import type { SessionToken } from "./session-token.ts";
import { tendPush } from "./tend-push.ts";

/** The action of a toast that leads back to this page after a session that the user did not end. */
function useLogInAgain() {
  const t = useText();
  const navigate = useNavigate();
  return useCallback(() => {
    const here = location.pathname + location.search;
    return {
      label: t("session.logInAgain"),
      onClick: () => navigate(here.startsWith(paths.auth()) ? here : paths.auth(here)),
    };
  }, [navigate, t]);
}

/** Only a 401 ends a session from the server's side. docs/product.md#session-browser */
export function useEndOnUnauthorized({ current, end }: SessionToken): void {
  const t = useText();
  const logInAgain = useLogInAgain();
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
  }, [current, end, logInAgain, t]);
}

export function useOtherTabs(
  { current, setToken, forget, end }: SessionToken,
  setSignedOutWallet: SetSignedOutWallet,
): void {
  const t = useText();
  const logInAgain = useLogInAgain();
  useEffect(() => {
    const follow = (event: StorageEvent) => {
      if (event.key === STORAGE_KEYS.signedOutWallet) setSignedOutWallet(event.newValue ?? undefined);
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
  }, [current, setToken, forget, end, setSignedOutWallet, logInAgain, t]);
}

/** An account change ends a session of another wallet. docs/product.md#account-change */
export function useEndOnOtherWallet({ current, end }: SessionToken, owner: string | undefined): void {
  const t = useText();
  const logInAgain = useLogInAgain();
  const { address } = useWallet();
  useEffect(() => {
    if (!address || !owner || address === owner) return;
    if (current.current) logout().catch(() => {});
    tendPush();
    end();
    toast(t("session.otherWallet"), {
      id: "session",
      description: t("session.otherWallet.detail"),
      action: logInAgain(),
    });
  }, [address, owner, current, end, logInAgain, t]);
}
