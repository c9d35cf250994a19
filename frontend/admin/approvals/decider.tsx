import { useSession } from "../../session/session.tsx";
import { ShortWallet, WholeWallet } from "../facts.tsx";

/** Whose decision it was: a wallet, the reader's own, or the services. */
export function Decider({ name, isWhole = false }: { name: string; isWhole?: boolean }) {
  const wallet = useSession().profile?.wallet.toLowerCase();
  if (name === wallet) return "Você";
  if (name === "service") return "Serviços";
  return isWhole ? <WholeWallet address={name} /> : <ShortWallet address={name} />;
}
