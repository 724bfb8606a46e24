/**
 * A small world for the saga: a real database, a fixed clock, the fake processor and the fake service,
 * any number of workers, and helpers to open decided cases and to let time pass.
 */
import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { createApplyRead } from '../../../src/alerts/apply/apply-read.ts';
import { applySnapshots } from '../../../src/alerts/apply/apply-snapshots.ts';
import type { CaseRow } from '../../../src/alerts/cases/case.store.ts';
import { findCase, moveCase, replanCase } from '../../../src/alerts/cases/case.store.ts';
import type { CaseSteps } from '../../../src/alerts/cases/case-runner.ts';
import { createCaseRunner } from '../../../src/alerts/cases/case-runner.ts';
import { holdCase } from '../../../src/alerts/cases/hold-case.ts';
import { createOpenAlerts } from '../../../src/alerts/cases/open-alerts.ts';
import { createDeclareSteps } from '../../../src/alerts/declare/declare-steps.ts';
import type { RefundSettings } from '../../../src/alerts/guard/refund-settings.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/alerts/guard/refund-settings.ts';
import { readLedger } from '../../../src/alerts/ledger/ledger.store.ts';
import { claimOfAlert, isCovered, movementBehind } from '../../../src/alerts/ledger/ledger.ts';
import type { MovementRow } from '../../../src/alerts/ledger/movement.store.ts';
import { movementsOfCharge } from '../../../src/alerts/ledger/movement.store.ts';
import { declareCovered } from '../../../src/alerts/ledger/settle-movement.ts';
import { createMovementRunner } from '../../../src/alerts/refund/movement-runner.ts';
import { createRefundSteps } from '../../../src/alerts/refund/refund-steps.ts';
import type { SagaDeps } from '../../../src/alerts/refund/saga-deps.ts';
import { applyOperatorDecision } from '../../../src/alerts/review/apply-operator-decision.ts';
import type {
  OperatorDecision,
  OperatorResult,
} from '../../../src/alerts/review/operator-decision.ts';
import type { Database } from '../../../src/base/db/database.ts';
import type { Loop } from '../../../src/base/jobs/loop.ts';
import { startLoop } from '../../../src/base/jobs/loop.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock, nowDate, nowIso } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { Alert } from '../../../src/service/wire/alert.ts';
import type { FakeAlertService } from './fake-alert-service.ts';
import { createFakeAlertService } from './fake-alert-service.ts';
import type { FakeProcessor } from './fake-processor.ts';
import { createFakeProcessor } from './fake-processor.ts';

export const STARTS_AT = '2026-03-02T08:00:00.000Z';
export const HOUR_MS = 3_600_000;
export const MINUTE_MS = 60_000;

/** A worker that works by itself looks this often, when nothing wakes it, in milliseconds. */
const IDLE_MS = 20;

let organisations = 0;

/** A decided case to be opened. */
export interface OpenCase {
  readonly alertId: string;
  readonly chargeReference?: string | null;
  readonly decision?: 'REFUND' | 'ACCEPT_DISPUTE';
  readonly amountMinor?: number;
  readonly currency?: string;
  readonly decidedBy?: string;
  readonly decidedMinor?: number | null;
  readonly fallback?: 'ACCEPT_DISPUTE' | null;
  /** What the policy says of a refund that is refused for good. */
  readonly whenRefused?: 'ACCEPT_DISPUTE';
  readonly windowHours?: number;
  readonly enrolmentType?: string;
}

/** Of which some are due. */
interface Due {
  readonly cases: boolean;
  readonly movements: boolean;
}

const ANY: Due = { cases: true, movements: true };

/** One worker: its own id, the same database. */
export interface Worker {
  readonly deps: SagaDeps;
  /** One round of cases and refunds, or of those that are due only. Returns how many rows it claimed. */
  round(due?: Due): Promise<number>;
  /** Works by itself, as a process does. Returns the loops, to be stopped. */
  start(): Loop[];
}

export interface SagaWorld {
  readonly db: Kysely<Database>;
  readonly organisationId: string;
  readonly clock: FixedClock;
  readonly processor: FakeProcessor;
  readonly service: FakeAlertService;
  settings: RefundSettings;
  shadow: boolean;
  worker(name: string): Worker;
  open(options: OpenCase): Promise<void>;
  /** Rounds of all workers, at once, until nothing is due. */
  settle(workers: readonly Worker[]): Promise<void>;
  /** Settles, and moves the clock from plan to plan, until `hours` have passed. */
  pass(workers: readonly Worker[], hours: number): Promise<void>;
  /** What a person decides about `netalrt_a`, unless it names another. */
  say(decision: Partial<OperatorDecision>): Promise<OperatorResult>;
  caseOf(alertId: string): Promise<CaseRow>;
  state(alertId: string): Promise<string>;
  /** Of our last movement on the charge, or, where there is none of ours, of the last observed. */
  refundState(chargeReference: string): Promise<string | undefined>;
  /** Every movement of the charge, oldest first. */
  movements(chargeReference?: string): Promise<MovementRow[]>;
  notifications(kind: string): Promise<number>;
  /** The kinds of the findings that are open, in order. */
  openFindings(): Promise<string[]>;
}

