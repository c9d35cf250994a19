import { expect } from "chai";
import pino from "pino";
import { Metrics } from "../../api/operations/metrics.ts";
import { keySigner } from "../../core/process/signer.ts";
import { openAccount } from "../../core/sender/account.ts";
import { Sender, Senders } from "../../core/sender/sender.ts";
import { isHanging, type SenderOptions } from "../../core/sender/sender-context.ts";
import { onBothEngines } from "../testing/databases.ts";
import { standIn } from "../testing/stand-in.ts";
import { until } from "../testing/until.ts";

const TWO_MINUTES_MS = 120_000;

describe("A sender", () => {
  onBothEngines(({ open }) => {
    it("whose round does not end for two minutes is none that sends, until it ends", async () => {
      const { database } = await open();
      const { promise: planned, resolve: endPlanning } = Promise.withResolvers<boolean>();
      let plans = 0;
      const sender = new Sender(
        standIn<SenderOptions>({
          ...{ database, key: "operator", account: openAccount(keySigner(`0x${"5".repeat(64)}`)), siblings: [] },
          planner: { plan: () => (plans++ === 0 ? planned : Promise.reject(new Error("It ends"))) },
          ...{ encoders: [], kinds: new Set(), pollMs: 60_000, blockMs: 60_000, log: pino({ level: "silent" }) },
        }),
      );
      const senders = new Senders([sender], [standIn({ name: "operator" })]);
      const metrics = new Metrics(senders, standIn({}), standIn({}), standIn({}));
      const countsAsSender = async () =>
        (await metrics.registry.getSingleMetricAsString("torcida_sender_leader")).endsWith('{key="operator"} 1');
      senders.start();
      await until("it plans", async () => plans === 1);
      expect([isHanging(sender.status), await countsAsSender()]).to.deep.equal([false, true]);
      const { roundBeganAt = 0 } = sender.status;
      sender.status.roundBeganAt = roundBeganAt - TWO_MINUTES_MS;
      expect([isHanging(sender.status), await countsAsSender()]).to.deep.equal([true, false]);
      endPlanning(false);
      await until("the round ends", async () => sender.status.roundBeganAt === undefined);
      expect([isHanging(sender.status), await countsAsSender()]).to.deep.equal([false, true]);
      await senders.stop();
      expect(await countsAsSender()).to.equal(false);
    });
  });
});
