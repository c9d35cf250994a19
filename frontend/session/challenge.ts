import type { CheckedUser } from "../api/calls.ts";

/** The server's challenge if it contains the sign-in message; otherwise the message itself. */
export function challengeOf(checked: CheckedUser, sentence: string): { message: string; nonce?: string } {
  const { challenge } = checked;
  if (!challenge?.message.includes(sentence)) return { message: sentence };
  return { message: challenge.message, nonce: challenge.nonce };
}