function alertOf(world: { clock: FixedClock; organisationId: string }, options: OpenCase): Alert {
  const at = nowIso(world.clock);
  const deadlineMs = world.clock.nowMs() + (options.windowHours ?? 48) * HOUR_MS;
  return {
    id: options.alertId,
    organisation_id: world.organisationId,
    enrolment_type: options.enrolmentType ?? 'NETA_ALERT',
    status: 'ACTION_REQUIRED',
    note: null,
    action_required_deadline: new Date(deadlineMs).toISOString(),
    transaction_amount_in_cents: options.amountMinor ?? 5000,
    transaction_currency_code: options.currency ?? 'EUR',
    transaction_refund_outcome: null,
    created_at: at,
    updated_at: at,
  };
}

async function decide(world: SagaWorld, options: OpenCase): Promise<void> {
  const { db, organisationId, clock } = world;
  const now = nowDate(clock);
  const action = options.decision ?? 'REFUND';
  await db.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('decision')
      .values({
        organisation_id: organisationId,
        alert_id: options.alertId,
        action,
        amount_minor: options.decidedMinor ?? null,
        currency: null,
        decided_by: options.decidedBy ?? 'policy',
        sentence: 'by the test',
        inputs: '{}',
        decided_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const received = await findCase(trx, organisationId, options.alertId);
    const matched = await moveCase(trx, received!, {
      to: 'MATCHED',
      now,
      nextActionAt: now,
      what: 'matched by the test',
      set: {
        charge_reference: options.chargeReference === undefined ? 'ch_1' : options.chargeReference,
        fallback_action: options.fallback ?? null,
        when_refused: options.whenRefused ?? null,
      },
    });
    await moveCase(trx, matched, {
      to: action === 'REFUND' ? 'DECIDED_REFUND' : 'DECIDED_ACCEPT',
      now,
      nextActionAt: now,
      what: 'decided by the test',
      set: { decision_id: id },
    });
  });
}

/** What a world has in common with another one. */
export interface SharedWithOthers {
  readonly clock?: FixedClock;
  readonly processor?: FakeProcessor;
}

/** Makes a world of its own organisation in the given database, whose handle may be one for that organisation. */
export function createSagaWorld(
  database: Kysely<Database> | ((organisationId: string) => Kysely<Database>),
  shared: SharedWithOthers = {},
): SagaWorld {
  organisations += 1;
  const organisationId = `org_${process.pid}_${organisations}`;
  const db = typeof database === 'function' ? database(organisationId) : database;
  const clock = shared.clock ?? createFixedClock(STARTS_AT);
  const processor = shared.processor ?? createFakeProcessor(clock);
  const service = createFakeAlertService(() => nowIso(clock));
  if (shared.processor === undefined) processor.addCharge('ch_1');
  const log = createLog({ level: 'silent' });
  const world: SagaWorld = {
    db,
    organisationId,
    clock,
    processor,
    service,
    settings: DEFAULT_REFUND_SETTINGS,
    shadow: false,
    worker(name): Worker {
      const deps: SagaDeps = {
        db,
        clock,
        log,
        organisationId,
        workerId: name,
        processor,
        alerts: service,
        applyAlertSnapshot: createApplyRead({ db, organisationId, clock }),
        settings: world.settings,
        openAlerts: createOpenAlerts(),
        locateCharge: async () => ({ kind: 'none' }),
        shadow: world.shadow,
      };
      const steps: CaseSteps = {
        ...createRefundSteps(deps),
        ...createDeclareSteps(deps),
        // The decide stage's steps: decided again, a case is left to a person; a held one stays held.
        MATCHED: async (claim) => {
          const hold = { reason: 'policy_review', fallback: 'none', now: nowDate(clock) } as const;
          await db.transaction().execute((trx) => holdCase(trx, claim, hold));
        },
        HUMAN: (claim) => db.transaction().execute((trx) => heldStep(trx, claim, nowDate(clock))),
      };
      const cases = createCaseRunner({ db, clock, log, organisationId, workerId: name, steps });
      const refunds = createMovementRunner(deps);
      return {
        deps,
        round: async (due = ANY) => {
          const rounds = [due.cases ? cases.runOnce() : 0, due.movements ? refunds.runOnce() : 0];
          return (await Promise.all(rounds)).reduce(add, 0);
        },
        start: () => [
          startLoop({ name: 'cases', ...cases, idleMs: IDLE_MS }, log),
          startLoop({ name: 'refunds', ...refunds, idleMs: IDLE_MS }, log),
        ],
      };
    },
    async open(options) {
      const alert = alertOf(world, options);
      service.alerts.set(alert.id, alert);
      await applyAlert(world, { ...alert });
      await decide(world, options);
    },
    async settle(workers) {
      for (let rounds = 0; rounds < 200; rounds++) if ((await roundOf(workers)) === 0) return;
      throw new Error('The world does not settle: rows stay due after 200 rounds.');
    },
    async pass(workers, hours) {
      const untilMs = clock.nowMs() + hours * HOUR_MS;
      for (let steps = 0; steps < 2_000; steps++) {
        const { cases, movements } = await nextPlans(world);
        const nextMs = Math.min(cases, movements);
        if (nextMs >= untilMs) break;
        clock.setMs(Math.max(nextMs, clock.nowMs()));
        const due = { cases: cases <= clock.nowMs(), movements: movements <= clock.nowMs() };
        // What is due and not claimed waits for something else than a moment.
        if ((await roundOf(workers, due)) === 0) clock.setMs(clock.nowMs() + 1);
      }
      clock.setMs(Math.max(untilMs, clock.nowMs()));
      await world.settle(workers);
    },
    say: (decision) =>
      applyOperatorDecision(db, {
        organisationId,
        alertId: 'netalrt_a',
        action: 'REFUND',
        note: '',
        operator: 'ada',
        now: nowDate(clock),
        ...decision,
      }),
    caseOf: async (alertId) => (await findCase(db, organisationId, alertId))!,
    state: async (alertId) => (await findCase(db, organisationId, alertId))!.state,
    refundState: async (chargeReference) => {
      const rows = await movementsOfCharge(db, { organisationId, chargeReference });
      return (rows.findLast((row) => row.idempotency_key !== null) ?? rows.at(-1))?.state;
    },
    movements: (chargeReference = 'ch_1') =>
      movementsOfCharge(db, { organisationId, chargeReference }),
    async notifications(kind) {
      const rows = await db
        .selectFrom('notification')
        .select('id')
        .where('organisation_id', '=', organisationId)
        .where('kind', '=', kind)
        .execute();
      return rows.length;
    },
    async openFindings() {
      const rows = await db
        .selectFrom('finding')
        .select('kind')
        .where('organisation_id', '=', organisationId)
        .where('closed_at', 'is', null)
        .orderBy('kind')
        .execute();
      return rows.map(({ kind }) => kind);
    },
  };
  return world;
}

