import { useSession } from "../../session/session.tsx";
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
