/** What is counted: the complaint of one customer about one charge, how it was answered, and what came after the answer. */
import type { Money } from '../../base/kernel/money.ts';

/** Something that came of a complaint after its answer. */
export interface Outcome {
  readonly kind: 'dispute' | 'rdr' | 'further_alert';
  /** Which rows say so: a representment, a scheme's notice, the processor's signal, a look at the charge, an alert. */
  readonly source: 'representment' | 'notice' | 'processor' | 'reading' | 'alert';
  readonly at: Date;
}

/** A dispute that was fought, and how it ended. */
export interface Contest {
  /** The version of the evidence pack that was sent last. */
  readonly version: number;
  readonly end: 'won' | 'lost' | 'open';
}

export interface Unit {
  /** The dispute of the ledger, or the alert where it has none. */
  readonly id: string;
  /** The alerts that were there when it was answered, the first one first. */
  readonly alertIds: readonly string[];
  readonly answer: 'refunded' | 'accepted' | 'unanswered';
  /** A person decided it. */
  readonly reviewed: boolean;
  readonly answeredAt: Date;
  readonly money: Money | null;
  readonly merchantId: string | null;
  /** `NETA` or `NETB`; null when the service did not say. */
  readonly network: string | null;
  /** The enrolment's type. */
  readonly programme: string | null;
  readonly scheme: string | null;
  readonly reasonCode: string | null;
  readonly descriptor: string | null;
  /** The first of each kind and source, after the answer. */
  readonly outcomes: readonly Outcome[];
  /** Null: no dispute of it was contested, as far as is known. */
  readonly contest: Contest | null;
}

/** One answered alert with what came after, as it is read. */
export interface AnsweredRow {
  readonly alertId: string;
  readonly disputeId: string | null;
  readonly merchantId: string | null;
  readonly network: string | null;
  readonly programme: string | null;
  readonly scheme: string | null;
  readonly reasonCode: string | null;
  readonly descriptor: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly outcome: Unit['answer'];
  readonly reviewed: boolean;
  readonly raisedAt: Date;
  readonly answeredAt: Date;
  readonly came: readonly {
    readonly kind: Outcome['kind'];
    readonly source: Outcome['source'];
    readonly at: string;
  }[];
  readonly contestVersion: number | null;
  readonly contestEnd: Contest['end'] | null;
}

/**
 * Alerts of one complaint are one unit: twins would otherwise count twice. The first answer is its answer; a refund of
 * any of them is a refund. An alert that was raised after it is no member: it is the outcome of the answer.
 */
export function unitsOf(rows: readonly AnsweredRow[]): Unit[] {
  const groups = new Map<string, AnsweredRow[]>();
  const inOrder = rows.toSorted(
    (one, other) => one.answeredAt.getTime() - other.answeredAt.getTime(),
  );
  for (const row of inOrder) {
    const id = row.disputeId ?? row.alertId;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [row]);
    else if (row.raisedAt <= (group[0]?.answeredAt ?? row.raisedAt)) group.push(row);
  }
  return [...groups].flatMap(([id, group]) => unitOf(id, group) ?? []);
}

/** A refund of any outweighs, then what was accepted. */
const ANSWERS = ['refunded', 'accepted'] as const;

function unitOf(id: string, group: readonly AnsweredRow[]): Unit | undefined {
  const [first] = group;
  if (first === undefined) return undefined;
  const answers = new Set(group.map(({ outcome }) => outcome));
  const contested = group.find(({ contestVersion }) => contestVersion !== null) ?? first;
  const { merchantId, network, programme, scheme, reasonCode, descriptor, amountMinor, currency } =
    first;
  return {
    id,
    alertIds: group.map(({ alertId }) => alertId),
    answer: ANSWERS.find((answer) => answers.has(answer)) ?? 'unanswered',
    reviewed: group.some(({ reviewed }) => reviewed),
    answeredAt: first.answeredAt,
    money: amountMinor === null || currency === null ? null : { amountMinor, currency },
    ...{ merchantId, network, programme, scheme, reasonCode, descriptor },
    outcomes: group
      .flatMap(({ came }) => came.map((each) => ({ ...each, at: new Date(each.at) })))
      .filter(({ at }) => at > first.answeredAt),
    contest:
      contested.contestVersion === null
        ? null
        : { version: contested.contestVersion, end: contested.contestEnd ?? 'open' },
  };
}

/** When the first outcome of these kinds came, in days since the answer; null: none has. */
export function daysUntil(unit: Unit, kinds: readonly Outcome['kind'][]): number | null {
  const days = unit.outcomes
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ at }) => (at.getTime() - unit.answeredAt.getTime()) / DAY_MS);
  return days.length === 0 ? null : Math.min(...days);
}

export const DAY_MS = 24 * 3_600_000;
