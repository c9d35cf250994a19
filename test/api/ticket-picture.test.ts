import { expect } from "chai";
import { encodeFunctionResult, type Hex } from "viem";
import type { Services } from "../../api/services.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { PLAIN_TICKET } from "../testing/plain-purchase.ts";
import { standIn } from "../testing/stand-in.ts";
import { Caller } from "./support/caller.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

/** docs/product.md#node-questions */
describe("A ticket's picture", () => {
  onEitherEngine(({ open }) => {
    let api: InProcessApi;
    before(async () => {
      const { database } = await open();
      api = await startInProcess(database);
    });
    after(() => api.stop());

    const uri = (result: string) => encodeFunctionResult({ abi: purchaseNftAbi, functionName: "tokenURI", result });
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    const json = (text: string) => uri(`data:application/json;base64,${base64(text)}`);

    it("is what one node says, and none where that is no picture of our contract's", async () => {
      const said: (Hex | null)[] = [
        ...[json("{"), json(""), json("null"), json('{"image":7}'), json("[]"), uri("https://elsewhere.example/1")],
        ...[json('{"image":"data:image/svg+xml;base64,"}'), "0x" as const, "0xff" as const, null],
        json(JSON.stringify({ image: `data:image/svg+xml;base64,${base64("<svg/>")}` })),
      ];
      const statuses: number[] = [];
      for (const [index, shown] of said.entries()) {
        const token_id = BigInt(index + 1);
        await api.services.database.kysely
          .insertInto("nfts")
          .values({ ...PLAIN_TICKET, token_id })
          .execute();
        const everyNode = standIn<Services["everyNode"]>({ claimed: async () => ({ shown: [shown] }), calls: [] });
        Object.assign(api.services, { everyNode });
        statuses.push((await new Caller(api.url).get(`/api/nfts/${token_id}/image`)).status);
      }
      expect(statuses.slice(0, 7)).to.deep.equal(Array(7).fill(404));
      expect(statuses.slice(7, 9), "no answer of a contract").to.deep.equal([503, 503]);
      expect(statuses.slice(9)).to.deep.equal([404, 200]);
    });
  });
});
