import type { LookUps } from "../../scripts/developer/walk/spines.ts";

/** What a reader of a spine need not open, at most 25: its name says all. docs/architecture.md#spines */
export const LOOK_UPS: LookUps = {
  among: "a condition: one of these ids, or texts",
  givenRows: "rows given by the caller, as a table",
  databaseNow: "the time, as the database has it",
  readClock: "the same, read",
  engineOf: "SQLite or PostgreSQL",
  inTransaction: "all or nothing",
  isDatabaseAway: "whether an error says so",
  isUniqueViolation: "whether an error says so",
  readSetting: "one value by its name",
  touchUsers: "the caller's answers are built again",
  indexedBlock: "how far the index is",
  dayOf: "the day of a time",
  recordOf: "an object of its keys",
  idsOf: "the ids of rows",
  jsonOf: "a value as JSON, with its big numbers",
  "EveryNode.agreed": "what the nodes agree on",
  "EveryNode.claimed": "what one node claims, to be shown",
  "JsonRpc.settle": "several requests to a node, each with its result",
  isMove: "whether an operation is of a purchase",
  databaseErrorCode: "the code of an error of the database",
  cashbackOfCentBps: "an exact cashback in gwei",
  anySlot: "one of a day's rows, so that writers do not wait",
};
