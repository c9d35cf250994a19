import { chzTextFromWei } from "../../../core/rules/money.ts";
import { isRecord } from "../../../core/rules/records.ts";
import { shortenAddress } from "../../../core/rules/wallet-address.ts";

type Act = { detail: Record<string, unknown> };

const ROLES: Record<string, string> = {
  DEFAULT_ADMIN_ROLE: "de admin",
  MINTER_ROLE: "de emitir ingressos",
  CONFIRMER_ROLE: "de confirmar",
  CATALOGUE_ROLE: "de cuidar das lojas",
  PAUSER_ROLE: "de pausar",
  TREASURER_ROLE: "de tesouraria",
  PAYER_ROLE: "de pagar",
};

const said = ({ detail }: Act, name: string) => (isRecord(detail) ? String(detail[name] ?? "?") : "?");
const who = (act: Act, name: string) => shortenAddress(said(act, name));
const role = (act: Act) => ROLES[said(act, "role")] ?? said(act, "role");
const chz = (act: Act, name: string) =>
  /^\d+$/.test(said(act, name)) ? chzTextFromWei(BigInt(said(act, name))).replace(".", ",") : "?";
/** "no contrato PurchaseNFT, no bloco 7 (antes da vigia)" */
const place = (act: Act) =>
  `, no contrato ${said(act, "contract")}, no bloco ${said(act, "block")}${act.detail.rang === false ? " (antes da vigia)" : ""}`;

/** What a cold key did on a contract, as the watchman wrote it. */
const ACTS: Record<string, (act: Act) => string> = {
  RoleGranted: (act) => `o papel ${role(act)} foi dado a ${who(act, "account")} por ${who(act, "sender")}`,
  RoleRevoked: (act) => `o papel ${role(act)} foi tirado de ${who(act, "account")} por ${who(act, "sender")}`,
  RoleAdminChanged: (act) => `mudou quem dá o papel ${role(act)}`,
  DefaultAdminTransferScheduled: (act) => `a administração foi oferecida a ${who(act, "newAdmin")}`,
  DefaultAdminTransferCanceled: () => "a oferta da administração foi cancelada",
  DefaultAdminDelayChangeScheduled: (act) => `o prazo da administração será de ${said(act, "newDelay")} s`,
  DefaultAdminDelayChangeCanceled: () => "a mudança do prazo da administração foi cancelada",
  Paused: (act) => `${who(act, "account")} pausou`,
  Unpaused: (act) => `${who(act, "account")} tirou a pausa`,
  Recovered: (act) => `a tesouraria retirou tokens ${who(act, "token")} para ${who(act, "to")}`,
  Succeeded: (act) => `o contrato começou a suceder ${who(act, "predecessor")}`,
  DescriptorSet: (act) => `o desenho dos ingressos agora vem de ${who(act, "descriptor")}`,
  DistributorSet: (act) => `os ingressos agora perguntam a ${who(act, "distributor")} se estão pagos`,
  SiteUrlSet: (act) => `o site dos ingressos agora é ${said(act, "siteUrl")}`,
  MetadataUriCleared: (act) => `a imagem própria do ingresso nº ${said(act, "tokenId")} foi retirada`,
  LimitsSet: (act) =>
    `os limites agora são ${chz(act, "maxPayout")} CHZ por pagamento e ${chz(act, "dailyCap")} CHZ por dia`,
  Retired: () => "o distribuidor foi aposentado para sempre",
  Swept: (act) => `a tesouraria retirou ${chz(act, "amount")} CHZ para ${who(act, "to")}`,
};

export const CHAIN_SENTENCES: Record<string, (act: Act) => string> = {
  ...Object.fromEntries(
    Object.entries(ACTS).map(([event, sentence]) => [
      `chain.${event}`,
      (act: Act) => `viu na chain: ${sentence(act)}${place(act)}`,
    ]),
  ),
  "chain.Deployed": ({ detail }) => `viu na chain: ${String(detail.acts ?? "?")} atos da própria implantação`,
};
