/**
 * One death of a worker: at which point, in which scenario, how, and who else is at work. `crash-matrix.test.ts` kills;
 * in `crash-matrix.long.test.ts` the step throws, or its connections are cut.
 */
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { forOrganisation } from '../../../src/base/db/for-organisation.ts';
import type { CrashPoint } from '../../../src/base/kernel/crash-point.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { TestDatabase } from '../../support/database.ts';
import { useTestDatabase } from '../../support/database.ts';
import { MANNERS, POOL, planDeath, pointsSeen, reconnect, runUntilDeath } from './crash.ts';
import type { OpenCase, SagaWorld, SharedWithOthers } from './saga-world.ts';
import { createSagaWorld } from './saga-world.ts';

export const A = 'netalrt_a';

/** What the second organisation's alert and charge are about; the first one's are about 50.00. */
const OTHER_MINOR = 7_100;

type Create = (shared?: SharedWithOthers) => SagaWorld;

const OF_SENDING = [
  'refund.marked_sent',
  'refund.cleared',
  'refund.answered',
  'refund.understood',
  'refund.settled',
] as const;

const OF_ANSWER = [
  'declaration.marked_sent',
  'declaration.answered',
  'declaration.understood',
  'declaration.finished',
] as const;

export const SCENARIOS = {
  refund: {
    points: ['refund.examined', ...OF_SENDING, ...OF_ANSWER],
    prepare: (world: SagaWorld, alert: OpenCase) => world.open(alert),
    calls: 1,
    action: 'REFUND',
    state: 'DECLARED_REFUND',
  },
  accept: {
    points: ['acceptance.examined', 'acceptance.stored', ...OF_ANSWER],
    prepare: (world: SagaWorld, alert: OpenCase) =>
      world.open({ ...alert, decision: 'ACCEPT_DISPUTE' }),
    calls: 0,
    action: 'ACCEPT_DISPUTE',
    state: 'DECLARED_ACCEPT',
  },
  external: {
    points: ['refund.examined', ...OF_ANSWER],
    prepare: (world: SagaWorld, alert: OpenCase) => {
      world.processor.supportRefund('ch_1', alert.amountMinor ?? 0);
      return world.open(alert);
    },
    calls: 0,
    action: 'REFUND',
    state: 'DECLARED_REFUND',
  },
} as const;

type ScenarioName = keyof typeof SCENARIOS;

/** Points after which a refund call, or an answer, has surely been made once already. */
const CALLED_BY: ReadonlySet<CrashPoint> = new Set([
  'refund.answered',
  'refund.understood',
  'refund.settled',
  ...OF_ANSWER,
]);
const ANSWERED_BY: ReadonlySet<CrashPoint> = new Set([
  'declaration.answered',
  'declaration.understood',
  'declaration.finished',
]);

export const ALERT = { alertId: A, amountMinor: 5_000 };
const OTHER_ALERT = { ...ALERT, amountMinor: OTHER_MINOR };

export async function expectTheBooks(
  world: SagaWorld,
  name: ScenarioName,
  { amountMinor } = ALERT,
): Promise<void> {
  const { calls, action, state } = SCENARIOS[name];
  expect(world.processor.count('ch_1')).toBe(calls);
  expect(world.processor.ours('ch_1')).toBe(calls * amountMinor);
  expect(world.service.effective(A).map((patch) => patch.action)).toEqual([action]);
  expect(await world.state(A)).toBe(state);
}

const PLACES = ['alone', 'among others'] as const;

export const MATRIX = (Object.keys(SCENARIOS) as ScenarioName[]).flatMap((scenario) =>
  SCENARIOS[scenario].points.flatMap((point) =>
    MANNERS.flatMap((manner) => PLACES.map((place) => ({ scenario, point, manner, place }))),
  ),
);

type Cell = (typeof MATRIX)[number];

interface Organisation {
  readonly world: SagaWorld;
  readonly alert: typeof ALERT;
}

/** One of them, or one more with the same names, at an amount of its own. */
async function openOrganisations(
  create: Create,
  scenario: ScenarioName,
  place: (typeof PLACES)[number],
): Promise<readonly [Organisation, ...Organisation[]]> {
  const first = { world: create(), alert: ALERT };
  const other = { world: create(), alert: OTHER_ALERT };
  other.world.processor.addCharge('ch_1', { amountMinor: OTHER_MINOR });
  const others = place === 'alone' ? [] : [other];
  for (const { world, alert } of [first, ...others]) {
    await SCENARIOS[scenario].prepare(world, alert);
  }
  return [first, ...others];
}

async function expectOnce({ world, alert }: Organisation, cell: Cell): Promise<void> {
  const { scenario, point } = cell;
  await expectTheBooks(world, scenario, alert);
  const { processor, service } = world;
  const callsMax = CALLED_BY.has(point) ? SCENARIOS[scenario].calls : 2;
  expect(processor.calls.length).toBeLessThanOrEqual(callsMax);
  expect(service.patches.length).toBeLessThanOrEqual(ANSWERED_BY.has(point) ? 1 : 2);
}

/** What a file of the matrix works with. */
interface Matrix {
  readonly database: TestDatabase;
  /** An organisation behind the wall. */
  readonly create: Create;
  /** Lets a worker die there, and others end its work. @throws unless each alert was refunded and answered once */
  dieAt(cell: Cell): Promise<void>;
}

/** A database of its own, with the wall between organisations. */
export function useMatrix(): Matrix {
  const database = useTestDatabase();
  let walled: OpenDatabase;
  beforeAll(() => {
    // Other files of this process pass them too.
    pointsSeen.clear();
    const url = new URL(database.connectionString);
    url.searchParams.set('options', '-c role=forestall_app');
    const log = createLog({ level: 'silent' });
    walled = openDatabase({ connectionString: url.href, log, maxConnections: POOL });
  });
  afterAll(() => walled.close());
  afterEach(() => setCrashHook(undefined));
  const create: Create = (shared) =>
    createSagaWorld((id) => forOrganisation(walled, id).db, shared);
  const dieAt = async (cell: Cell): Promise<void> => {
    const { scenario, point, manner, place } = cell;
    const organisations = await openOrganisations(create, scenario, place);
    const [{ world }] = organisations;
    const death = planDeath(database, { point, manner });
    const second = place === 'alone' ? [] : [world.worker('w2')];
    const first = organisations.map((each) => each.world.worker('w1'));
    await runUntilDeath([...first, ...second], death);
    expect(death.happened()).toBe(true);
    if (manner === 'disconnect') await reconnect(world);
    for (const each of organisations) {
      await each.world.pass([each.world.worker('w3'), ...(each.world === world ? second : [])], 1);
      await expectOnce(each, cell);
    }
  };
  return { database, create, dieAt };
}
