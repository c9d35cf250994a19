import type { Permission } from "../../../domain/roles.ts";
import { useSession } from "../../session/session.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { ShortWallet, WalletName, WholeWallet } from "../facts.tsx";

const LOOKS = { cell: ShortWallet, sentence: WalletName, whole: WholeWallet };

/** Whose decision it was: a wallet, the reader's own, or the services. */
export function Decider({ name, look = "cell" }: { name: string; look?: keyof typeof LOOKS }) {
  const wallet = useSession().profile?.wallet.toLowerCase();
  if (name === wallet) return "Você";
  if (name === "service") return "Serviços";
  const Wallet = LOOKS[look];
  return <Wallet address={name} />;
}

type ApproveOrRefuseProps = {
  permission: Permission;
  /** Whether the reader asked for it, and somebody else decides. */
  isOwn: boolean;
  isAll?: boolean;
  what: string;
  onDecide: (verb: "approve" | "refuse") => void;
};

/** The decision on what another person asked for. */
export function ApproveOrRefuse({ permission, isOwn, isAll = false, what, onDecide }: ApproveOrRefuseProps) {
  if (isOwn) return <span className="row-note">Espera outra pessoa.</span>;
  return (
    <>
      <PermittedButton permission={permission} className="button button-small" onClick={() => onDecide("approve")}>
        {isAll ? "Aprovar todos" : "Aprovar"}
        <span className="sr-only"> – {what}</span>
      </PermittedButton>
      <PermittedButton permission={permission} onClick={() => onDecide("refuse")}>
        {isAll ? "Recusar todos" : "Recusar"}
        <span className="sr-only"> – {what}</span>
      </PermittedButton>
    </>
  );
}
