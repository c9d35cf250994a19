export type RpcFailure =
  /** No response, a truncated one, or one that is not JSON-RPC. */
  | "transport"
  | "timeout"
  /** The provider refuses the size of the request, or its response is larger than our limit. */
  | "too-large"
  /** The provider refuses the number of calls. */
  | "rate-limited"
  /** Nothing was sent: the calls that the provider allows are taken by more urgent ones. */
  | "over-budget"
  /** A response that cannot be true. */
  | "inconsistent"
  /** The node no longer has the requested state, or does not have it yet. */
  | "no-state"
  /** No node is verified to be on our chain; no request was sent. */
  | "unproven"
  /** Any other error response from the node. */
  | "refused";

export type RpcErrorAnswer = { code: number; message: string; data?: unknown };

/** A revert of `eth_call`, which every node returns alike. */
const REVERTED = 3;
const REVERT_WORDS = /execution reverted/i;
/** EIP-1474 "limit exceeded", which providers use for too many calls and for too many logs. */
const LIMIT_EXCEEDED = -32_005;
const RATE_CODES: readonly number[] = [429, -32_090, -32_007];
const RATE_WORDS =
  /rate.?limit|too many requests|request (count|limit)|capacity|throttl|quota|\d+ ?(requests?|calls?|rps)?(\/| per | a )s(ec(ond)?)?\b/i;
const NO_STATE_WORDS =
  /missing trie node|header not found|unknown block|block not found|BlockOutOfRange|state .*(pruned|available)/i;
const SIZE_WORDS = /too many (results|logs)|more than \d+ (results|logs)|range|too large|exceed|limit|timed? ?out/i;

export function isRevertAnswer({ code, message }: RpcErrorAnswer): boolean {
  return code === REVERTED || REVERT_WORDS.test(message);
}

/** What an error response to a call of `method` says about the node. */
export function failureOf(answer: RpcErrorAnswer, method: string): RpcFailure {
  const { code, message } = answer;
  if (isRevertAnswer(answer)) return "refused";
  if (RATE_CODES.includes(code) || RATE_WORDS.test(message)) return "rate-limited";
  if (NO_STATE_WORDS.test(message)) return "no-state";
  // Only the logs of a range can be too many.
  if (code === LIMIT_EXCEEDED) return method === "eth_getLogs" ? "too-large" : "rate-limited";
  return SIZE_WORDS.test(message) ? "too-large" : "refused";
}

/** The calls a second that a refusal names, such as "50/second request limit reached"; undefined if it names none. */
export function limitNamedIn({ message, data }: { message: string; data?: unknown }): number | undefined {
  const allowed = /"allowed_rps":(\d+(?:\.\d+)?)/.exec(JSON.stringify(data) ?? "")?.[1];
  const said = /(\d+) ?(?:requests?|calls?|rps)?(?:\/| per | a )s(?:ec(?:ond)?)?\b/i.exec(message)?.[1];
  const limit = Number(allowed ?? said);
  return limit >= 1 ? limit : undefined;
}
