import type { PurchaseNft } from "../../core/rules/api/people.ts";
import { cashbackGwei } from "../../core/rules/cashback.ts";
import { readPercentText, readReaisText } from "../../core/rules/money.ts";
import { DEFAULT_WEI_PER_CENT } from "../../core/rules/product.ts";
import { CHAIN_STATUS, type PurchaseStatus } from "../../core/rules/purchase/life.ts";
import type { TicketRecord } from "../chain/ticket-differences.ts";

/** A ticket's attributes, parsed; a missing Status is Pending. docs/product.md#ticket-attributes. */
export type NftFacts = {
  store: string;
  valueText: string;
  valueCents: bigint | undefined;
  percentText: string;
  cashbackBps: bigint | undefined;
  /** The part of it that is the fan token's bonus. */
  bonusBps: bigint | undefined;
  /** `returned`: it was confirmed, and its return is final. */
  status: Exclude<PurchaseStatus, "processing"> | "returned";
  buyer: string;
};

export function nftFacts(nft: PurchaseNft): NftFacts {
  const attribute = (type: string) => nft.metadata.attributes.find((one) => one.trait_type === type)?.value ?? "";
  const valueText = attribute("Valor da Compra");
  const percentText = attribute("Cashback");
  return {
    store: attribute("Loja") || nft.metadata.name || nft.name,
    valueText,
    valueCents: readReaisText(valueText),
    percentText,
    cashbackBps: readPercentText(percentText),
    // 1.1.0 adds that the total contains it.
    bonusBps: readPercentText(attribute("Bônus").replace(" (incluído)", "") || "0%"),
    status: readStatus(attribute("Status")),
    buyer: attribute("Comprador"),
  };
}

/** What a contract says of a ticket; undefined where it has none, or a status that this page does not know. */
export function chainFacts(record: TicketRecord, said: NftFacts): NftFacts | undefined {
  const status = TICKET_STATUSES.find((one) => CHAIN_STATUS[one] === record.status);
  if (!status) return undefined;
  return {
    store: record.storeName || `Loja ${record.storeId}`,
    valueText: "",
    valueCents: BigInt(record.valueCents),
    percentText: "",
    cashbackBps: BigInt(record.baseBps + record.bonusBps),
    bonusBps: BigInt(record.bonusBps),
    status,
    // A burnt ticket names nobody: whose it was, the site says.
    buyer: BigInt(record.buyer) === 0n ? said.buyer : record.buyer,
  };
}
const TICKET_STATUSES = ["pending", "confirmed", "cancelled", "returned"] as const;

/** Pending and Pendente, and Confirmed and Confirmado, are synonyms. */
export function readStatus(text: string): NftFacts["status"] {
  const word = text.trim().toLowerCase();
  if (word.startsWith("confirm")) return "confirmed";
  if (word.startsWith("return")) return "returned";
  return word.startsWith("cancel") ? "cancelled" : "pending";
}

export function factsGwei({ valueCents, cashbackBps }: NftFacts, weiPerCent = DEFAULT_WEI_PER_CENT): bigint {
  return cashbackGwei({ valueCents: valueCents ?? 0n, totalBps: cashbackBps ?? 0n, weiPerCent });
}
