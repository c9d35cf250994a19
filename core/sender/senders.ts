import type { SigningKey } from "../process/signing-keys.ts";
import type { Sender } from "./sender.ts";

/** The senders of this process, one per key it signs with. */
export class Senders {
  /** The operator's first. */
  readonly all: readonly Sender[];
  /** Every configured key, also those that other processes sign with; the operator's first. */
  readonly keys: readonly SigningKey[];

  constructor(all: readonly Sender[], keys: readonly SigningKey[]) {
    this.all = all;
    this.keys = keys;
  }

  /** Whether this process is the operator's sender, which also plans and reconciles. */
  get isOperator(): boolean {
    return this.all.some(({ key, status }) => key === "operator" && status.isLeader);
  }

  /** Whether this process sends with any key. */
  get sends(): boolean {
    return this.all.some(({ status }) => status.isLeader);
  }

  start(): void {
    for (const sender of this.all) sender.start();
  }

  /** Stops after the current rounds, and lets other processes send at once. */
  async stop(): Promise<void> {
    await Promise.all(this.all.map((sender) => sender.stop()));
  }

  /** Starts a round of each now, because something was queued. */
  wake(): void {
    for (const sender of this.all) sender.wake();
  }

  /** One round of each, one after another. */
  async step(): Promise<void> {
    for (const sender of this.all) await sender.step();
  }
}
