/**
 * Whether a disputed payment qualifies for the first-party trust programme: what we know of device,
 * delivery and identity, and whether earlier payments bear it out. Pure.
 */
import type { EvidenceRules, FptRule } from './evidence-rules.ts';
import { ruleOn } from './evidence-rules.ts';
import type { Evidence } from './judge-ce3.ts';
import type { EarlierPayment, Element, Payment, Subject, Verdict } from './payment.ts';
import { FIELD_OF, worse } from './payment.ts';

/** One group of what the programme asks for. */
export interface JudgedGroup {
  readonly group: 'device' | 'delivery' | 'identity';
  readonly isHeld: boolean;
}

export interface FptJudgement {
  readonly verdict: Verdict;
  readonly why: string;
  readonly groups: readonly JudgedGroup[];
  /** Earlier payments that bear it out. */
  readonly payments: readonly string[];
  /** Fields of an order each of which would have made it qualify. */
  readonly missing: readonly string[];
  readonly rule: Pick<FptRule, 'valid_from' | 'confidence' | 'source'> | null;
}

const DEVICE: readonly Element[] = ['ip', 'device', 'fingerprint'];
const IDENTITY: readonly Element[] = ['account', 'email'];

/** Judges. */
export function judgeFpt(evidence: Evidence, rules: EvidenceRules): FptJudgement {
  const { subject, payment } = evidence;
  const rule = ruleOn(rules.fpt, subject.day);
  if (rule === undefined) return short('elsewhere', `no rule was in force on ${subject.day}`, null);
  const open = openness(subject, rule);
  if (open.verdict === 'elsewhere') return short('elsewhere', open.why, rule);
  if (payment === null) return short('not', 'no order tells of this payment', rule);
  const groups = groupsOf(payment);
  const lacking = groups.filter(({ isHeld }) => !isHeld).map(({ group }) => group);
  const place = placeOf(payment, rule);
  const bearing = evidence.earlier.filter((each) => bearsOut(payment, each));
  const isBorne = bearing.length >= rule.earlier_payments;
  const doubts = [open, place, ...(isBorne ? [] : [UNBORNE])].filter(({ why }) => why !== '');
  const rest = doubts.reduce<Verdict>((sum, { verdict }) => worse(sum, verdict), 'qualifies');
  const verdict = lacking.length > 0 ? 'not' : rest;
  const [only] = lacking;
  return {
    verdict,
    why: whyOf(lacking, doubts),
    groups,
    payments: bearing.map(({ reference }) => reference),
    missing: [
      ...(lacking.length === 1 && only !== undefined && rest === 'qualifies' ? [FIELDS[only]] : []),
      ...(lacking.length === 0 && doubts.length === 1 && payment.country === null
        ? [FIELD_OF.country]
        : []),
    ],
    rule: named(rule),
  };
}

const FIELDS = {
  device: FIELD_OF.ip,
  delivery: FIELD_OF.delivery,
  identity: FIELD_OF.email,
} as const;

const UNBORNE = {
  verdict: 'edge' as const,
  why: 'no earlier payment bears it out, and sources contradict each other on whether one is needed',
};

function whyOf(lacking: readonly string[], doubts: readonly { readonly why: string }[]): string {
  if (lacking.length > 0) return `nothing is known of ${lacking.join(' and ')}`;
  const held = 'device, delivery and identity are known';
  return doubts.length === 0
    ? `${held}, and an earlier payment bears them out`
    : `${held}, but ${doubts.map(({ why }) => why).join('; ')}`;
}

function short(verdict: Verdict, why: string, rule: FptRule | null): FptJudgement {
  return {
    verdict,
    why,
    groups: [],
    payments: [],
    missing: [],
    rule: rule === null ? null : named(rule),
  };
}

function named({ valid_from, confidence, source }: FptRule): NonNullable<FptJudgement['rule']> {
  return { valid_from, confidence, source };
}

/** Whether the programme is about such a dispute. */
function openness(subject: Subject, rule: FptRule): { verdict: Verdict; why: string } {
  const { scheme, kind } = subject;
  const reason = subject.reason?.trim() ?? null;
  if (scheme !== null && scheme !== rule.scheme) {
    return { verdict: 'elsewhere', why: `it is of ${scheme}, not ${rule.scheme}` };
  }
  if (reason !== null && rule.doubtful_reasons.includes(reason)) {
    return { verdict: 'edge', why: `sources contradict each other on reason ${reason}` };
  }
  if (reason !== null && !rule.reasons.includes(reason)) {
    return {
      verdict: 'elsewhere',
      why: `its reason is ${reason}, not ${rule.reasons.join(' or ')}`,
    };
  }
  if (scheme === null) return { verdict: 'edge', why: 'the scheme is not told' };
  if (reason === null && kind !== 'lookup')
    return { verdict: 'edge', why: 'the reason is not told' };
  return { verdict: 'qualifies', why: '' };
}

function placeOf({ country }: Payment, rule: FptRule): { verdict: Verdict; why: string } {
  if (country === null) return { verdict: 'edge', why: 'the country is not known' };
  return rule.countries.includes(country)
    ? { verdict: 'qualifies', why: '' }
    : { verdict: 'not', why: `the programme does not cover ${country}` };
}

function groupsOf({ values, traits }: Payment): JudgedGroup[] {
  const isAny = (elements: readonly Element[]): boolean =>
    elements.some((element) => values[element] !== null);
  return [
    { group: 'device', isHeld: isAny(DEVICE) },
    { group: 'delivery', isHeld: traits.delivery },
    { group: 'identity', isHeld: isAny(IDENTITY) },
  ];
}

/** An undisputed payment by the same person from the same device. */
function bearsOut(payment: Payment, earlier: EarlierPayment): boolean {
  const { traits, history } = earlier;
  const isClean =
    traits.settled &&
    !(traits.failed || traits.disputed || traits.fraud) &&
    !(history.disputed || history.fraud || history.revoked);
  const isShared = (elements: readonly Element[]): boolean =>
    elements.some(
      (element) =>
        payment.values[element] !== null && payment.values[element] === earlier.values[element],
    );
  return isClean && earlier.day < payment.day && isShared(DEVICE) && isShared(IDENTITY);
}