/** What the decide stage does with a held case, as far as money is concerned. */
async function heldStep(trx: Transaction<Database>, claim: CaseRow, now: Date): Promise<void> {
  const charge = {
    organisationId: claim.organisation_id,
    chargeReference: claim.charge_reference ?? '',
  };
  const ledger = await readLedger(trx, charge);
  const own = claimOfAlert(ledger, claim.alert_id);
  if (isCovered(ledger, own, false) && claim.deadline_at > now) {
    const movementId = movementBehind(ledger, own)?.id ?? null;
    await declareCovered(trx, claim, { ledger, movementId, now });
    return;
  }
  const isDue = claim.retry_at !== null && claim.retry_at <= now && claim.deadline_at > now;
  if (isDue) {
    const set = { retry_at: null };
    await moveCase(trx, claim, {
      to: 'DECIDED_REFUND',
      now,
      nextActionAt: now,
      what: 'again',
      set,
    });
    return;
  }
  const isFallback = claim.fallback_at !== null && claim.fallback_at <= now;
  if (isFallback && claim.fallback_action === 'ACCEPT_DISPUTE' && claim.deadline_at > now) {
    const set = { fallback_at: null, fallback_action: null, retry_at: null };
    await moveCase(trx, claim, {
      to: 'DECIDED_ACCEPT',
      now,
      nextActionAt: now,
      what: 'fallback',
      set,
    });
    return;
  }
  const next = [claim.retry_at, claim.fallback_at, new Date(now.getTime() + HOUR_MS)];
  const ahead = next.filter((at): at is Date => at !== null && at > now);
  const nextActionAt = new Date(Math.min(...ahead.map((at) => at.getTime())));
  await replanCase(trx, claim, { now, nextActionAt });
}

const add = (a: number, b: number): number => a + b;

async function applyAlert(world: SagaWorld, object: Record<string, unknown>): Promise<void> {
  const { db, organisationId, clock } = world;
  await db.transaction().execute((trx) =>
    applySnapshots(trx, {
      organisationId,
      source: 'poll',
      snapshots: [{ entity: 'alert', object, eventId: null }],
      now: nowDate(clock),
    }),
  );
}

/** What they claimed. A round that loses its database ends; the worker's loop continues, as in production. */
async function roundOf(workers: readonly Worker[], due?: Due): Promise<number> {
  const claimed = await Promise.all(workers.map((worker) => worker.round(due).catch(() => 1)));
  return claimed.reduce(add, 0);
}

/** The earliest moments at which a case and a refund can be claimed; infinite when none is planned. */
async function nextPlans({ db, organisationId }: SagaWorld) {
  // `greatest` skips nulls: a row without a lease is due at its plan.
  const { rows } = await sql<{ cases: Date | null; movements: Date | null }>`
    select
      (select min(greatest(next_action_at, lease_until)) from alert_case
        where organisation_id = ${organisationId} and is_open) as cases,
      (select min(greatest(next_action_at, lease_until)) from movement
        where organisation_id = ${organisationId} and next_action_at is not null) as movements`.execute(
    db,
  );
  const moment = (at: Date | null | undefined): number => at?.getTime() ?? Number.POSITIVE_INFINITY;
  return { cases: moment(rows[0]?.cases), movements: moment(rows[0]?.movements) };
}
