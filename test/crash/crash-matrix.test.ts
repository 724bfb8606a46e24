/**
 * Guarantee: a worker that dies at any named point loses no refund and no answer, and repeats none.
 *
 * Every point x {refund, accept, already refunded} x {alone, among others} x {killed, threw, lost its
 * database connections}. Among others means: beside a second worker, and beside a second organisation whose alert and
 * charge have the same names, at another amount. The oracle is each processor's ledger and each service's log of PATCHes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import { forOrganisation } from '../../src/base/db/for-organisation.ts';
import type { CrashPoint } from '../../src/base/kernel/crash-point.ts';
import { setCrashHook } from '../../src/base/kernel/crash-point.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { useTestDatabase } from '../support/database.ts';
import { MANNERS, POOL, planDeath, pointsSeen, reconnect, runUntilDeath } from './support/crash.ts';
import type { OpenCase, SagaWorld, SharedWithOthers } from './support/saga-world.ts';
import { createSagaWorld } from './support/saga-world.ts';

const database = useTestDatabase();
/** The same behind the wall between organisations, for whoever names one. */
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

const A = 'netalrt_a';

/** What the second organisation's alert and charge are about; the first one's are about 50.00. */
const OTHER_MINOR = 7_100;

function createOrganisation(shared?: SharedWithOthers): SagaWorld {
  return createSagaWorld((id) => forOrganisation(walled, id).db, shared);
}

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

const SCENARIOS = {
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

const ALERT = { alertId: A, amountMinor: 5_000 };
const OTHER_ALERT = { ...ALERT, amountMinor: OTHER_MINOR };

async function expectTheBooks(
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

const MATRIX = (Object.keys(SCENARIOS) as ScenarioName[]).flatMap((scenario) =>
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
  scenario: ScenarioName,
  place: (typeof PLACES)[number],
): Promise<readonly [Organisation, ...Organisation[]]> {
  const first = { world: createOrganisation(), alert: ALERT };
  const other = { world: createOrganisation(), alert: OTHER_ALERT };
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

describe('a worker dies', () => {
  it.each(MATRIX)('$scenario at $point, $manner, $place', async (cell) => {
    const { scenario, point, manner, place } = cell;
    const organisations = await openOrganisations(scenario, place);
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
  });

  it.each(SCENARIOS.refund.points)(
    'at %s, and another organisation goes on with the same charge at the same processor',
    async (point) => {
      const world = createOrganisation();
      const other = createOrganisation(world);
      await world.open(ALERT);
      await other.open(ALERT);
      const death = planDeath(database, { point, manner: 'kill' });
      await runUntilDeath([world.worker('w1')], death);
      await other.settle([other.worker('w2')]);
      await world.pass([world.worker('w3'), other.worker('w2')], 1);
      await other.pass([other.worker('w2')], 1);
      // One refund, by whichever came first, under a key of its own; the other one finds it and says so.
      expect(world.processor.count('ch_1')).toBe(1);
      for (const { service, state } of [world, other]) {
        expect(service.effective(A).map((patch) => patch.action)).toEqual(['REFUND']);
        expect(await state(A)).toBe('DECLARED_REFUND');
      }
    },
  );

  it.each(SCENARIOS.refund.points)('at %s, and the reply was lost before that', async (point) => {
    const world = createOrganisation();
    world.processor.faults.push('lost_after');
    world.service.actFaults.push('lost_after');
    await world.open(ALERT);
    const death = planDeath(database, { point, manner: 'kill' });
    await Promise.race([world.pass([world.worker('w1')], 1), death.reached]);
    expect(death.happened()).toBe(true);
    await world.pass([world.worker('w2'), world.worker('w3')], 2);
    await expectTheBooks(world, 'refund');
    expect(world.processor.calls.length).toBeLessThanOrEqual(2);
  });

  it('again and again, at every point in turn', async () => {
    const world = createOrganisation();
    await world.open(ALERT);
    for (const point of SCENARIOS.refund.points) {
      const death = planDeath(database, { point, manner: 'kill' });
      await runUntilDeath([world.worker(`dies_at_${point}`)], death);
      world.clock.advanceMs(31_000);
    }
    setCrashHook(undefined);
    await world.pass([world.worker('last')], 3);
    await expectTheBooks(world, 'refund');
  });
});

describe('the points', () => {
  const ROOT = new URL('../../', import.meta.url);

  function sourcesUnder(folder: string): { entry: string; text: string }[] {
    const under = new URL(`${folder}/`, ROOT);
    return readdirSync(under, { recursive: true, encoding: 'utf8' })
      .filter((entry) => entry.endsWith('.ts'))
      .map((entry) => ({ entry, text: readFileSync(new URL(entry, under), 'utf8') }));
  }

  /** Every point that the files mark, each as often as it stands there. */
  const pointsOf = (files: readonly { text: string }[]): string[] =>
    files.flatMap(({ text }) =>
      [...text.matchAll(/\bcrashPoint\('([^']+)'\)/g)].map((at) => at[1]!),
    );

  const sources = sourcesUnder('src').filter(({ entry }) => entry !== 'base/kernel/crash-point.ts');

  it('are those of the table in the README, and none has two places', () => {
    const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    const table = [...readme.matchAll(/^\| `([a-z_.]+)` \| \S/gm)].map((row) => row[1]!);
    expect(table.length).toBeGreaterThan(0);
    expect(pointsOf(sources).sort()).toEqual(table.sort());
  });

  it('of refund and declare were all passed by this suite', () => {
    const saga = sources.filter(({ entry }) => /^alerts\/(refund|declare|cases)\//.test(entry));
    const deadly = Object.values(SCENARIOS).flatMap(({ points }) => points);
    expect(pointsOf(saga).sort()).toEqual([...new Set<string>(deadly)].sort());
    const seen: ReadonlySet<string> = pointsSeen;
    expect(pointsOf(saga).filter((name) => !seen.has(name))).toEqual([]);
  });

  it('of the other stages are each used by some test', () => {
    const text = sourcesUnder('test')
      .map((file) => file.text)
      .filter((source) => source.includes('setCrashHook'))
      .join('\n');
    expect(pointsOf(sources).filter((name) => !text.includes(`'${name}'`))).toEqual([]);
  });
});
