import { useEffect, useState } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import type { Connector } from "wagmi";
import { paths } from "../../app/paths.ts";
import { type MessageId, useText } from "../../i18n/language.tsx";
import { useFormat } from "../../i18n/use-format.ts";
import { Icon } from "../../ui/icon.tsx";
import { useConnectWallet } from "../use-connect-wallet.ts";
import { keptWallet } from "./kept.ts";
import { type Candidate, confirm, createCandidate, findCandidate } from "./opening.ts";
import { PasskeyError } from "./passkey.ts";
import { passkeyProblem } from "./passkey-problem.ts";
import { type PasskeySupport, passkeySupport } from "./support.ts";

/** `create` one, `another` beside the known one, `find` one that exists, `confirm` what was made or found. */
type Act = "create" | "another" | "find" | "confirm";

/** The chooser's entries for the wallet behind a passkey. docs/product.md#wallet-passkey */
export function PasskeyOptions({ connector }: { connector: Connector }) {
  const t = useText();
  const { connectWith } = useConnectWallet();
  const leadOn = useWayToRegistration();
  const { dateTime } = useFormat();
  const can = usePasskeySupport();
  const [busy, setBusy] = useState<Act>();
  const [candidate, setCandidate] = useState<Candidate>();
  const [problem, setProblem] = useState<MessageId>();
  const [isRefusedHere, setRefusedHere] = useState(false);

  async function act(wish: Act): Promise<void> {
    setBusy(wish);
    setProblem(undefined);
    try {
      const found = wish === "confirm" ? candidate : await start(wish);
      setCandidate(found);
      if (found) await confirm(found);
      await connectWith(connector);
      if (found?.isNew) leadOn();
    } catch (error) {
      if (error instanceof PasskeyError && error.reason !== "stopped") setCandidate(undefined);
      setRefusedHere(wish === "create" && keptWallet() !== undefined);
      setProblem(passkeyProblem(error) ?? "passkey.failed");
    } finally {
      setBusy(undefined);
    }
  }

  const start = (wish: "create" | "another" | "find") =>
    wish === "find"
      ? findCandidate()
      : createCandidate(t("passkey.name", { date: dateTime(new Date().toISOString()) }), wish === "another");

  const entries: Act[] = keptWallet() ? ["find", "create"] : ["create", "find"];
  return (
    <>
      {candidate && !busy ? (
        <Entry act="confirm" onClick={() => act("confirm")} isBusy={false} />
      ) : (
        entries
          .filter((one) => one === "find" || can?.create)
          .map((one) => <Entry key={one} act={one} onClick={() => act(one)} isBusy={busy !== undefined} />)
      )}
      {isRefusedHere && !busy && <Entry act="another" onClick={() => act("another")} isBusy={false} />}
      <li className="grid gap-2">
        <div role="status">{busy && <p className="declined">{t(`passkey.${busy}.busy`)}</p>}</div>
        <div role="alert">{problem && <p className="problem">{t(problem)}</p>}</div>
        <p className="muted text-sm">
          {t("passkey.plainly")}{" "}
          <Link className="link" to={paths.help("passkey-wallet")} target="_blank">
            {t("passkey.more")}
          </Link>
        </p>
      </li>
    </>
  );
}

function Entry({ act, onClick, isBusy }: { act: Act; onClick: () => void; isBusy: boolean }) {
  const t = useText();
  return (
    <li>
      <button type="button" className="option" aria-disabled={isBusy} onClick={() => isBusy || onClick()}>
        <span aria-hidden="true" className="option-initial">
          <Icon name={act === "find" ? "wallet" : "person"} />
        </span>
        <span>
          <span className="block font-semibold">{t(`passkey.${act}`)}</span>
          <span className="block text-sm muted">{t(`passkey.${act}.detail`)}</span>
        </span>
      </button>
    </li>
  );
}

/** Undefined until it is known. */
export function usePasskeySupport(): PasskeySupport | undefined {
  const [can, setCan] = useState<PasskeySupport>();
  useEffect(() => {
    let isHere = true;
    passkeySupport().then((answer) => isHere && setCan(answer));
    return () => {
      isHere = false;
    };
  }, []);
  return can;
}

/** Who has just made a wallet goes on to register it, and then to where the reader was going. */
function useWayToRegistration(): () => void {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  return () => {
    if (pathname === paths.auth()) return;
    navigate(paths.auth(pathname === paths.home ? paths.stores : pathname + search));
  };
}
