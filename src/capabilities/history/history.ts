/**
 * The history of a charge: one timeline of everything that touches it, oldest first.
 *
 * What the service sent (alerts of both networks, RDR, scheme notices, lookups, representments), what
 * we did (matches, decisions, refunds, declarations), what people did, and the order behind it. Pure:
 * rows in, entries out; each entry says where it is in the tables, so that nothing is hearsay.
 */
import {
  sameBin,
  usableArn,
  usableBin,
  usableLast4,
  utcDay,
} from '../../alerts/match/identifiers.ts';
import { DEFAULT_MATCH_SETTINGS } from '../../alerts/match/match-settings.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';

export type HistoryKind =
  | 'payment'
  | 'order'
  | 'alert'
  | 'rdr'
  | 'lookup'
  | 'scheme_notice'
  | 'representment'
  | 'decision'
  | 'case'
  | 'refund'
  | 'dispute'
  | 'declaration'
  | 'operator';

export interface HistoryEntry {
  /** ISO 8601 UTC. Of what the service sent: when we learnt it. */
  readonly at: string;
  readonly kind: HistoryKind;
  /** `service`, `merchant`, `forestall`, `processor` or `operator:<name>`. */
  readonly actor: string;
  readonly text: string;
  /** The row it is about. */
  readonly subject: string;
  readonly subjectId: string;
  readonly alertId: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** How sure it is that this concerns the charge; null where our own books say so. */
  readonly link: Link | null;
}

/** An entry before its place in the timeline is known. */
export type NewEntry = Pick<HistoryEntry, 'kind' | 'actor' | 'text' | 'subject' | 'subjectId'> &
  Partial<Omit<HistoryEntry, 'at'>> & { readonly at: Date | string | null };

/** Fills in what an entry leaves out; an entry without a moment has no place in a timeline. */
export function entryOf(entry: NewEntry): HistoryEntry[] {
  if (entry.at === null) return [];
  const atMs = new Date(entry.at).getTime();
  if (!Number.isFinite(atMs)) return [];
  return [
    {
      at: new Date(atMs).toISOString(),
      kind: entry.kind,
      actor: entry.actor,
      text: entry.text,
      subject: entry.subject,
      subjectId: entry.subjectId,
      alertId: entry.alertId ?? null,
      amountMinor: entry.amountMinor ?? null,
      currency: entry.currency ?? null,
      link: entry.link ?? null,
    },
  ];
}

/** For entries of one moment: first what came from outside, then what followed from it. */
const ORDER: readonly HistoryKind[] = [
  'payment',
  'order',
  'lookup',
  'scheme_notice',
  'representment',
  'alert',
  'rdr',
  'dispute',
  'decision',
  'operator',
  'case',
  'refund',
  'declaration',
];

/** One timeline, oldest first. Entries of one moment and kind keep their order. */
export function timelineOf(entries: readonly HistoryEntry[]): HistoryEntry[] {
  return [...entries].sort((a, b) => {
    if (a.at !== b.at) return a.at < b.at ? -1 : 1;
    return ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind);
  });
}

// Whether something the service tells us about concerns a charge, and how surely.
//
// Lookups, representments and scheme notices arrive without a match of ours. They name the
// charge by reference; or by ARN, which is recycled and therefore needs the card's digits or
// the date beside it; or, a scheme notice, by card, amount and date, which two equal purchases
// share.

/** How an entry came into the history of a charge. */
export type Link = 'reference' | 'acquirer_reference_number' | 'card_and_amount';

/** What the service's object says about its payment. Null: it does not say. */
export interface ServiceRecord {
  readonly reference: string | null;
  readonly arn: string | null;
  readonly cardBin: string | null;
  readonly cardLast4: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** ISO 8601 or a plain date. */
  readonly date: string | null;
}

const { apartDays, exactWindowDays } = DEFAULT_MATCH_SETTINGS;

/** How `record` concerns the charge, or undefined when it does not. Pure. */
export function linkTo(charge: ChargeRecord, record: ServiceRecord): Link | undefined {
  if (record.reference !== null)
    return record.reference === charge.reference ? 'reference' : undefined;
  const days = daysApart(charge, record.date);
  const digits = digitsVerdict(charge, record);
  if (digits === 'differ' || (days !== null && days > apartDays)) return undefined;
  const arn = usableArn(record.arn);
  const ownArn = usableArn(charge.acquirerReferenceNumber);
  if (arn !== null && ownArn !== null) {
    const backed = digits === 'agree' || days !== null;
    return arn === ownArn && backed ? 'acquirer_reference_number' : undefined;
  }
  const isSame =
    digits === 'agree' &&
    usableBin(record.cardBin) !== null &&
    record.amountMinor === charge.amountMinor &&
    record.currency === charge.currency &&
    days !== null &&
    days <= exactWindowDays;
  return isSame ? 'card_and_amount' : undefined;
}

function digitsVerdict(
  charge: ChargeRecord,
  record: ServiceRecord,
): 'agree' | 'differ' | 'unknown' {
  const [last4, ownLast4] = [usableLast4(record.cardLast4), usableLast4(charge.cardLast4)];
  const [bin, ownBin] = [usableBin(record.cardBin), usableBin(charge.cardBin)];
  if (bin !== null && ownBin !== null && !sameBin(bin, ownBin)) return 'differ';
  if (last4 === null || ownLast4 === null) return 'unknown';
  return last4 === ownLast4 ? 'agree' : 'differ';
}

function daysApart(charge: ChargeRecord, date: string | null): number | null {
  const own = utcDay(charge.authorisedAt) ?? utcDay(charge.settledAt);
  const day = utcDay(date);
  return own === null || day === null ? null : Math.abs(own - day);
}
