/** Where a command's lines go: the console, or a test. */
export type Terminal = Pick<Console, "log" | "error">;
