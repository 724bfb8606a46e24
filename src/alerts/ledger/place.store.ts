/**
 * Places the alerts of a charge in disputes, and keeps the disputes' amounts: what the pure rule says,
 * written. A person's word (`joinDispute`) replaces the rule's until money or an answer depends on it.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../../base/audit/audit.store.ts';
import type { Trx } from '../../base/db/database.ts';
import { createId } from '../../base/kernel/ids.ts';
import type { Money } from '../../base/kernel/money.ts';
import type { ChargeKey } from './ledger.store.ts';
import type { Dispute, DisputedAlert, Ledger } from './ledger.ts';
import type { Placement, SamePartRule } from './same-dispute.ts';
import { amountOf, claimedMinor, placeAlert } from './same-dispute.ts';

/** Where and when alerts are placed. */
export interface PlaceContext {
  readonly charge: ChargeKey;
  /** What was captured, or authorised; undefined: not known, and nothing can be placed. */
  readonly money: Money | undefined;
  readonly samePart: SamePartRule;
  readonly now: Date;
}

/** The ledger with its alerts placed. Those the rule leaves to a person stay unplaced. */
export async function placeAlerts(
  trx: Trx,
  ledger: Ledger,
  context: PlaceContext,
): Promise<Ledger> {
  const { money } = context;
  if (money === undefined) return ledger;
  let current = await storeAmounts(trx, ledger, { ...context, money });
  for (const alert of current.unplaced) {
    if (alert.status === 'INVALID') continue;
    const placement = placeAlert(current, alert, { charge: money, samePart: context.samePart });
    if (placement.kind !== 'undecided') {
      current = await place(trx, current, { ...context, money, alert, placement });
    }
  }
  return current;
}

interface Placed extends PlaceContext {
  readonly money: Money;
  readonly alert: DisputedAlert;
  readonly placement: Exclude<Placement, { kind: 'undecided' }>;
}

async function place(
  trx: Trx,
  ledger: Ledger,
  { charge, money, alert, placement, now }: Placed,
): Promise<Ledger> {
  const claimed = claimedMinor(alert, money);
  const known = ledger.disputes.find(
    ({ id }) => placement.kind === 'same' && id === placement.disputeId,
  );
  const dispute =
    known === undefined
      ? newDispute({ amountMinor: claimed, currency: money.currency })
      : await growTo(trx, charge, { ...known, amountMinor: Math.max(known.amountMinor, claimed) });
  await nameDispute(trx, {
    charge,
    alertId: alert.alertId,
    disputeId: dispute.id,
    ...(known === undefined ? { opens: dispute } : {}),
    reason: placement.reason,
    duplicate: placement.kind === 'same' && placement.duplicate,
    isNetwork: alert.enrolmentType === 'NETB_RDR',
    actor: 'forestall',
    now,
  });
  return withAlert(ledger, dispute, alert);
}

function withAlert(ledger: Ledger, dispute: Dispute, alert: DisputedAlert): Ledger {
  const joined = { ...dispute, alerts: [...dispute.alerts, alert] };
  const isKnown = ledger.disputes.some(({ id }) => id === dispute.id);
  return {
    ...ledger,
    movements: ledger.movements.map((each) =>
      each.kind === 'network' && each.alertId === alert.alertId
        ? { ...each, disputeId: dispute.id }
        : each,
    ),
    unplaced: ledger.unplaced.filter(({ alertId }) => alertId !== alert.alertId),
    disputes: isKnown
      ? ledger.disputes.map((each) => (each.id === dispute.id ? joined : each))
      : [...ledger.disputes, joined],
  };
}

/** A dispute that is not stored yet: `nameDispute` opens it. */
export function newDispute({ amountMinor, currency }: Money): Dispute {
  return { id: createId('dsp'), amountMinor, currency, alerts: [] };
}

async function growTo(trx: Trx, charge: ChargeKey, grown: Dispute): Promise<Dispute> {
  await setAmount(trx, charge, grown);
  return grown;
}

/** Amounts follow what the alerts say today. */
async function storeAmounts(
  trx: Trx,
  ledger: Ledger,
  { charge, money }: PlaceContext & { readonly money: Money },
): Promise<Ledger> {
  const disputes: Dispute[] = [];
  for (const dispute of ledger.disputes) {
    const amountMinor = amountOf(dispute, money);
    const kept = { ...dispute, amountMinor, currency: money.currency };
    if (amountMinor !== dispute.amountMinor || money.currency !== dispute.currency) {
      await setAmount(trx, charge, kept);
    }
    disputes.push(kept);
  }
  return { ...ledger, disputes };
}

async function setAmount(
  trx: Trx,
  { organisationId }: ChargeKey,
  { id, amountMinor, currency }: Dispute,
): Promise<void> {
  await trx
    .updateTable('dispute')
    .set({ amount_minor: amountMinor, currency })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .execute();
}

/** An alert and the dispute it is to belong to. */
export interface NamedDispute {
  readonly charge: ChargeKey;
  readonly alertId: string;
  readonly disputeId: string;
  /** The dispute where it is a new one, opened with the same statement. */
  readonly opens?: Money;
  readonly reason: string;
  /** The same complaint, reported again. */
  readonly duplicate: boolean;
  /** The alert is the network's own refund, whose money follows it. */
  readonly isNetwork: boolean;
  readonly actor: string;
  readonly now: Date;
}

function opening({ charge, disputeId, now }: NamedDispute, money: Money): RawBuilder<unknown> {
  return sql`insert into dispute (organisation_id, id, charge_reference, amount_minor, currency, opened_at)
    values (${charge.organisationId}, ${disputeId}, ${charge.chargeReference}, ${money.amountMinor}, ${money.currency}, ${now})`;
}

/** Writes to which dispute an alert belongs, with the reason. */
export async function nameDispute(trx: Trx, named: NamedDispute): Promise<void> {
  const { charge, alertId, disputeId, reason, duplicate, isNetwork, actor, now } = named;
  const { organisationId } = charge;
  await sql`
    ${named.opens === undefined ? sql`` : sql`with opened as (${opening(named, named.opens)})`}
    update alert_case set dispute_id = ${disputeId}
    where organisation_id = ${organisationId} and alert_id = ${alertId}`.execute(trx);
  if (isNetwork) {
    await trx
      .updateTable('movement')
      .set({ dispute_id: disputeId })
      .where('organisation_id', '=', organisationId)
      .where('kind', '=', 'network')
      .where('observed_from', '=', alertId)
      .execute();
  }
  await writeAudit(trx, {
    organisationId,
    at: now,
    subject: 'dispute',
    subjectId: disputeId,
    alertId,
    actor,
    what: duplicate ? 'the same dispute, reported again' : 'alert placed in a dispute',
    detail: { charge: charge.chargeReference, reason },
  });
}
