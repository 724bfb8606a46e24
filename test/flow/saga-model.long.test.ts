/**
 * Guarantee: whatever order steps, deaths, faults, people and time come in, no charge is refunded twice
 * by us, nothing untrue is declared, and no deadline passes in silence (I1-I6).
 *
 * Random histories against the real store; the failing seed is printed and replays. The oracle is the
 * processor's ledger and the service's log of PATCHes. `CHAOS_RUNS` sets how many histories of
 * each adapter; thousands of them are the business of `npm run simulate`.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createDeadlineSweep } from '../../src/alerts/cases/deadline-sweep.ts';
import { applyOperatorDecision } from '../../src/alerts/review/apply-operator-decision.ts';
import { nowDate } from '../../src/base/kernel/clock.ts';
import type { CrashPoint } from '../../src/base/kernel/crash-point.ts';
import { setCrashHook } from '../../src/base/kernel/crash-point.ts';
import type { ProcessorCapabilities } from '../../src/service/wire/processor.ts';
import type { Pause } from '../crash/support/crash.ts';
import { planDeath, planPause } from '../crash/support/crash.ts';
import type { ActFault } from '../crash/support/fake-alert-service.ts';
import type { RefundFault } from '../crash/support/fake-processor.ts';
import { FULL_CAPABILITIES } from '../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS } from '../crash/support/saga-world.ts';
import { useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
afterEach(() => setCrashHook(undefined));

const RUNS = Number(process.env['CHAOS_RUNS'] ?? 5);

type Step =
  | { readonly do: 'work'; readonly worker: 0 | 1 }
  | { readonly do: 'work_both' }
  | { readonly do: 'die'; readonly point: CrashPoint; readonly worker: 0 | 1 }
  | { readonly do: 'stop'; readonly point: CrashPoint; readonly worker: 0 | 1 }
  | { readonly do: 'resume' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'refund_fault'; readonly fault: RefundFault }
  | { readonly do: 'act_fault'; readonly fault: ActFault }
  | { readonly do: 'late' }
  | { readonly do: 'support'; readonly minor: number }
  | { readonly do: 'dashboard'; readonly end: 'REFUNDED' | 'NOT_REFUNDED' | 'INVALID' }
  | { readonly do: 'down'; readonly down: boolean }
  | { readonly do: 'open_twin'; readonly decision: 'REFUND' | 'ACCEPT_DISPUTE' }
  | { readonly do: 'operator'; readonly action: 'REFUND' | 'ACCEPT_DISPUTE' | 'RETRY' };

const POINTS: readonly CrashPoint[] = [
  'refund.examined',
  'refund.marked_sent',
  'refund.cleared',
  'refund.answered',
  'refund.understood',
  'refund.settled',
  'acceptance.examined',
  'acceptance.stored',
  'declaration.marked_sent',
  'declaration.answered',
  'declaration.understood',
  'declaration.finished',
];
const worker = fc.constantFrom(0 as const, 1 as const);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('work' as const), worker }) },
  { weight: 3, arbitrary: fc.constant<Step>({ do: 'work_both' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('die' as const),
      point: fc.constantFrom(...POINTS),
      worker,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('stop' as const),
      point: fc.constantFrom(...POINTS),
      worker,
    }),
  },
  { weight: 3, arbitrary: fc.constant<Step>({ do: 'resume' }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, 3_000, 31_000, 95_000, 20 * 60_000, 2 * HOUR_MS, 7 * HOUR_MS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('refund_fault' as const),
      fault: fc.constantFrom<RefundFault>(
        'lost_before',
        'lost_after',
        'late',
        'throws_after',
        'rejects',
        'pending',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('act_fault' as const),
      fault: fc.constantFrom<ActFault>(
        'lost_before',
        'lost_after',
        'still_open',
        'throws_after',
        'refused',
        'unauthorised',
      ),
    }),
  },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'late' }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('support' as const),
      minor: fc.constantFrom(1000, 5000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('dashboard' as const),
      end: fc.constantFrom('REFUNDED' as const, 'NOT_REFUNDED' as const, 'INVALID' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('down' as const), down: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('open_twin' as const),
      decision: fc.constantFrom('REFUND' as const, 'ACCEPT_DISPUTE' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('operator' as const),
      action: fc.constantFrom('REFUND' as const, 'ACCEPT_DISPUTE' as const, 'RETRY' as const),
    }),
  },
);

/** A key that lives for less time than the alert, as real ones do. */
const KEYED = { ...FULL_CAPABILITIES, idempotencyTtlHours: 4 };

