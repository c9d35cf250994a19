import { expect } from "chai";
import { errorSchema } from "../../../core/rules/api/common.ts";
import type { Answer } from "../../testing/shopper.ts";

/** Expects an error as documented: JSON, the message twice, a code, the request id, no internals. */
export function expectRefusal(answer: Answer, status: number, code: string, about = ""): void {
  const what = `${about} ${answer.text.slice(0, 300)}`;
  expect(answer.status, what).to.equal(status);
  expect(answer.headers.get("content-type"), what).to.match(/^application\/json/);
  expect(errorSchema.safeParse(answer.body).success, what).to.equal(true);
  expect(answer.body.code, what).to.equal(code);
  expect(answer.body.error, what).to.equal(answer.body.message);
  expect(answer.body.request_id, what).to.equal(answer.headers.get("x-request-id"));
  expect(answer.text, what).to.not.match(/node_modules|at \w+ \(|\.ts:\d+|SQLITE|select .* from/i);
}

/** Expects a 400 that names the invalid field. */
export function expectInvalid(answer: Answer, field: string, about = ""): void {
  expectRefusal(answer, 400, "INVALID_REQUEST", about);
  expect(answer.body.field, about).to.equal(field);
  expect(answer.body.message, about).to.contain(field);
}
