/**
 * Charges that the processor could not be asked about when a check ended. Only their own cases wait
 * (`claim-gate.store.ts`), people are notified of each, and they are asked about again here: a charge is released once every
 * case of it has been checked, or none of them can be answered any more.
 */

import { ofCase, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { LEASE_MS } from '../../base/kernel/limits.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { readAlertCopy } from '../cases/alert-copy.store.ts';
import { wakeCasesOfCharge } from '../cases/wake-cases.store.ts';
import { lockAlive, readUncheckedCharges } from '../guard/recovery-check.store.ts';
import type { UncheckedCharges } from '../guard/unchecked-charges.store.ts';
import { writeUncheckedCharges } from '../guard/unchecked-charges.store.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import type { CheckProgress } from './forgotten-refunds.ts';
import { checkCases } from './forgotten-refunds.ts';
import type { ChargedCase } from './restored-case.store.ts';
import { openCasesWithCharge } from './restored-case.store.ts';

/** How long a charge is read without an answer before it is held back by itself, in milliseconds: no mere hiccup. */
const HOLD_BACK_AFTER_MS = 2 * 60_000;

/** Alerts that may be held back one by one; where more get no answer, the processor is away. */
const UNCHECKED_MAX = 50;

/** How often charges held back are asked about, in milliseconds, and how many of them at a time. */
const AGAIN_MS = 60_000;
const AGAIN_MAX = 8;

/** Alerts of one charge that are checked; more than two are very rare. */
const CASES_MAX = 10;

/** What is left to be held back so that the check can end; undefined while it cannot. */
export function chargesToHoldBack(
  { unanswered, throughAtMs }: CheckProgress,
  nowMs: number,
): UncheckedCharges | undefined {
  if (throughAtMs === undefined || unanswered.size > UNCHECKED_MAX) return undefined;
  if (unanswered.size > 0 && nowMs - throughAtMs < HOLD_BACK_AFTER_MS) return undefined;
  return new Map(
    [...unanswered.values()].map(({ chargeReference, reason }) => [chargeReference, reason]),
  );
}

/** Holds the charges back, in the transaction that ends the check: audited, and people are notified of each alert. */
export async function holdBack(
  trx: Trx,
  { organisationId, clock }: SagaDeps,
  {
    unanswered,
    unchecked,
  }: Pick<CheckProgress, 'unanswered'> & { readonly unchecked: UncheckedCharges },
): Promise<void> {
  const now = nowDate(clock);
  await lockAlive(trx, organisationId);
  await writeUncheckedCharges(trx, organisationId, { unchecked, now });
  for (const [alertId, { chargeReference, reason }] of unanswered) {
    await writeAudit(trx, {
      organisationId,
      at: now,
      ...ofCase(alertId),
      actor: 'forestall',
      what: 'held back: the processor cannot be asked about the charge',
      detail: { charge: chargeReference, reason },
    });
    await notify(trx, {
      organisationId,
      dedupeKey: `charge_withheld:${alertId}:${now.toISOString()}`,
      kind: 'charge_withheld',
      severity: 'error',
      alertId,
      text: `After a restore the processor cannot be asked about charge ${chargeReference} (${reason}). A refund of it may have been sent in the lost time, so alert ${alertId} is held back: nothing is refunded and nothing is answered for it until the processor answers. Look at the charge at the processor, and answer in the service's dashboard if time runs out.`,
      at: now,
    });
  }
}

/** Asks again about what is held back, a few charges at a time. */
export interface UncheckedChargesJob {
  /** Returns how many charges were released. */
  runOnce(unchecked: UncheckedCharges): Promise<number>;
}

/** Creates the job that asks again about charges that are held back. */
export function createUncheckedChargesJob(deps: SagaDeps): UncheckedChargesJob {
  const { clock } = deps;
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let place = 0;
  return {
    async runOnce(unchecked): Promise<number> {
      if (clock.nowMs() < nextAtMs) return 0;
      nextAtMs = clock.nowMs() + AGAIN_MS;
      const charges = [...unchecked.keys()].sort();
      if (place >= charges.length) place = 0;
      const asked = charges.slice(place, place + AGAIN_MAX);
      place += AGAIN_MAX;
      const signal = AbortSignal.timeout(LEASE_MS);
      const ends = await Promise.all(asked.map((charge) => isClear(deps, charge, signal)));
      const released = asked.filter((_, index) => ends[index] === true);
      if (released.length > 0) await inTransaction(deps.db, (trx) => release(trx, deps, released));
      return released.length;
    },
  };
}

/** Whether nothing is unknown about the charge any more, or nothing depends on it. */
async function isClear(
  deps: SagaDeps,
  chargeReference: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, organisationId, clock } = deps;
  const rows = await openCasesWithCharge(db, {
    organisationId,
    chargeReference,
    dueAfter: nowDate(clock),
    limit: CASES_MAX,
  });
  // A processor that is taken away answers nothing that was unknown before.
  const ends = await checkCases(deps, await stillOpen(db, rows), { signal, mustRead: true });
  return [...ends.values()].every(({ kind }) => kind !== 'unanswered');
}

/** Those whose alert the service has not closed: of the others nothing is sent or declared any more. */
async function stillOpen(db: Db, rows: readonly ChargedCase[]): Promise<ChargedCase[]> {
  const open: ChargedCase[] = [];
  for (const row of rows) {
    const alert = await readAlertCopy(db, row.organisation_id, row.alert_id);
    if (alert?.status !== 'RESOLVED' && alert?.status !== 'INVALID') open.push(row);
  }
  return open;
}

async function release(
  trx: Trx,
  { organisationId, clock }: SagaDeps,
  released: readonly string[],
): Promise<void> {
  const now = nowDate(clock);
  await lockAlive(trx, organisationId);
  const unchecked = new Map(await readUncheckedCharges(trx, organisationId));
  for (const chargeReference of released) {
    unchecked.delete(chargeReference);
    await writeAudit(trx, {
      organisationId,
      at: now,
      subject: 'system',
      subjectId: 'reconcile_first',
      actor: 'forestall',
      what: 'no longer held back',
      detail: { charge: chargeReference },
    });
    await wakeCasesOfCharge(trx, organisationId, { reference: chargeReference, now });
  }
  await writeUncheckedCharges(trx, organisationId, { unchecked, now });
}
