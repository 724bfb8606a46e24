/** The outcome of evidence: won and lost, by reason code, pack and amount, with how sure the share is. Pure. */
import type { Interval } from '../../../base/kernel/confidence-sequence.ts';
import { confidenceSequence } from '../../../base/kernel/confidence-sequence.ts';
import { counted } from '../../../base/kernel/counted.ts';
import { minorUnitDigits } from '../../../base/kernel/money.ts';
import { percentText } from '../../../base/kernel/percent.ts';
import { saidCount } from '../../../base/kernel/said-count.ts';

/** Disputes for which evidence was sent, of one outcome and one band. */
export interface SentEvidence {
  readonly reasonCode: string | null;
  /** Entry and version of the file of packs: `13.1 (2026-11)`. */
  readonly packRule: string;
  /** Null, as the currency: the service does not say. */
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** `open`: not decided, or closed without a word about who won. */
  readonly outcome: 'won' | 'lost' | 'open';
  readonly count: number;
}

export interface OutcomeCounts {
  readonly sent: number;
  readonly won: number;
  readonly lost: number;
  /** Of the share of those won among the decided; holds however often one looks. Null: none is decided. */
  readonly interval: Interval | null;
}

export interface OutcomeGroup extends OutcomeCounts {
  readonly reasonCode: string;
  readonly packRule: string;
  readonly band: string;
}

export interface NamedOutcome extends OutcomeCounts {
  readonly reasonCode: string;
  readonly name: string;
}

export interface Outcomes {
  /** By all three, the most sent first. */
  readonly groups: readonly OutcomeGroup[];
  readonly byPack: readonly NamedOutcome[];
  readonly byBand: readonly NamedOutcome[];
  /** Packs of one reason code of which one wins more often for sure. */
  readonly differences: readonly string[];
}

/** Where bands begin, in units of the currency. */
export const BANDS = [50, 200, 1_000];

/** `under 50 EUR`, `50 to 200 EUR`, `from 1000 EUR`. */
export function bandOf({ amountMinor, currency }: SentEvidence): string {
  if (amountMinor === null || currency === null) return 'not told';
  const units = amountMinor / 10 ** minorUnitDigits(currency);
  const above = BANDS.findIndex((begin) => units < begin);
  const [from, to] = above === -1 ? [BANDS.at(-1), undefined] : [BANDS[above - 1], BANDS[above]];
  if (from === undefined) return `under ${to} ${currency}`;
  return to === undefined ? `from ${from} ${currency}` : `${from} to ${to} ${currency}`;
}

export function outcomesOf(sent: readonly SentEvidence[]): Outcomes {
  const codeOf = ({ reasonCode }: SentEvidence): string =>
    reasonCode === null || reasonCode === '' ? 'not told' : reasonCode;
  const grouped = <Name>(nameOf: (each: SentEvidence) => Name): (Name & OutcomeCounts)[] =>
    [...Map.groupBy(sent, (each) => JSON.stringify(nameOf(each))).values()]
      .flatMap((each) => {
        const [first] = each;
        return first === undefined ? [] : [{ ...nameOf(first), ...countsOf(each) }];
      })
      .toSorted((a, b) => b.sent - a.sent);
  const byPack = grouped((each) => ({ reasonCode: codeOf(each), name: each.packRule }));
  return {
    groups: grouped((each) => ({
      reasonCode: codeOf(each),
      packRule: each.packRule,
      band: bandOf(each),
    })),
    byPack,
    byBand: grouped((each) => ({ reasonCode: codeOf(each), name: bandOf(each) })),
    differences: differencesOf(byPack),
  };
}

/** How many disputes. */
function countOf(sent: readonly SentEvidence[]): number {
  return sent.reduce((sum, { count }) => sum + count, 0);
}

function countsOf(sent: readonly SentEvidence[]): OutcomeCounts {
  const countFor = (outcome: SentEvidence['outcome']): number =>
    countOf(sent.filter((each) => each.outcome === outcome));
  const [won, lost] = [countFor('won'), countFor('lost')];
  const interval = won + lost === 0 ? null : confidenceSequence(won, won + lost);
  return { sent: countOf(sent), won, lost, interval };
}

function differencesOf(byPack: readonly NamedOutcome[]): readonly string[] {
  return [...Map.groupBy(byPack, ({ reasonCode }) => reasonCode)].flatMap(([code, packs]) =>
    packs.flatMap((better) =>
      packs
        .filter(({ interval }) => isAbove(better.interval, interval))
        .map(({ name }) => `${code}: ${better.name} wins more often than ${name}.`),
    ),
  );
}

/** They do not touch. */
function isAbove(one: Interval | null, other: Interval | null): boolean {
  return one !== null && other !== null && one.low > other.high;
}

/** `8 of 11 won, 73 % (38 to 93 %)`. */
export function wonWords({ won, lost, interval }: OutcomeCounts): string {
  if (interval === null) return 'none is decided';
  const decided = won + lost;
  const { low, high } = interval;
  return `${saidCount(won)} of ${counted(decided, 'decided one')} won, ${percentText(won / decided)} (${percentText(low)} to ${percentText(high)})`;
}