/** The three kinds of adapter of the model check, and a slow one. */
const ADAPTERS: Record<string, ProcessorCapabilities> = {
  'key and look-up': KEYED,
  'key only': { ...KEYED, canLookupByReference: false },
  'look-up only': { ...KEYED, idempotencyTtlHours: 0, lookupLagSeconds: 600 },
  asynchronous: { ...KEYED, asyncRefunds: true, pendingCounts: true },
};

const A = 'netalrt_a';
const TWIN = 'netalrt_b';

/** One history: a world with two workers, replaced by new ones when they die. */
class History {
  readonly world: SagaWorld;
  readonly workers: [Worker, Worker];
  #replaced = 0;
  readonly #stopped: { readonly pause: Pause; readonly round: Promise<unknown> }[] = [];

  constructor(capabilities: ProcessorCapabilities) {
    this.world = createSagaWorld(database.db);
    this.world.processor.caps = capabilities;
    this.workers = [this.world.worker('w0'), this.world.worker('w1')];
  }

  async apply(step: Step): Promise<void> {
    const { world, workers } = this;
    switch (step.do) {
      case 'work':
        await workers[step.worker].round();
        return;
      case 'work_both':
        await Promise.all(workers.map((one) => one.round()));
        return;
      case 'die':
        return await this.#die(step.point, step.worker);
      case 'stop':
        return await this.#stop(step.point, step.worker);
      case 'resume':
        return await this.resume();
      case 'wait':
        world.clock.advanceMs(step.ms);
        await this.sweep();
        return;
      case 'refund_fault':
        world.processor.faults.push(step.fault);
        return;
      case 'act_fault':
        world.service.actFaults.push(step.fault);
        return;
      case 'late':
        world.processor.executeLate();
        return;
      case 'support':
        world.processor.supportRefund('ch_1', step.minor);
        return;
      case 'dashboard':
        world.service.dashboard(A, step.end);
        return;
      case 'down':
        world.processor.down = step.down;
        return;
      case 'open_twin':
        if (!world.service.alerts.has(TWIN)) {
          await world.open({
            alertId: TWIN,
            decision: step.decision,
            whenRefused: 'ACCEPT_DISPUTE',
          });
        }
        return;
      case 'operator':
        await applyOperatorDecision(world.db, {
          organisationId: world.organisationId,
          alertId: A,
          action: step.action,
          note: '',
          operator: 'ada',
          now: nowDate(world.clock),
        });
        return;
    }
  }

