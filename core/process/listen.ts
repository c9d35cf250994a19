import type { Server } from "node:http";
import type { Server as AnyServer } from "node:net";
import { TorcidaError } from "../rules/torcida-error.ts";

/** A server cannot listen on the configured address; the message names the variable. */
export class ListenError extends TorcidaError {
  override readonly docs = "docs/operations.md#configuration";
}

export type Listening = { port: number; host: string; variables: { port: string; host: string } };

/** @throws ListenError */
export function listenOn<One extends Server>(server: One, { port, host, variables }: Listening): Promise<One> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(new ListenError(reasonOf(error))));
    server.listen(port, host, () => resolve(server));
  });

  function reasonOf(error: NodeJS.ErrnoException): string {
    if (error.code === "EADDRINUSE")
      return `Port ${port} is taken: end the program that uses it, or set ${variables.port} to another`;
    if (error.code === "EACCES") return `Port ${port} needs privileges: set ${variables.port} to one above 1023`;
    return `Nothing can listen on ${host}:${port}: set ${variables.host} to an address of this machine (${error.message})`;
  }
}

export function portOf(server: AnyServer): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a port");
  return address.port;
}
