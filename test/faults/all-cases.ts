/** Every case, and how a run chooses among them. */
import type { CaseResult, FaultCase } from './case.ts';
import { BODY_CASES } from './cases/bodies.ts';
import { TRUST_CASES } from './cases/certificates.ts';
import { CLOCK_CASES } from './cases/clocks.ts';
import { CONSOLE_CASES } from './cases/console.ts';
import { DATABASE_CASES } from './cases/database.ts';
import { DEATH_CASES } from './cases/deaths.ts';
import { EVENT_CASES } from './cases/events.ts';
import { FAILOVER_CASES } from './cases/failover.ts';
import { FRONT_DOOR_CASES } from './cases/front-door.ts';
import { HANDLER_CASES } from './cases/handlers.ts';
import { LOAD_CASES } from './cases/load.ts';
import { LOST_COMMIT_CASES } from './cases/lost-commits.ts';
import { MESSAGE_CASES } from './cases/messages.ts';
import { ODD_ALERT_CASES } from './cases/odd-alerts.ts';
import { ODD_SERVICE_CASES } from './cases/odd-service.ts';
import { ORDER_CASES } from './cases/orders.ts';
import { PEOPLE_CASES } from './cases/people.ts';
import { POOLER_CASES } from './cases/poolers.ts';
import { PROCESSOR_CASES } from './cases/processor.ts';
import { REPLICA_CASES } from './cases/replicas.ts';
import { RESTORE_CASES } from './cases/restored.ts';
import { SERVICE_CASES } from './cases/service.ts';
import { SIGNATURE_CASES } from './cases/signatures.ts';
import { START_CASES } from './cases/start.ts';
import { STORE_CASES } from './cases/store.ts';
import { SURROUNDING_CASES } from './cases/surroundings.ts';
import { WORKER_CASES } from './cases/workers.ts';
import { CATALOGUE } from './catalogue.ts';

const ALL: readonly FaultCase[] = [
  ...SIGNATURE_CASES,
  ...BODY_CASES,
  ...EVENT_CASES,
  ...PROCESSOR_CASES,
  ...SERVICE_CASES,
  ...LOAD_CASES,
  ...DATABASE_CASES,
  ...FRONT_DOOR_CASES,
  ...WORKER_CASES,
  ...HANDLER_CASES,
  ...LOST_COMMIT_CASES,
  ...CLOCK_CASES,
  ...ODD_SERVICE_CASES,
  ...ODD_ALERT_CASES,
  ...DEATH_CASES,
  ...SURROUNDING_CASES,
  ...TRUST_CASES,
  ...CONSOLE_CASES,
  ...PEOPLE_CASES,
  ...ORDER_CASES,
  ...MESSAGE_CASES,
  ...START_CASES,
  ...POOLER_CASES,
  ...REPLICA_CASES,
  ...RESTORE_CASES,
  ...FAILOVER_CASES,
  ...STORE_CASES,
];

/** What was asked for. */
export interface Selection {
  /** These ids only. */
  readonly only?: readonly string[] | undefined;
  readonly quick: boolean;
}

/** The cases asked for, also by a row that another row's case drives, and the ids that are no such row. */
export function selectCases({ only, quick }: Selection): {
  cases: readonly FaultCase[];
  unknown: readonly string[];
} {
  if (only === undefined) return { cases: ALL.filter((each) => !quick || each.quick), unknown: [] };
  const ids = [...new Set(only.map((id) => id.trim()))];
  const wanted = new Set(ids.map(caseOf));
  const known = new Set(ALL.map(({ id }) => id));
  return {
    cases: ALL.filter(({ id }) => wanted.has(id)),
    unknown: ids.filter((id) => !known.has(caseOf(id))),
  };
}

/** What every run checks over its cases at the end, and a case whose texts try to break it. */
const WORLD_CHECK = { id: 'I1-I4', stimulus: 'F33' };

function caseOf(id: string): string {
  const driver = CATALOGUE.find((row) => row.id === id)?.drivenBy ?? id;
  return driver === WORLD_CHECK.id ? WORLD_CHECK.stimulus : driver;
}

/** The rows that no case of the run reported: driven by another row's, or not asked for. */
export function restOf(results: readonly CaseResult[]): CaseResult[] {
  const own = new Set(ALL.map(({ id }) => id));
  return CATALOGUE.filter(({ id }) => results.every((result) => result.id !== id)).map((row) => {
    const { id, title, drivenBy } = row;
    const detail = drivenBy === undefined ? '' : `driven by ${drivenBy}`;
    const rest = { id, title, tookMs: 0, detail, lookAt: [] };
    const of = results.filter((result) => result.id === drivenBy);
    if (of.length > 0) {
      const isFailed = of.some(({ status }) => status === 'failed');
      return { ...rest, status: isFailed ? 'failed' : 'passed' };
    }
    const isDriven = own.has(id) || drivenBy !== undefined;
    return { ...rest, status: isDriven ? 'not selected' : 'held elsewhere' };
  });
}
