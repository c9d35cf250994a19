import type { Logger } from "../core/process/log.ts";

export type Progress = {
  /** Blocks read and blocks in total, counted from the first; events of this run. Ends once all are read. */
  update(done: { blocks: number; ofBlocks: number; events: number }): void;
  stop(): void;
};

const LINE_EVERY_MS = 2_000;

/** A progress bar on a terminal, log lines otherwise. */
export async function openProgress(log: Logger, terminal: NodeJS.WriteStream): Promise<Progress> {
  return terminal.isTTY ? openBar(terminal) : openLines(log);
}

async function openBar(terminal: NodeJS.WriteStream): Promise<Progress> {
  // Loaded only on a terminal.
  const { default: cliProgress } = await import("cli-progress");
  const bar = new cliProgress.SingleBar({
    format:
      "Indexing [{bar}] {percentage} % | {events} events | {value} of {total} blocks | {speed} blocks/s | {left} left",
    stream: terminal,
    hideCursor: true,
    clearOnComplete: true,
  });
  const pace = new Pace();
  let isStarted = false;
  const stop = () => {
    if (isStarted) bar.stop();
    isStarted = false;
  };
  return {
    update({ blocks, ofBlocks, events }) {
      const { blocksPerSecond, secondsLeft } = pace.at(blocks, ofBlocks);
      const payload = { events, speed: blocksPerSecond, left: secondsLeft === null ? "?" : `${secondsLeft} s` };
      if (!isStarted) bar.start(ofBlocks, blocks, payload);
      isStarted = true;
      bar.setTotal(ofBlocks);
      bar.update(blocks, payload);
      if (blocks >= ofBlocks) stop();
    },
    stop,
  };
}

function openLines(log: Logger): Progress {
  const pace = new Pace();
  let lastAt = performance.now();
  return {
    update({ blocks, ofBlocks, events }) {
      if (performance.now() - lastAt < LINE_EVERY_MS) return;
      lastAt = performance.now();
      log.info({ blocks, ofBlocks, events, ...pace.at(blocks, ofBlocks) }, "Reading the chain");
    },
    stop() {},
  };
}

/** Measured from the first sample on. */
class Pace {
  #started: { at: number; blocks: number } | undefined;

  at(blocks: number, ofBlocks: number): { blocksPerSecond: number; secondsLeft: number | null } {
    this.#started ??= { at: performance.now(), blocks };
    const seconds = Math.max(0.001, (performance.now() - this.#started.at) / 1_000);
    const blocksPerSecond = Math.round((blocks - this.#started.blocks) / seconds);
    return {
      blocksPerSecond,
      secondsLeft: blocksPerSecond > 0 ? Math.ceil((ofBlocks - blocks) / blocksPerSecond) : null,
    };
  }
}
