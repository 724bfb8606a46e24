/**
 * Whether the price of an alert can be claimed back, and which of our rows show it. Pure.
 *
 * Of several reasons the first of {@link CREDIT_CLASSES} is the claim's: an alert is billed once, so it is
 * credited once. A reason counts only where our rows show it without a doubt; money that moved after the
 * alert came is no reason, because then the alert did its work.
 */
import { isClaimId } from '../../alerts/cases/claim.ts';
import type { CreditClass, EvidenceRow } from './credit-claim.table.ts';

/** Another alert about the same dispute. */
export interface Sibling {
  readonly alertId: string;
  readonly enrolmentType: string | null;
  readonly status: string;
  /** ISO 8601, as all moments here. */
  readonly alertedAt: string;
  readonly amountMinor: number | null;
  readonly currency: string | null;
}

/** Money on the charge that is not ours. */
export interface OthersMoney {
  readonly id: string;
  readonly kind: 'external' | 'void' | 'chargeback';
  readonly state: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** When the processor says it was made, and when we first saw it. */
  readonly movedAt: string | null;
  readonly seenAt: string;
}

export interface Contested {
  readonly id: string;
  readonly disputedAt: string;
  readonly amountMinor: number | null;
  readonly currency: string | null;
}

export interface CreditFacts extends Sibling {
  readonly refundOutcome: string | null;
  readonly descriptor: string | null;
  /** No answer can change any more, or the deadline has passed without one. */
  readonly isOver: boolean;
  /** A person said that the transaction is not ours, and that was the answer. */
  readonly saidNotOursAt: string | null;
  readonly chargeReference: string | null;
  readonly charge: {
    readonly status: string;
    readonly amountMinor: number | null;
    readonly currency: string | null;
    readonly readAt: string | null;
  } | null;
  /** The first decision on the alert: the processor had been asked by then. */
  readonly firstDecidedAt: string | null;
  /** The last match. */
  readonly match: { readonly id: number; readonly outcome: string; readonly at: string } | null;
  readonly siblings: readonly Sibling[];
  readonly othersMoney: readonly OthersMoney[];
  /** Contested disputes that name the charge, with the day on which they began. */
  readonly representments: readonly Contested[];
  /** Descriptors of the enrolment it came through; empty: not known. */
  readonly descriptors: readonly { readonly descriptor: string; readonly matchType: string }[];
}

export interface CreditFinding {
  readonly class: CreditClass;
  readonly evidence: readonly EvidenceRow[];
}

/** A look at the processor this soon after the alert shows what was there before it, in milliseconds. */
const FIRST_LOOK_MS = 60 * 60_000;

export function creditOf(facts: CreditFacts): CreditFinding | undefined {
  // What we owe without an alert was not billed.
  if (!facts.isOver || isClaimId(facts.alertId)) return undefined;
  for (const [name, prove] of PROOFS) {
    const evidence = prove(facts);
    if (evidence !== undefined) {
      return { class: name, evidence: [alertRow(facts, 'the alert that was billed'), ...evidence] };
    }
  }
  return undefined;
}

/** The rows that prove a reason, or undefined. */
type Proof = (facts: CreditFacts) => readonly EvidenceRow[] | undefined;

const PROOFS: readonly (readonly [CreditClass, Proof])[] = [
  ['INVALID', withdrawn],
  ['NOT_OURS', notOurs],
  ['DUPLICATE', reportedTwice],
  ['OTHER_NETWORK', reportedElsewhere],
  ['CHARGED_BACK', chargedBack],
  ['ALREADY_REFUNDED', alreadyRefunded],
  ['NOT_CAPTURED', notCaptured],
  ['NOT_FOUND', notFound],
];

function withdrawn({ status }: CreditFacts): readonly EvidenceRow[] | undefined {
  return status === 'INVALID' ? [] : undefined;
}

function notOurs(facts: CreditFacts): readonly EvidenceRow[] | undefined {
  const { alertId, saidNotOursAt: at, descriptor, descriptors } = facts;
  if (at !== null) {
    return [row('declaration', alertId, { at, shows: 'a person said that it is not ours' })];
  }
  // A network routes by descriptor: one that none of ours covers is somebody else's.
  if (!isNotFound(facts) || descriptor === null || descriptors.length === 0) return undefined;
  const given = descriptor.toUpperCase();
  const isOurs = descriptors.some(({ descriptor: own, matchType }) =>
    matchType === 'EXACT_MATCH' ? given === own.toUpperCase() : given.startsWith(own.toUpperCase()),
  );
  if (isOurs) return undefined;
  return searchRows(facts, `no enrolled descriptor covers "${descriptor}"`);
}

function reportedTwice(facts: CreditFacts): readonly EvidenceRow[] | undefined {
  return reportedBefore(facts, true);
}

function reportedElsewhere(facts: CreditFacts): readonly EvidenceRow[] | undefined {
  return reportedBefore(facts, false);
}

/** The first alert about the same dispute, where it came before this one. */
function reportedBefore(
  facts: CreditFacts,
  sameNetwork: boolean,
): readonly EvidenceRow[] | undefined {
  const [first] = facts.siblings
    .filter(({ status }) => status !== 'INVALID')
    .filter(({ enrolmentType }) => (enrolmentType === facts.enrolmentType) === sameNetwork)
    .filter((each) => compareArrival(each, facts) < 0)
    .toSorted(compareArrival);
  if (first === undefined) return undefined;
  const { alertId, alertedAt: at, enrolmentType, amountMinor, currency } = first;
  const shows = `the same dispute through ${enrolmentType ?? 'an unknown network'}`;
  return [row('alert', alertId, { at, amountMinor, currency, shows })];
}

