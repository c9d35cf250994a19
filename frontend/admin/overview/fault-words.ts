import { ownValue } from "../../../core/rules/records.ts";
import type { FaultName } from "../../../core/rules/system-faults.ts";
import { viewHref } from "../list/list-address.ts";

/** What is wrong with the installation, and what to do about it. */
const FAULT_WORDS: Readonly<Record<FaultName, readonly [what: string, help: string]>> = {
  database_away: ["O banco de dados não responde", "Confira o servidor do banco de dados. Nada se perde; tudo espera."],
  database_unwritable: [
    "O banco de dados não grava",
    "Confira espaço em disco e permissões. Nada se perde; tudo espera.",
  ],
  chain_away: ["A rede Chiliz não responde", "Confira os nós da rede configurados. Ingressos e pagamentos esperam."],
  wallet_empty: ["Uma carteira não consegue pagar as taxas", "Envie CHZ a ela; o envio segue sozinho."],
  rate_missing: ["Não há cotação do CHZ", "Confira a fonte da cotação. Pagamentos novos esperam."],
  index_incomplete: ["A leitura da rede ainda não está completa", "Costuma terminar sozinha; os saldos podem atrasar."],
  operations_paused: ["Transações pausadas", "Veja o motivo em Transações."],
  operations_stand: ["Há transações paradas", "Veja o motivo em Transações."],
  operations_wait: ["Há transações esperando há tempo demais", "Veja o motivo em Transações."],
  operations_failed: ["Há transações que falharam", "Veja o motivo em Transações e tente de novo."],
  operations_refused: ["Há transações recusadas", "Veja o motivo em Transações e tente de novo."],
  payouts_wait: ["Há pagamentos esperando há tempo demais", "Veja o motivo em Pagamentos."],
  sender_waits: ["O envio de transações está esperando", "Nada se perde: segue quando o motivo acabar."],
  purchase_undecided: [
    "Uma compra está parada por um erro",
    "O servidor tenta de novo; quem cuida dele vê o erro no registro.",
  ],
  foreign_transaction: [
    "Uma transação de fora usou uma das nossas chaves",
    "A chave pode ter vazado: pause os pagamentos e troque-a.",
  ],
  network_unread: [
    "Não conseguimos ler uma conta em rede de afiliados",
    "Confira a senha da conta na rede. Vendas novas atrasam.",
  ],
  network_budget: [
    "Uma conta em rede de afiliados tem chamadas de menos",
    "Peça à rede um limite maior. Vendas novas atrasam.",
  ],
  account_credit: [
    "Uma conta de loja usou o seu crédito",
    "As vendas dela esperam. Lance o que ela já pagou em Contas.",
  ],
  node_budget: [
    "O provedor da rede Chiliz aceita chamadas de menos",
    "Tudo segue, mais devagar. Contrate um limite maior ou acrescente um provedor.",
  ],
  backup_old: ["A última cópia de segurança é antiga", "Confira a tarefa que faz as cópias."],
  backup_copy_old: ["A cópia de segurança em outra máquina é antiga", "Confira a tarefa que envia as cópias."],
  clock_off: ["O relógio do servidor está errado", "Acerte a hora do servidor: prazos e assinaturas dependem dela."],
  one_node: [
    "Um só provedor de nó diz tudo sobre a rede",
    "Acrescente em RPC_URLS o nó de outro provedor: assim ninguém decide sozinho quem entra por contrato ou ganha bônus.",
  ],
  staff_contract: [
    "Uma carteira da equipe é um contrato e não consegue entrar",
    "Acrescente :contract a ela em ADMIN_WALLETS e reinicie a api.",
  ],
  open_files: [
    "O servidor está perto do limite de conexões e arquivos",
    "Quem cuida dele vê no registro de onde vêm as chamadas.",
  ],
  memory: ["O servidor está perto do limite de memória", "Quem cuida dele pode reiniciá-lo sem perder nada."],
  loop_lag: ["O servidor ficou mais de um segundo sem responder", "Quem cuida dele vê no registro o que o ocupou."],
  certificate_ends: ["O certificado do site está no fim", "Renove-o antes que os navegadores recusem o site."],
};

/** A page that is older than the server does not know every fault. */
export function faultWords(name: string): readonly [what: string, help: string] {
  return ownValue(FAULT_WORDS, name) ?? ["Há uma falha na instalação", "O detalhe técnico diz qual."];
}

/** Where the panel has more about it. */
export function faultHref(name: string): string {
  return viewHref({
    view:
      name === "account_credit"
        ? "accounts"
        : name.startsWith("network_")
          ? "sales"
          : name.startsWith("payouts_")
            ? "payments"
            : "operations",
  });
}