  /** The worker is killed when it next comes to the point, and replaced. */
  async #die(point: CrashPoint, index: 0 | 1): Promise<void> {
    const death = planDeath(this.world, { point, manner: 'kill' });
    await Promise.race([this.workers[index].round(), death.reached]);
    setCrashHook(undefined);
    this.#replace(index);
  }

  /** The worker stops when it next comes to the point; another takes its place. */
  async #stop(point: CrashPoint, index: 0 | 1): Promise<void> {
    const pause = planPause(point);
    const round = this.workers[index].round();
    await Promise.race([round, pause.reached]);
    setCrashHook(undefined);
    this.#stopped.push({ pause, round });
    this.#replace(index);
  }

  #replace(index: 0 | 1): void {
    this.#replaced += 1;
    this.workers[index] = this.world.worker(`w${index}_${this.#replaced}`);
  }

  /** Every stopped worker continues where it stood. */
  async resume(): Promise<void> {
    for (const { pause } of this.#stopped) pause.resume();
    await Promise.all(this.#stopped.map(({ round }) => round));
    this.#stopped.length = 0;
  }

  async sweep(): Promise<void> {
    await createDeadlineSweep(this.workers[0].deps).runOnce();
  }

  /** Everything works again, and time passes beyond every deadline. */
  async heal(): Promise<void> {
    const { processor, service } = this.world;
    await this.resume();
    processor.down = false;
    processor.faults.length = 0;
    service.actFaults.length = 0;
    // Closer than the last alarm's window, a tenth of 48 h: with wider steps it would be raised after the deadline.
    for (let hours = 0; hours < 112; hours += 4) {
      await this.world.pass(this.workers, 4);
      await this.sweep();
      if (await this.#isOver()) return;
    }
  }

  /** Only a person could still do something: no movement has a plan, and whatever is open is held past its deadline. */
  async #isOver(): Promise<boolean> {
    const { db, organisationId, clock } = this.world;
    const moving = db
      .selectFrom('movement')
      .select('id')
      .where('organisation_id', '=', organisationId)
      .where('next_action_at', 'is not', null);
    const working = db
      .selectFrom('alert_case')
      .select('alert_id as id')
      .where('organisation_id', '=', organisationId)
      .where('is_open', '=', true)
      .where((or) => or.or([or('state', '!=', 'HUMAN'), or('deadline_at', '>=', nowDate(clock))]));
    return (await moving.unionAll(working).execute()).length === 0;
  }
}

/** What must hold at every moment, by the processor's and the service's own books. */
function expectInvariants({ processor, service }: SagaWorld): void {
  const live = processor.ledger.filter((entry) => entry.status !== 'failed');
  const moved = live.reduce((sum, entry) => sum + entry.amountMinor, 0);
  // I1
  expect(processor.count('ch_1')).toBeLessThanOrEqual(1);
  expect(moved).toBeLessThanOrEqual(5000);
  const said = service.patches.filter((patch) => patch.effective);
  // I2
  if (said.some((patch) => patch.action === 'REFUND')) expect(moved).toBe(5000);
  // I3, in both orders
  if (said.some((patch) => patch.action === 'ACCEPT_DISPUTE')) {
    expect(processor.count('ch_1')).toBe(0);
  }
}

async function expectNoSilence({ db, organisationId, clock, processor }: SagaWorld): Promise<void> {
  const open = await db
    .selectFrom('alert_case')
    .select(['alert_id', 'state', 'deadline_at', 'alarmed_at', 'next_action_at'])
    .where('organisation_id', '=', organisationId)
    .where('is_open', '=', true)
    .execute();
  for (const row of open) {
    // I5, I6; and an open case long after its deadline waits for a person, not for us.
    expect(row.next_action_at).not.toBeNull();
    expect(row.deadline_at.getTime()).toBeLessThan(clock.nowMs());
    expect(row.alarmed_at?.getTime()).toBeLessThan(row.deadline_at.getTime());
    if (row.state !== 'HUMAN')
      await expectPendingTold({ db, organisationId, processor }, row.state);
  }
}

/** The one state in which a person can only wait (L7): our own money is pending, and they were told so. */
async function expectPendingTold(
  { db, organisationId, processor }: Pick<SagaWorld, 'db' | 'organisationId' | 'processor'>,
  state: string,
): Promise<void> {
  expect(state).toBe('REFUNDING');
  expect(processor.ledger.map(({ status }) => status)).toContain('pending');
  const told = await db
    .selectFrom('notification')
    .select('kind')
    .where('organisation_id', '=', organisationId)
    .execute();
  expect(told.map(({ kind }) => kind)).toContain('refund_pending_late');
}

const workBoth: readonly Step[] = [{ do: 'work_both' }, { do: 'work_both' }];

describe('random histories', () => {
  it.each(Object.keys(ADAPTERS))(
    'of a processor with %s',
    async (adapter) => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('REFUND' as const, 'ACCEPT_DISPUTE' as const),
          fc.array(anyStep, { minLength: 3, maxLength: 25 }),
          async (decision, steps) => {
            const history = new History(ADAPTERS[adapter]!);
            await history.world.open({ alertId: A, decision, whenRefused: 'ACCEPT_DISPUTE' });
            for (const step of steps) {
              await history.apply(step);
              expectInvariants(history.world);
            }
            await history.heal();
            expectInvariants(history.world);
            await expectNoSilence(history.world);
          },
        ),
        {
          numRuns: RUNS,
          examples: [
            ['REFUND', [{ do: 'refund_fault', fault: 'pending' }, ...workBoth, ...workBoth]],
          ],
        },
      );
    },
    600_000,
  );
});