function compareArrival(
  a: Pick<Sibling, 'alertId' | 'alertedAt'>,
  b: Pick<Sibling, 'alertId' | 'alertedAt'>,
): number {
  return Date.parse(a.alertedAt) - Date.parse(b.alertedAt) || (a.alertId < b.alertId ? -1 : 1);
}

function chargedBack(facts: CreditFacts): readonly EvidenceRow[] | undefined {
  const begun = facts.representments.find(
    (each) => Date.parse(each.disputedAt) < Date.parse(facts.alertedAt) && isAsMuch(each, facts),
  );
  if (begun !== undefined) {
    const shows = 'the dispute had begun before the alert';
    const { id, disputedAt: at, amountMinor, currency } = begun;
    return [row('representment', id, { at, amountMinor, currency, shows })];
  }
  const taken = facts.othersMoney.find(
    (each) => each.kind === 'chargeback' && each.state === 'CONFIRMED' && wasBefore(each, facts),
  );
  return taken === undefined ? undefined : [moneyRow(taken, 'charged back before the alert')];
}

/** A dispute about a part says nothing about the rest. */
function isAsMuch({ amountMinor, currency }: Contested, facts: CreditFacts): boolean {
  if (amountMinor === null || facts.amountMinor === null) return false;
  return currency === facts.currency && amountMinor >= facts.amountMinor;
}

function alreadyRefunded(facts: CreditFacts): readonly EvidenceRow[] | undefined {
  const { charge, amountMinor, currency } = facts;
  if (charge?.status !== 'captured' || charge.amountMinor === null) return undefined;
  const before = facts.othersMoney.filter(
    (each) =>
      each.kind === 'external' &&
      each.state === 'CONFIRMED' &&
      each.currency === charge.currency &&
      wasBefore(each, facts),
  );
  const returned = before.reduce((sum, each) => sum + each.amountMinor, 0);
  const isComparable = amountMinor !== null && currency === charge.currency;
  const wanted = isComparable ? Math.min(amountMinor, charge.amountMinor) : charge.amountMinor;
  if (before.length === 0 || wanted <= 0 || returned < wanted) return undefined;
  return before.map((each) => moneyRow(each, 'refunded before the alert'));
}

/** Made before the alert by the processor's word; without one, there at a first look soon after it. */
function wasBefore({ movedAt, seenAt }: OthersMoney, facts: CreditFacts): boolean {
  const alertedMs = Date.parse(facts.alertedAt);
  if (movedAt !== null) return Date.parse(movedAt) < alertedMs;
  if (Date.parse(seenAt) < alertedMs) return true;
  const { firstDecidedAt: first } = facts;
  if (first === null) return false;
  return Date.parse(seenAt) <= Date.parse(first) && Date.parse(first) - alertedMs <= FIRST_LOOK_MS;
}

function notCaptured(facts: CreditFacts): readonly EvidenceRow[] | undefined {
  const { charge, chargeReference, othersMoney } = facts;
  if (charge === null || chargeReference === null) return undefined;
  // One that we released ourselves is an answer to an alert, and no reason.
  const released = othersMoney.find(({ kind, state }) => kind === 'void' && state === 'CONFIRMED');
  const isDeclined = charge.status === 'declined';
  if (!isDeclined && (charge.status !== 'voided' || released === undefined)) return undefined;
  const shows = isDeclined ? 'the payment was declined' : 'the payment was never captured';
  return [
    row('charge_account', chargeReference, {
      at: charge.readAt,
      amountMinor: charge.amountMinor,
      currency: charge.currency,
      shows,
    }),
    ...(released === undefined ? [] : [moneyRow(released, 'the authorisation was released')]),
  ];
}

/** Everything was searched and answered, no charge was chosen, and none was refunded elsewhere. */
function isNotFound({ match, chargeReference, refundOutcome }: CreditFacts): boolean {
  return match?.outcome === 'none' && chargeReference === null && refundOutcome !== 'REFUNDED';
}

function notFound(facts: CreditFacts): readonly EvidenceRow[] | undefined {
  return isNotFound(facts) ? searchRows(facts) : undefined;
}

function searchRows({ match }: CreditFacts, why?: string): readonly EvidenceRow[] {
  if (match === null) return [];
  const shows = `the search found no transaction${why === undefined ? '' : `, and ${why}`}`;
  return [row('match', String(match.id), { at: match.at, shows })];
}

function alertRow(
  { alertId, alertedAt, amountMinor, currency }: CreditFacts,
  shows: string,
): EvidenceRow {
  return row('alert', alertId, { at: alertedAt, amountMinor, currency, shows });
}

function moneyRow(
  { id, movedAt, seenAt, amountMinor, currency }: OthersMoney,
  shows: string,
): EvidenceRow {
  return row('movement', id, { at: movedAt ?? seenAt, amountMinor, currency, shows });
}

function row(
  table: EvidenceRow['table'],
  id: string,
  facts: Pick<EvidenceRow, 'at' | 'shows'> & Partial<Pick<EvidenceRow, 'amountMinor' | 'currency'>>,
): EvidenceRow {
  return { table, id, amountMinor: null, currency: null, ...facts };
}
