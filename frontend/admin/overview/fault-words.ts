import { ownValue } from "../../../domain/records.ts";
import type { FaultName } from "../../../domain/system-faults.ts";
import { viewHref } from "../list/list-address.ts";

/** What is wrong with the installation; its reason follows, in the system's own English. */
const FAULT_WORDS: Readonly<Record<FaultName, string>> = {
  database_away: "O banco de dados não responde",
  database_unwritable: "O banco de dados não grava",
  chain_away: "A rede não responde",
  wallet_empty: "Uma carteira não consegue pagar as taxas",
  rate_missing: "Não há cotação",
  index_incomplete: "O índice da rede ainda não está completo",
  operations_paused: "Transações pausadas",
  operations_stand: "Há transações paradas",
  operations_wait: "Há transações esperando",
  operations_failed: "Há transações que falharam",
  operations_refused: "Há transações recusadas",
  payouts_wait: "Há pagamentos esperando",
  sender_waits: "O envio de transações está esperando",
  purchase_undecided: "Uma compra está parada por um erro",
  foreign_transaction: "Uma transação de fora usou uma das nossas chaves",
  network_unread: "Não conseguimos ler uma conta em rede de afiliados",
  network_budget: "Uma conta em rede de afiliados tem chamadas de menos",
  backup_old: "O último backup é antigo",
  backup_copy_old: "A última cópia de backup em outra máquina é antiga",
  clock_off: "O relógio do servidor está errado",
  certificate_ends: "O certificado do site está no fim",
};

/** A page that is older than the server does not know every fault. */
export function faultWords(name: string): string {
  return ownValue(FAULT_WORDS, name) ?? "Há uma falha na instalação";
}

/** Where the panel has more about it. */
export function faultHref(name: string): string {
  return viewHref({ view: name.startsWith("network_") ? "sales" : "operations" });
}
