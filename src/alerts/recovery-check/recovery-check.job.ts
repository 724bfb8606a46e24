/**
 * "Reconcile first": after a restore, a takeover by a standby or a long silence, no refund is sent
 * and nothing is declared before the service has been polled and the processor asked about the charge
 * of every open case.
 *
 * Durable: the last sign of life, and the recovery check under way, both in `fact`; the check ends by itself. While
 * it is under way nothing that sends or declares is claimed (`claim-gate.store.ts`); deadlines, alarms and deliveries
 * continue. Charges that the processor cannot be asked about are held back by themselves in the end (`unchecked-charges.job.ts`).
 */
import { sql } from 'kysely';
import { z } from 'zod';
import { writeAudit } from '../../base/audit/audit.store.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { takeLease } from '../../base/jobs/cluster-lease.store.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import { HEARTBEAT_MS } from '../../base/jobs/heartbeat.store.ts';
import type { LoopSpec } from '../../base/jobs/loop.ts';
import { readNamedValues } from '../../base/jobs/named-value.store.ts';
import { wake, wakeLocally } from '../../base/jobs/wake.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { LEASE_MS } from '../../base/kernel/limits.ts';
import type { DatabaseIdentity, IdentityKind } from '../guard/database-identity.store.ts';
import { findIdentity } from '../guard/database-identity.store.ts';
import type { LastSign, RecoveryCheck } from '../guard/recovery-check.store.ts';
import {
  endRecoveryCheck,
  extendAlive,
  hasCaseBefore,
  hasRecoveryWork,
  lockAlive,
  RECOVERY_FACTS,
  readAlive,
  readRecoveryCheck,
  recoveryStateOf,
  writeAlive,
  writeRecoveryCheck,
} from '../guard/recovery-check.store.ts';
import { conclusiveAtMs, reasonToCheck, SILENCE_MS } from '../guard/recovery-check-rule.ts';
import type { UncheckedCharges } from '../guard/unchecked-charges.store.ts';
import { MOVEMENT_TOPIC } from '../ledger/movement.store.ts';
import { RECONCILE_FACTS } from '../reconcile/reconcile-facts.ts';
import { RECONCILE_TOPIC } from '../reconcile/reconcile-request.store.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import { beginRecoveryCheck, POLL } from './begin-recovery-check.ts';
import type { CheckProgress } from './forgotten-refunds.ts';
import { bookForgottenRefunds, startProgress } from './forgotten-refunds.ts';
import { reportLostTime } from './lost-time.ts';
import { chargesToHoldBack, createUncheckedChargesJob, holdBack } from './unchecked-charges.job.ts';

/**
 * How often each process wakes its own poll while a check waits for one, in milliseconds: only the holder of the
 * poll's lease can poll, and a holder that died is followed by another process when the lease ends.
 */
const POLL_AGAIN_MS = LEASE_MS;

/** Watches for lost time, and asks the service and the processor before anything is sent. */
export interface RecoveryWatch {
  /**
   * Writes a sign of life, and begins a check where there is a reason: true then.
   *
   * @param known how much this server tells about itself, where that was just found out
   */
  watch(known?: IdentityKind): Promise<boolean>;
  /** What it wrote last; undefined: it has to judge for itself. */
  lastSign(): LastSign | undefined;
  /** Somebody has written it for this process and many organisations together. */
  signed(nowMs: number): void;
  readonly spec: LoopSpec;
}

