/**
 * The guard rails, asked in the transaction that sends a refund: the kill switch, the breaker, the
 * caps, and the second person.
 *
 * They hold whatever a policy or one person decided. The caps' lock makes the answer and the sending
 * one step, so that no interleaving of workers passes the last free place twice.
 */
import type { Transaction } from 'kysely';
import type { CaseRow } from '../cases/case.store.ts';
import { readCaseDecider } from '../cases/case-decision.store.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import type { Database } from '../db/database.ts';
import type { RefundRow } from '../refund/refund.store.ts';
import { isApproved } from './approval.store.ts';
import { updateBreaker } from './breaker.store.ts';
import { lockCaps, readCustomer, readSent, writeCustomer } from './caps.store.ts';
import type { Sent } from './caps.ts';
import { brokenCap } from './caps.ts';
import type { AmountLimits, GuardSettings } from './guard-settings.ts';
import { isPaused } from './pause.store.ts';

/** The case for which the refund is sent, and by which settings it is judged. */
export interface GuardedSending {
  readonly owner: CaseRow;
  readonly settings: GuardSettings;
  readonly now: Date;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Why the refund may not be sent now, or undefined. Call it under the charge's lock, right before the
 * row becomes `SENT` for the first time under its key; a repeat of a key was counted already.
 *
 * A void moves no money: only the kill switch and the breaker speak about it.
 */
export async function guardRefund(
  trx: Transaction<Database>,
  refund: RefundRow,
  sending: GuardedSending,
): Promise<HoldReason | undefined> {
  const { settings, now, owner } = sending;
  const organisationId = refund.organisation_id;
  if (await isPaused(trx, organisationId)) return 'paused';
  await lockCaps(trx, organisationId);
  const operator = await readCaseDecider(trx, owner);
  if (refund.kind === 'refund') {
    const reason = await countedRefusal(trx, refund, { settings, now });
    if (reason !== undefined) return reason;
  }
  const approved = needsApproval(refund, settings.approvalAboveMinor)
    ? await isApproved(trx, termsOf(refund, { owner, operator, now }))
    : undefined;
  if (approved === false) return 'approval_needed';
  const isAutomatic = operator === undefined && approved !== true;
  if (!isAutomatic || settings.breaker === null) return undefined;
  const scope = { organisationId, settings: settings.breaker, now };
  return (await updateBreaker(trx, scope)) ? 'breaker_open' : undefined;
}

/** The caps; what passes is recorded under its customer, for the counts to come. */
async function countedRefusal(
  trx: Transaction<Database>,
  refund: RefundRow,
  { settings, now }: Pick<GuardedSending, 'settings' | 'now'>,
): Promise<HoldReason | undefined> {
  const { caps } = settings;
  const organisationId = refund.organisation_id;
  const identities = await readCustomer(trx, {
    organisationId,
    chargeReference: refund.charge_reference,
  });
  const sentWithin = async (windowMs: number, customer?: readonly string[]): Promise<Sent> =>
    await readSent(trx, {
      organisationId,
      since: new Date(now.getTime() - windowMs),
      ...(customer === undefined ? {} : { identities: customer }),
    });
  const reason = brokenCap(caps, {
    refund: { amountMinor: refund.amount_minor, currency: refund.currency },
    round: refund.round,
    hour: caps.hour === undefined ? NOTHING_SENT : await sentWithin(HOUR_MS),
    day: caps.day === undefined ? NOTHING_SENT : await sentWithin(DAY_MS),
    customer:
      caps.customer === undefined || identities.length === 0
        ? undefined
        : await sentWithin(caps.customer.days * DAY_MS, identities),
  });
  if (reason === undefined) await writeCustomer(trx, refund, identities);
  return reason;
}

const NOTHING_SENT: Sent = { count: 0, amountMinor: {} };

/** Whether the amount is above the one that a single person, or the policy alone, may send. */
export function needsApproval(
  refund: Pick<RefundRow, 'kind' | 'amount_minor' | 'currency'>,
  limits: AmountLimits | undefined,
): boolean {
  if (limits === undefined || refund.kind !== 'refund') return false;
  const limitMinor = limits[refund.currency];
  // A currency nobody named: better two people too many than one too few.
  return limitMinor === undefined || refund.amount_minor > limitMinor;
}

function termsOf(
  refund: RefundRow,
  by: { readonly owner: CaseRow; readonly operator: string | undefined; readonly now: Date },
): Parameters<typeof isApproved>[1] {
  return {
    organisationId: refund.organisation_id,
    alertId: by.owner.alert_id,
    chargeReference: refund.charge_reference,
    amountMinor: refund.amount_minor,
    currency: refund.currency,
    operator: by.operator,
    now: by.now,
  };
}
