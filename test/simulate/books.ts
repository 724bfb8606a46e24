/**
 * The three books compared: the service's alerts, the processor's ledger, our rows. A difference is
 * allowed only where a person was told of it; silence is a violation.
 */
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { ChargeRecord } from '../../src/sandbox/state/charges.ts';
import { ours } from './oracle.ts';
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

/** A refund of ours. */
export interface RefundEntry {
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
  readonly refunds: readonly RefundEntry[];
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
  const { rows: refunds } = await raw.query<RefundEntry>(
    `select charge_reference, alert_id, state, kind, amount_minor, idempotency_key from refund
     where organisation_id = $1 order by charge_reference`,
    [organisationId],
  );
  const { rows: messages } = await raw.query<{ alert_id: string; kinds: string[] }>(
    `select alert_id, array_agg(kind) as kinds from notification
     where organisation_id = $1 and alert_id is not null and severity <> 'info' group by alert_id`,
    [organisationId],
  );
  const told = new Map(messages.map((row) => [row.alert_id, new Set(row.kinds)]));
  return { cases, refunds, told };
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
  const byCharge = new Map(own.refunds.map((entry) => [entry.charge_reference, entry]));
  for (const charge of sandbox.charges()) {
    checkCharge(books, charge, byCharge.get(charge.reference));
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
    if (state === 'RECONCILED_RDR') return false;
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
  const reference = truth.chargeOf.get(id) ?? null;
  const charge = reference === null ? undefined : sandbox.state.charges.get(reference);
  const refunded = charge !== undefined && ours(charge).some(() => true);
  const isPaidForNothing =
    refunded && state !== 'DECLARED_REFUND' && !remote.endsWith(' REFUNDED') && isSponsor(own, id);
  if (isPaidForNothing && told.size === 0) {
    throw new Violation('books', `${id} was refunded, ended ${remote}, and nobody was told`, id);
  }
  return state === 'CONFLICT' || isPaidForNothing || entry.is_open;
}

function isSponsor(own: OwnBook, alertId: string): boolean {
  return own.refunds.some((refund) => refund.alert_id === alertId);
}

/** States of a refund row that say that money of ours went out. */
const MOVED = new Set(['CONFIRMED', 'PENDING']);

function checkCharge(
  { own, truth }: Books,
  charge: ChargeRecord,
  entry: RefundEntry | undefined,
): void {
  const { reference } = charge;
  const made = ours(charge);
  const fail = (text: string): never => {
    throw new Violation('books', `charge ${reference}: ${text}`, reference);
  };
  if (entry === undefined) {
    if (made.length > 0) fail('we refunded it and have no row');
    return;
  }
  if (made.some((refund) => refund.idempotency_key !== entry.idempotency_key)) {
    fail('the refund stands under a key that is not its row’s');
  }
  const isTold = own.told.has(entry.alert_id);
  const [refund] = made;
  if (refund === undefined) {
    const isVoid = entry.kind === 'void' && charge.status === 'voided';
    if (MOVED.has(entry.state) && !isVoid && !truth.turned.has(reference)) {
      fail(`our row says ${entry.state}, and the processor has no refund`);
    }
    return;
  }
  if (!MOVED.has(entry.state) && !isTold) fail(`refunded, and our row says ${entry.state}`);
  if (refund.amount_in_cents !== entry.amount_minor) {
    fail(`${refund.amount_in_cents} went out, and our row says ${entry.amount_minor}`);
  }
}
