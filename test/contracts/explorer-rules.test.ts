import { expect } from "chai";
import { aPurchase, CENT_WEI, freshSystem, item, read, type System, send } from "./support/system.ts";

type Json = Record<string, unknown>;

const HEAD = "data:application/json;base64,";
const PICTURE = "data:image/svg+xml;base64,";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const FIRST_LETTER = /^\p{Lu}/u;

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const attributesOf = ({ attributes }: Json) => (Array.isArray(attributes) ? attributes : []) as Json[];

/**
 * How Blockscout reads a token, in our words: the backend's `metadata_retriever.ex` and `nft_helper.ex`, and the frontend's
 * `parseMetadata.ts` and `attributesParser.ts` (github.com/blockscout, November 2026). What does not meet one of these is shown
 * otherwise, fetched from somewhere, or not at all.
 */
const OF_URIS: Record<string, (uri: string) => boolean> = {
  "is data that it decodes, no address that it would fetch": (uri) => uri.startsWith(HEAD),
  "is base64 without a gap, with its padding": (uri) => BASE64.test(uri.slice(HEAD.length)),
  "is no text that it takes for an address or an IPFS path": (uri) => jsonOf(uri).startsWith("{"),
  "has no zero byte, which it would drop": (uri) => !jsonOf(uri).includes("\0"),
  "has no {id}, which it would replace": (uri) => !jsonOf(uri).includes("{id}"),
  "is UTF-8 whose JSON is an object": (uri) => {
    const parsed: unknown = JSON.parse(jsonOf(uri));
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  },
};
const OF_BOTH: Record<string, (metadata: Json) => boolean> = {
  "has a name that is text": ({ name }) => isText(name),
  "has a description that is text": ({ description }) => isText(description),
  "has a picture under the name that it asks last": ({ image }) => isText(image),
  "has no animation_url or image_url, which would be shown instead": (metadata) =>
    !("animation_url" in metadata || "image_url" in metadata),
  "has a picture that it takes as it is, not in the utf8 form that it decodes": ({ image }) =>
    String(image).startsWith(PICTURE) && BASE64.test(String(image).slice(PICTURE.length)),
};
const OF_TICKETS: Record<string, (metadata: Json) => boolean> = {
  "links to its own page": ({ external_url }) => isText(external_url) && URL.canParse(external_url),
  "has a list of attributes": ({ attributes }) => Array.isArray(attributes) && attributes.length > 0,
  "drops no attribute: each value is text": (metadata) => attributesOf(metadata).every(({ value }) => isText(value)),
  "calls each by its own word, in capitals as it is": (metadata) =>
    attributesOf(metadata).every(({ trait_type }) => isText(trait_type) && FIRST_LETTER.test(trait_type)),
  "formats none as a boost or a date": (metadata) => attributesOf(metadata).every((one) => !("display_type" in one)),
  "makes no link of an attribute": (metadata) =>
    attributesOf(metadata).every(
      ({ trait_type, value }) => !/url/i.test(String(trait_type)) && !String(value).startsWith("http"),
    ),
};

function jsonOf(uri: string): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(uri.slice(HEAD.length), "base64"));
}

describe("A ticket at Blockscout", () => {
  let system: System;
  const uris: Record<string, string> = {};
  before(async () => {
    system = await freshSystem();
    const { nft, confirmer } = system;
    await system.mint(...[1n, 2n, 3n, 4n, 5n].map((id) => aPurchase({ id, buyer: system.buyer.address })));
    await system.confirm(2n, 4n, 5n);
    await send(nft, "cancel", [[3n]], confirmer);
    await send(nft, "markReturned", [[4n]], confirmer);
    await send(system.distributor, "payBatch", [[item(5n, 1n)], CENT_WEI], system.payer);
    for (const [index, name] of ["pending", "confirmed", "cancelled", "returned", "paid"].entries())
      uris[name] = await read<string>(nft, "tokenURI", BigInt(index) + 1n);
  });

  const holds = (rules: Record<string, (given: never) => boolean>, given: (uri: string) => unknown) => {
    for (const [rule, isMet] of Object.entries(rules)) {
      it(rule, () => {
        for (const [name, uri] of Object.entries(uris)) expect(isMet(given(uri) as never), name).to.equal(true);
      });
    }
  };
  const parsed = (uri: string) => JSON.parse(jsonOf(uri)) as Json;
  holds(OF_URIS, (uri) => uri);
  holds(OF_BOTH, parsed);
  holds(OF_TICKETS, parsed);

  it("is of a collection that is read by the same rules", async () => {
    const uri = await read<string>(system.nft, "contractURI");
    for (const [rule, isMet] of Object.entries(OF_URIS)) expect(isMet(uri), rule).to.equal(true);
    for (const [rule, isMet] of Object.entries(OF_BOTH)) expect(isMet(parsed(uri)), rule).to.equal(true);
    expect(parsed(uri).external_link).to.equal("https://torcida.example/");
  });
});
