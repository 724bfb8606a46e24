/**
 * The history of a charge: one timeline of everything that touches it, oldest first.
 *
 * What the service told (alerts of both networks, RDR, scheme notices, lookups, representments), what
 * we did (matches, decisions, refunds, declarations), what people did, and the order behind it. Pure:
 * rows in, entries out; each entry says where it stands in the tables, so that nothing is hearsay.
 */
import type { Link } from './touches.ts';

/** What kind of thing happened. */
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

/** One thing that happened. */
export interface HistoryEntry {
  /** ISO 8601 UTC. Of what the service told: when we learnt it. */
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

/** Of what happens at the same moment: what came from outside first, then what followed from it. */
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
