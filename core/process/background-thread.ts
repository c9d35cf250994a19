import { readlinkSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";

/**
 * Lets the other threads of this process, and other processes, go first; for a thread whose work has no deadline. Only
 * Linux has a priority for each thread; elsewhere it keeps that of its process.
 */
export function runInBackground(): void {
  try {
    // `<process id>/task/<thread id>`
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    const lower = constants.priority.PRIORITY_BELOW_NORMAL;
    if (getPriority(thread) < lower) setPriority(thread, lower);
  } catch {
    // Not Linux, or not permitted.
  }
}