/** Creates the recovery check after a restore or a silence; one per worker. The first `watch` also judges how long no worker was there. */
export function createRecoveryCheck(deps: SagaDeps): RecoveryWatch {
  const { db, clock, organisationId } = deps;
  let wroteMs: number | undefined;
  let kind: IdentityKind | undefined;
  let progress: (CheckProgress & { readonly since: string }) | undefined;
  const uncheckedJob = createUncheckedChargesJob(deps);
  /** One statement while there is no sign of lost time. */
  const extend = async (nowMs: number): Promise<boolean> => {
    if (kind === undefined || wroteMs === undefined) return false;
    const sign = { kind, wroteMs, nowMs };
    // The server may tell less about itself than before.
    kind = undefined;
    const isExtended = await extendAlive(db, organisationId, sign);
    kind = sign.kind;
    return isExtended;
  };
  /** At a start, one statement where a worker wrote a sign of life until just now. */
  const takeUp = async (nowMs: number, known: IdentityKind): Promise<boolean> => {
    const sign = { kind: known, wroteMs: nowMs - SILENCE_MS, nowMs };
    const isTakenUp = await extendAlive(db, organisationId, sign);
    if (isTakenUp) kind = known;
    return isTakenUp;
  };
  const judge = async (nowMs: number): Promise<boolean> => {
    const present = await findIdentity(db);
    kind = present.kind;
    return await watchOnce(deps, present, { nowMs, wroteMs });
  };
  const watch = async (known?: IdentityKind): Promise<boolean> => {
    const nowMs = clock.nowMs();
    if (known !== undefined && wroteMs === undefined && (await takeUp(nowMs, known))) {
      wroteMs = nowMs;
      return false;
    }
    const hasBegun = !(await extend(nowMs)) && (await judge(nowMs));
    wroteMs = nowMs;
    return hasBegun;
  };
  let asked: { readonly since: string; readonly atMs: number } | undefined;
  /** In every process, whichever continues with the check: a word to the others is lost while a database is away. */
  const wakePoll = ({ since }: RecoveryCheck): void => {
    const atMs = clock.nowMs();
    if (asked?.since === since && atMs - asked.atMs < POLL_AGAIN_MS) return;
    asked = { since, atMs };
    wakeLocally(db, RECONCILE_TOPIC);
  };
  const runCheck = async (check: RecoveryCheck, isPolled: boolean): Promise<number> => {
    if (progress?.since !== check.since) progress = { since: check.since, ...startProgress() };
    const waitsFor = isPolled ? await goOn(deps, check, progress) : POLL;
    const unchecked = chargesToHoldBack(progress, clock.nowMs());
    if (unchecked !== undefined) return await finish(deps, { check, progress, unchecked });
    if (waitsFor !== undefined && waitsFor !== check.waitsFor) {
      await writeRecoveryCheck(db, organisationId, {
        check: { ...check, waitsFor },
        now: nowDate(clock),
      });
    }
    return 0;
  };
  const runOnce = async (): Promise<number> => {
    // Something was done: anyone who runs the loops by hand until nothing is left polls, and comes back.
    if (await watch()) return 1;
    const facts = await readNamedValues(db, organisationId, FACTS);
    const { check, unchecked } = recoveryStateOf(facts);
    if (check === undefined && unchecked.size === 0) return 0;
    const isPolled = check !== undefined && hasPolled(facts, Date.parse(check.since));
    if (check?.waitsFor === POLL && !isPolled) wakePoll(check);
    // It waits for the poll, and need not say so: a lease would be written for nothing, every two seconds.
    const isAtRest = check?.waitsFor === POLL && !isPolled && progress?.since !== check.since;
    if (isAtRest || !(await hold(deps))) return 0;
    if (check === undefined) return await uncheckedJob.runOnce(unchecked);
    return await runCheck(check, isPolled);
  };
  return {
    watch,
    lastSign: () => (kind === undefined || wroteMs === undefined ? undefined : { kind, wroteMs }),
    signed(nowMs): void {
      wroteMs = nowMs;
    },
    spec: {
      name: 'reconcile-first',
      idleMs: HEARTBEAT_MS,
      runOnce,
      get isDue(): DueCondition {
        return IS_DUE[kind ?? 'unknown'];
      },
    },
  };
}

/** By how much this server tells about itself; every organisation's loop shares them. */
const IS_DUE: Readonly<Record<IdentityKind | 'unknown', DueCondition>> = {
  full: (_now, organisation) => hasRecoveryWork(organisation, 'full'),
  objects: (_now, organisation) => hasRecoveryWork(organisation, 'objects'),
  unknown: () => sql<boolean>`true`,
};

/** One process continues with a check; the others wait. */
async function hold({ db, clock, organisationId, workerId }: SagaDeps): Promise<boolean> {
  const now = nowDate(clock);
  const until = new Date(now.getTime() + LEASE_MS);
  return await takeLease(db, {
    organisationId,
    name: 'reconcile_first',
    holder: workerId,
    now,
    until,
  });
}

