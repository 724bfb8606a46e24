/** Every case, and how a run chooses among them. */
import type { FaultCase } from './case.ts';
import { BODY_CASES } from './cases/bodies.ts';
import { CONSOLE_CASES } from './cases/console.ts';
import { DATABASE_CASES } from './cases/database.ts';
import { EVENT_CASES } from './cases/events.ts';
import { LOAD_CASES } from './cases/load.ts';
import { ORDER_CASES } from './cases/orders.ts';
import { PROCESSOR_CASES } from './cases/processor.ts';
import { REPLICA_CASES } from './cases/replicas.ts';
import { SERVICE_CASES } from './cases/service.ts';
import { SIGNATURE_CASES } from './cases/signatures.ts';
import { START_CASES } from './cases/start.ts';
import { WORKER_CASES } from './cases/workers.ts';

const ALL: readonly FaultCase[] = [
  ...SIGNATURE_CASES,
  ...BODY_CASES,
  ...EVENT_CASES,
  ...PROCESSOR_CASES,
  ...SERVICE_CASES,
  ...LOAD_CASES,
  ...DATABASE_CASES,
  ...WORKER_CASES,
  ...CONSOLE_CASES,
  ...ORDER_CASES,
  ...START_CASES,
  ...REPLICA_CASES,
];

/** What was asked for. */
export interface Selection {
  /** These ids only. */
  readonly only?: readonly string[] | undefined;
  readonly quick: boolean;
}

/** The cases asked for, and the ids that no case has. */
export function selectCases({ only, quick }: Selection): {
  cases: readonly FaultCase[];
  unknown: readonly string[];
} {
  if (only === undefined) return { cases: ALL.filter((each) => !quick || each.quick), unknown: [] };
  const wanted = new Set(only.map((id) => id.trim()));
  const cases = ALL.filter(({ id }) => wanted.has(id));
  const known = new Set(cases.map(({ id }) => id));
  return { cases, unknown: [...wanted].filter((id) => !known.has(id)) };
}
