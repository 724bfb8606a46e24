/**
 * The three books compared: the service's alerts, the processor's ledger, our rows. A difference is
 * allowed only where a person was told of it; silence is a violation.
 */
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { ChargeRecord, RefundRecord } from '../../src/sandbox/state/charges.ts';
import type { AlertRecord } from '../../src/sandbox/state/resources.ts';
import { ours, standing, sumOf } from './oracle.ts';
import type { Truth } from './truth.ts';
import { Violation } from './violation.ts';
import type { Wire } from './wire.ts';

/** A case of ours, as far as the books go. */
export interface CaseEntry {
  readonly alert_id: string;
  readonly state: string;
  readonly is_open: boolean;
  readonly opened_at: Date;
  readonly deadline_at: Date;
  readonly alarmed_at: Date | null;
  readonly next_action_at: Date | null;
}

/** A movement of ours. */
export interface MovementEntry {
  readonly charge_reference: string;
  readonly alert_id: string;
  readonly state: string;
  readonly kind: string;
  readonly amount_minor: number;
  readonly idempotency_key: string;
}

/** Our own book. */
export interface OwnBook {
  readonly cases: readonly CaseEntry[];
  readonly movements: readonly MovementEntry[];
  /** Charges of which a person was told that money went back too often. */
  readonly paidTooOften: ReadonlySet<string>;
  /** Alerts of which a person was told, with the kinds of the messages. */
  readonly told: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads our own book, on a connection that belongs to nobody. */
export async function readOwnBook(raw: Wire, organisationId: string): Promise<OwnBook> {
  const { rows: cases } = await raw.query<CaseEntry>(
    `select alert_id, state, is_open, opened_at, deadline_at, alarmed_at, next_action_at from alert_case
     where organisation_id = $1 order by alert_id`,
    [organisationId],
  );
  const { rows: movements } = await raw.query<MovementEntry>(
    `select charge_reference, alert_id, state, kind, amount_minor, idempotency_key from movement
     where organisation_id = $1 and idempotency_key is not null order by charge_reference, id`,
    [organisationId],
  );
  const { rows: findings } = await raw.query<{ subject_id: string }>(
    `select subject_id from finding where organisation_id = $1 and kind = 'paid_too_often'`,
    [organisationId],
  );
  const { rows: messages } = await raw.query<{ alert_id: string; kinds: string[] }>(
    `select alert_id, array_agg(kind) as kinds from notification
     where organisation_id = $1 and alert_id is not null and severity <> 'info' group by alert_id`,
    [organisationId],
  );
  const told = new Map(messages.map((row) => [row.alert_id, new Set(row.kinds)]));
  const paidTooOften = new Set(findings.map((row) => row.subject_id));
  return { cases, movements, paidTooOften, told };
}

/** What the comparison found, as counts, for the report. */
export interface Balance {
  /** Cases by their last state. */
  readonly cases: Record<string, number>;
  /** Alerts whose books differ, each of them told to a person. */
  readonly listed: number;
  /** Alerts we never heard of and had nothing to answer: their webhook was lost, and no poll shows them. */
  readonly unheard: number;
  readonly refunds: number;
  readonly refundedMinor: number;
}

/** What several organisations came to together. */
export function addBalances(balances: readonly Balance[]): Balance {
  const cases: Record<string, number> = {};
  const total = { cases, listed: 0, unheard: 0, refunds: 0, refundedMinor: 0 };
  for (const balance of balances) {
    total.listed += balance.listed;
    total.unheard += balance.unheard;
    total.refunds += balance.refunds;
    total.refundedMinor += balance.refundedMinor;
    for (const [state, count] of Object.entries(balance.cases)) {
      cases[state] = (cases[state] ?? 0) + count;
    }
  }
  return total;
}

interface Books {
  readonly sandbox: Sandbox;
  readonly truth: Truth;
  readonly own: OwnBook;
}

/** Compares everything. @throws Violation */
export function compareBooks(books: Books): Balance {
  const { sandbox, own } = books;
  const cases: Record<string, number> = {};
  let listed = 0;
  let unheard = 0;
  const byAlert = new Map(own.cases.map((entry) => [entry.alert_id, entry]));
  for (const alert of sandbox.state.alerts.values()) {
    const entry = byAlert.get(alert.id);
    if (entry === undefined) {
      checkUnheard(books, alert.id);
      unheard += 1;
      continue;
    }
    cases[entry.state] = (cases[entry.state] ?? 0) + 1;
    if (checkAlert(books, entry)) listed += 1;
  }
  let refunds = 0;
  let refundedMinor = 0;
  const byCharge = Map.groupBy(own.movements, (entry) => entry.charge_reference);
  for (const charge of sandbox.charges()) {
    checkCharge(books, charge, byCharge.get(charge.reference) ?? []);
    for (const refund of ours(charge)) {
      refunds += 1;
      refundedMinor += refund.amount_in_cents;
    }
  }
  return { cases, listed, unheard, refunds, refundedMinor };
}

/** Polls show open alerts only: one that was closed before the next poll can stay unknown, an open one not. */
function checkUnheard({ sandbox, truth }: Books, id: string): void {
  if (truth.rdr.has(id) || sandbox.state.alerts.get(id)?.status !== 'ACTION_REQUIRED') return;
  throw new Violation('books', `${id} waits for an answer and is unknown to us`, id);
}

/** Our states that say how the alert ended at the service. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  DECLARED_REFUND: ['RESOLVED REFUNDED'],
  DECLARED_ACCEPT: ['RESOLVED NOT_REFUNDED'],
  CLOSED_REMOTE: ['RESOLVED REFUNDED', 'RESOLVED NOT_REFUNDED'],
  CLOSED_INVALID: ['INVALID null'],
};

/** Whether the alert's books differ, and somebody was told. */
function checkAlert({ sandbox, truth, own }: Books, entry: CaseEntry): boolean {
  const alert = sandbox.state.alerts.get(entry.alert_id);
  const { state, alert_id: id } = entry;
  if (alert === undefined) throw new Violation('books', `${id} is unknown to the service`, id);
  if (truth.rdr.has(id)) {
    // Withdrawn before it was first heard of: there is no money to book.
    const isGone = state === 'CLOSED_INVALID' && alert.status === 'INVALID';
    if (state === 'RECONCILED_RDR' || isGone) return false;
    throw new Violation('I4', `the RDR alert ${id} ended as ${state}`, id);
  }
  const remote = `${alert.status} ${alert.transaction_refund_outcome}`;
  const told = own.told.get(id) ?? new Set<string>();
  if (ENDS[state]?.includes(remote) === false) {
    throw new Violation('books', `${id} is ${state} with us and ${remote} at the service`, id);
  }
  if (state === 'CONFLICT' && !told.has('conflict')) {
    throw new Violation('books', `${id} is a conflict and nobody was told`, id);
  }
  const hasDifference =
    isPaidForNothing(own, alert, { sandbox, truth }) ||
    isUncovered(entry, alert, { sandbox, truth });
  if (hasDifference && told.size === 0) {
    throw new Violation(
      'books',
      `${id} ended ${remote}, the money says otherwise, and nobody was told`,
      id,
    );
  }
  return state === 'CONFLICT' || hasDifference || entry.is_open;
}

type World = Pick<Books, 'sandbox' | 'truth'>;

function chargeOf({ sandbox, truth }: World, alertId: string): ChargeRecord | undefined {
  return sandbox.state.charges.get(truth.chargeOf.get(alertId) ?? '');
}

/** We refunded for it, and it did not end as refunded. */
function isPaidForNothing(own: OwnBook, alert: AlertRecord, world: World): boolean {
  const charge = chargeOf(world, alert.id);
  if (charge === undefined || alert.transaction_refund_outcome === 'REFUNDED') return false;
  const keys = new Set(ours(charge).map((each) => each.idempotency_key));
  return own.movements.some((each) => each.alert_id === alert.id && keys.has(each.idempotency_key));
}

/** We said that it was refunded, and what came back has gone again (L6). */
function isUncovered({ state }: CaseEntry, alert: AlertRecord, world: World): boolean {
  if (state !== 'DECLARED_REFUND') return false;
  const charge = chargeOf(world, alert.id);
  if (charge?.status === 'voided') return false;
  const outMinor = charge === undefined ? 0 : backMinor(world.truth, charge);
  const wholeMinor = charge?.amount_in_cents ?? 0;
  return outMinor < Math.min(alert.transaction_amount_in_cents ?? 0, wholeMinor || Infinity);
}

/** What has gone back on a charge in all, as it stands now. */
function backMinor(truth: Truth, charge: ChargeRecord): number {
  const { reference } = charge;
  const network = truth.networkMinor.get(reference) ?? 0;
  return sumOf(standing(charge)) + network + (truth.outsideMinor.get(reference) ?? 0);
}

/** States of a movement that say that money of ours went out. */
const MOVED = new Set(['CONFIRMED', 'PENDING']);

/** Network money whose alert names no charge came on top: people were told of that alert, not of the charge. */
function isToldOfNetwork({ own, sandbox, truth }: Books, charge: ChargeRecord): boolean {
  return [...truth.rdr].some((id) => {
    const alert = sandbox.state.alerts.get(id);
    return (
      own.told.get(id)?.has('network_money_without_charge') === true &&
      alert?.transaction_amount_in_cents === truth.networkMinor.get(charge.reference) &&
      alert?.transaction_card_last4 === charge.card.last4
    );
  });
}

/** Each refund of ours has its movement, and each movement that says so its refund. */
function checkCharge(books: Books, charge: ChargeRecord, entries: readonly MovementEntry[]): void {
  const { own, truth } = books;
  const { reference } = charge;
  const made = ours(charge);
  for (const refund of made) checkBooked(own, refund, entries);
  const keys = new Set(made.map(({ idempotency_key: key }) => key));
  for (const { idempotency_key: key, state, kind } of entries) {
    if (!MOVED.has(state) || keys.has(key) || truth.turned.has(reference)) continue;
    if (kind === 'void' && charge.status === 'voided') continue;
    throw differs(reference, `our row says ${state}, and the processor has no refund`);
  }
  const outMinor = backMinor(truth, charge);
  const isTold = own.paidTooOften.has(reference) || isToldOfNetwork(books, charge);
  if (outMinor > charge.amount_in_cents && made.length > 0 && !isTold) {
    const text = `${outMinor} of ${charge.amount_in_cents} went back, and nobody was told`;
    throw differs(reference, text);
  }
}

function checkBooked(own: OwnBook, refund: RefundRecord, entries: readonly MovementEntry[]): void {
  const { charge_reference: reference, amount_in_cents: minor } = refund;
  const named = entries.filter((each) => each.idempotency_key === refund.idempotency_key);
  const entry = named.find(({ state }) => MOVED.has(state)) ?? named[0];
  if (entry === undefined) {
    throw differs(reference, `${minor} went out under a key that no row of ours carries`);
  }
  const { state, alert_id: alertId, amount_minor: bookedMinor } = entry;
  if (!MOVED.has(state) && !own.told.has(alertId)) {
    throw differs(reference, `refunded, and our row says ${state}`);
  }
  if (minor !== bookedMinor) {
    throw differs(reference, `${minor} went out, and our row says ${bookedMinor}`);
  }
}

function differs(reference: string, text: string): Violation {
  return new Violation('books', `charge ${reference}: ${text}`, reference);
}
