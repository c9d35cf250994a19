import { useQuery } from "@tanstack/react-query";
import { NETWORK_ACTOR } from "../../../core/rules/proposals.ts";
import { useSession } from "../../session/session.tsx";
import { PermittedButton, roleQuery } from "../decisions/permissions.tsx";
import { ShortWallet, WalletName, WholeWallet } from "../facts.tsx";
import style from "../list/admin-list.module.css";
import { t } from "../texts.ts";

const LOOKS = { cell: ShortWallet, sentence: WalletName, whole: WholeWallet };

/** Whose decision it was: a wallet, the reader's own, or the services. */
export function Decider({ name, look = "cell" }: { name: string; look?: keyof typeof LOOKS }) {
  const wallet = useSession().profile?.wallet.toLowerCase();
  if (name === wallet) return t("you");
  if (name === "service") return t("services");
  if (name === NETWORK_ACTOR) return t("networkAsker");
  const Wallet = LOOKS[look];
  return <Wallet address={name} />;
}

type ApproveOrRefuseProps = {
  permission: "catalogue" | "payments";
  /** Who asked for it or would receive it: somebody else decides. */
  parties: readonly string[];
  isAll?: boolean;
  what: string;
  onDecide: (verb: "approve" | "refuse") => void;
};

/** The decision on what another person asked for. */
export function ApproveOrRefuse({ permission, parties, isAll = false, what, onDecide }: ApproveOrRefuseProps) {
  const wallet = useSession().profile?.wallet.toLowerCase() ?? "";
  const others = useQuery(roleQuery).data?.approvers[permission];
  if (parties.includes(wallet)) {
    const isNobody = others?.every((one) => parties.includes(one)) ?? false;
    return <span className={style.note}>{isNobody ? t("nobodyElse") : t("waitsForOther")}</span>;
  }
  return (
    <>
      <PermittedButton permission={permission} className="button button-small" onClick={() => onDecide("approve")}>
        {isAll ? t("approveAll") : t("approve")}
        <span className="sr-only"> – {what}</span>
      </PermittedButton>
      <PermittedButton permission={permission} onClick={() => onDecide("refuse")}>
        {isAll ? t("refuseAll") : t("refuse")}
        <span className="sr-only"> – {what}</span>
      </PermittedButton>
    </>
  );
}
