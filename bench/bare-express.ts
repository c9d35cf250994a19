import { spawn } from "node:child_process";

const BARE = `
import express from "express";
const app = express();
const text = process.argv[1];
app.use(express.json());
app.use((request, response) => { response.type("application/json").send(text); });
const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

/** A bare Express server in its own process, which answers every request with the same bytes. */
export async function startBare(bytes: string): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", BARE, "--", bytes], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<string>((resolve) =>
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())),
  );
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}