async function watchOnce(
  deps: SagaDeps,
  present: DatabaseIdentity,
  { nowMs, wroteMs }: { readonly nowMs: number; readonly wroteMs: number | undefined },
): Promise<boolean> {
  const { db, organisationId, log } = deps;
  const begun = await inTransaction(db, async (trx) => {
    await lockAlive(trx, organisationId);
    const lastAlive = await readAlive(trx, organisationId);
    const known = { nowMs, wroteMs, identity: present.identity };
    const before = new Date(nowMs - SILENCE_MS);
    const hasPast = lastAlive === undefined && (await hasCaseBefore(trx, organisationId, before));
    const reason = reasonToCheck(lastAlive, { ...known, hasPast });
    // Never back: two workers' clocks differ by a little.
    const atMs = reason === undefined ? Math.max(nowMs, lastAlive?.atMs ?? 0) : nowMs;
    await writeAlive(trx, organisationId, { ...present, atMs });
    if (reason === undefined) return undefined;
    // A check under way covers a further silence.
    if (reason === 'silence' && (await readRecoveryCheck(trx, organisationId)) !== undefined)
      return undefined;
    const aliveMs = lastAlive?.atMs ?? null;
    await beginRecoveryCheck(trx, organisationId, { reason, aliveMs, nowMs });
    return reason;
  });
  if (begun === undefined) return false;
  log.warn({ reason: begun }, 'reconciling first: no refund, no answer');
  return true;
}

/** What the check still waits for after the poll; undefined when it is over. */
async function goOn(
  deps: SagaDeps,
  check: RecoveryCheck,
  progress: CheckProgress,
): Promise<string | undefined> {
  const { clock, processor } = deps;
  const sinceMs = Date.parse(check.since);
  const signal = AbortSignal.timeout(LEASE_MS);
  const lost = { sinceMs, aliveMs: check.alive === null ? null : Date.parse(check.alive) };
  const capabilities = await processor.capabilities(signal);
  if (capabilities === undefined) return 'the processor: it did not say what it offers';
  const conclusiveMs = conclusiveAtMs(lost, capabilities);
  if (clock.nowMs() < conclusiveMs) {
    return `the moment from which the processor shows everything, ${new Date(conclusiveMs).toISOString()}`;
  }
  const mustRead = check.couldRefund === true;
  const unanswered = await bookForgottenRefunds(deps, progress, { signal, mustRead });
  return unanswered === undefined ? undefined : `the processor: ${unanswered}`;
}

const pollReport = z.object({ startedAt: z.iso.datetime() });

const FACTS = [
  ...RECOVERY_FACTS,
  RECONCILE_FACTS.lastPollReport,
  RECONCILE_FACTS.lastPollAt,
] as const;

/** Whether a poll that began after the check has read the whole list of open alerts. */
function hasPolled(facts: ReadonlyMap<string, unknown>, sinceMs: number): boolean {
  const { data } = pollReport.safeParse(facts.get(RECONCILE_FACTS.lastPollReport));
  const readAt = facts.get(RECONCILE_FACTS.lastPollAt);
  if (data === undefined || typeof readAt !== 'string') return false;
  const startedMs = Date.parse(data.startedAt);
  return startedMs >= sinceMs && Date.parse(readAt) >= startedMs;
}

interface FinishedCheck {
  readonly check: RecoveryCheck;
  readonly progress: CheckProgress;
  readonly unchecked: UncheckedCharges;
}

async function finish(
  deps: SagaDeps,
  { check, progress, unchecked }: FinishedCheck,
): Promise<number> {
  const { db, clock, organisationId, log } = deps;
  const { checked, booked, unanswered } = progress;
  const isEnded = await inTransaction(db, async (trx) => {
    if (!(await endRecoveryCheck(trx, organisationId, check))) return false;
    await holdBack(trx, deps, { unanswered, unchecked });
    await reportLostTime(trx, organisationId, { check, now: nowDate(clock) });
    await writeAudit(trx, {
      organisationId,
      at: nowDate(clock),
      subject: 'system',
      subjectId: 'reconcile_first',
      actor: 'forestall',
      what: 'reconciled first',
      detail: { reason: check.reason, looked: checked, booked, withheld: unchecked.size },
    });
    await wake(trx, 'case');
    await wake(trx, MOVEMENT_TOPIC);
    return true;
  });
  const facts = { looked: checked, booked, withheld: [...unchecked.keys()] };
  if (isEnded) log.warn(facts, 'reconciled: refunds and answers continue');
  return isEnded ? 1 : 0;
}
