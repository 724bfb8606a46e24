/**
 * Whether a disputed payment qualifies for compelling evidence: enough earlier payments with the same
 * credential, undisputed, of the right age, that agree with it in the same elements. Pure.
 *
 * It rather says "not" than "qualifies": what is not known never counts as equal.
 */
import type { ComparedElement, Comparison, Weighed } from './compare-payments.ts';
import {
  ASSUMED,
  compareElements,
  settledSpan,
  weighAge,
  weighStanding,
} from './compare-payments.ts';
import { elementSets } from './element-sets.ts';
import type { Basis, Ce3Rule, EvidenceRules } from './evidence-rules.ts';
import { BASES, ruleOn } from './evidence-rules.ts';
import type { EarlierPayment, Element, Payment, Subject, Verdict } from './payment.ts';
import { daysBetween, FIELD_OF, worse } from './payment.ts';

/** What is judged: null where the index holds nothing of the payment. */
export interface Evidence {
  readonly subject: Subject;
  readonly payment: Payment | null;
  readonly earlier: readonly EarlierPayment[];
}

/** An earlier payment with everything that speaks for it and against it. */
export interface JudgedPayment {
  readonly reference: string;
  readonly day: string;
  readonly elements: readonly ComparedElement[];
  readonly standing: Weighed;
  readonly age: Readonly<Record<Basis, Weighed>>;
}

export interface JudgedBasis {
  readonly basis: Basis;
  readonly verdict: Verdict;
  readonly why: string;
}

export interface Ce3Judgement {
  readonly verdict: Verdict;
  readonly why: string;
  /** Empty where it was not necessary to look at earlier payments. */
  readonly bases: readonly JudgedBasis[];
  readonly payments: readonly JudgedPayment[];
  /** Fields of an order each of which would have made it qualify. */
  readonly missing: readonly string[];
  readonly rule: Pick<Ce3Rule, 'valid_from' | 'confidence' | 'source'> | null;
}

/** Judges. */
export function judgeCe3(evidence: Evidence, rules: EvidenceRules): Ce3Judgement {
  const { subject, payment } = evidence;
  const rule = ruleOn(rules.ce3, subject.day);
  if (rule === undefined) return short('elsewhere', `no rule was in force on ${subject.day}`, null);
  const open = openness(subject, rule);
  if (open.verdict === 'elsewhere' || open.verdict === 'not') {
    return short(open.verdict, open.why, rule);
  }
  if (payment === null) return short('not', 'no order tells of this payment', rule);
  const authenticated = judgeAuthentication(payment, rule, rules);
  if (authenticated !== undefined) {
    return short(
      worse(authenticated.verdict, open.verdict),
      join(authenticated.why, open.why),
      rule,
    );
  }
  const judged = judgePayments({ ...evidence, payment }, { rule, rules, assume: null });
  const verdict = worse(judged.verdict, open.verdict);
  return {
    verdict,
    why: judged.verdict === 'not' ? judged.why : join(judged.why, open.why),
    bases: judged.bases,
    payments: judged.payments,
    missing:
      judged.verdict === 'qualifies' ? [] : lackingFields({ ...evidence, payment }, rule, rules),
    rule: named(rule),
  };
}

/** Whether 3-D Secure is enough by itself; undefined: the earlier payments decide. */
function judgeAuthentication(
  payment: Payment,
  { three_d_secure_from: from }: Ce3Rule,
  { settlingDays }: EvidenceRules,
): { verdict: Verdict; why: string } | undefined {
  if (!payment.traits.threeDSecure || from === null || payment.day < from) return undefined;
  const why = `the payment went through 3-D Secure, which suffices since ${from}`;
  // What was settled in the first days may have been authenticated before.
  const isCertain = payment.traits.authorisedDay || daysBetween(from, payment.day) >= settlingDays;
  return isCertain
    ? { verdict: 'qualifies', why }
    : { verdict: 'edge', why: `${why}: it was settled in the first ${settlingDays} days` };
}

function short(verdict: Verdict, why: string, rule: Ce3Rule | null): Ce3Judgement {
  const named_ = rule === null ? null : named(rule);
  return { verdict, why, bases: [], payments: [], missing: [], rule: named_ };
}

function named({ valid_from, confidence, source }: Ce3Rule): NonNullable<Ce3Judgement['rule']> {
  return { valid_from, confidence, source };
}

function join(first: string, second: string): string {
  return second === '' ? first : `${first}; ${second}`;
}

/** Whether the programme is about such a dispute at all. */
function openness(subject: Subject, rule: Ce3Rule): { verdict: Verdict; why: string } {
  const { scheme, reason, kind, isFraudNotice } = subject;
  if (scheme !== null && scheme !== rule.scheme) {
    return { verdict: 'elsewhere', why: `it is of ${scheme}, not ${rule.scheme}` };
  }
  if (isFraudNotice && !rule.fraud_notices) {
    return { verdict: 'not', why: 'a fraud notice without a dispute is not covered on that day' };
  }
  if (reason !== null && !rule.reasons.includes(reason.trim())) {
    return {
      verdict: 'elsewhere',
      why: `its reason is ${reason}, not ${rule.reasons.join(' or ')}`,
    };
  }
  if (scheme === null) return { verdict: 'edge', why: 'the scheme is not told' };
  // A network asks, and reports fraud, without a reason code.
  const isReasonKnown = reason !== null || kind === 'lookup' || isFraudNotice;
  if (!isReasonKnown) return { verdict: 'edge', why: 'the reason is not told' };
  return { verdict: 'qualifies', why: '' };
}

type Judged = Pick<Ce3Judgement, 'verdict' | 'why' | 'bases' | 'payments'>;

interface Way {
  readonly rule: Ce3Rule;
  readonly rules: EvidenceRules;
  readonly assume: Comparison['assume'];
}

type Given = Evidence & { readonly payment: Payment };

function judgePayments({ subject, payment, earlier }: Given, way: Way): Judged {
  const { rule, rules, assume } = way;
  if (payment.credential === null) {
    return nothing(
      'the order does not say which card or wallet paid (payment_method_reference_id)',
    );
  }
  if (!payment.traits.product && assume !== 'product') {
    return nothing('the order does not say what was sold (items[].name)');
  }
  const how: Comparison = { ...rules, rule, assume };
  const spans = {
    dispute_date: { from: subject.day, to: subject.day },
    processing_date: settledSpan(payment, rules.settlingDays),
  };
  const payments = earlier.map((each) => ({
    reference: each.reference,
    day: each.day,
    elements: compareElements(payment, each, how),
    standing: weighStanding(payment, each, how),
    age: {
      dispute_date: weighAge(each, spans.dispute_date, how),
      processing_date: weighAge(each, spans.processing_date, how),
    },
  }));
  const bases = BASES.map((basis) => ({ basis, ...judgeBasis(payments, basis, rule) }));
  return { ...combine(bases, rules.basis), bases, payments };
}

function nothing(why: string): Judged {
  return { verdict: 'not', why, bases: [], payments: [] };
}

/** With both, only what both say is certain. */
function combine(
  bases: readonly JudgedBasis[],
  wanted: EvidenceRules['basis'],
): { verdict: Verdict; why: string } {
  const chosen = wanted === 'both' ? bases : bases.filter(({ basis }) => basis === wanted);
  const [first, second] = chosen;
  if (first === undefined) return { verdict: 'not', why: 'nothing was judged' };
  if (second === undefined || first.verdict === second.verdict) return first;
  const better = first.verdict === worse(first.verdict, second.verdict) ? second : first;
  const words = BASIS_WORDS[better.basis];
  return { verdict: 'edge', why: `${better.why}; only counted from ${words}` };
}

/** Each basis in words. */
export const BASIS_WORDS: Readonly<Record<Basis, string>> = {
  dispute_date: 'the day of the dispute',
  processing_date: 'the day of the disputed payment',
};

function judgeBasis(
  payments: readonly JudgedPayment[],
  basis: Basis,
  rule: Ce3Rule,
): { verdict: Verdict; why: string } {
  const open = payments.filter(
    ({ standing, age }) => standing.counts !== 'no' && age[basis].counts !== 'no',
  );
  const isCertain = ({ standing, age }: JudgedPayment): boolean =>
    standing.counts === 'yes' && age[basis].counts === 'yes';
  let best: { set: readonly Element[]; agreeing: readonly JudgedPayment[] } | undefined;
  for (const set of elementSets(rule.equal_elements)) {
    const agreeing = open.filter((payment) => set.every((element) => isEqual(payment, element)));
    if (agreeing.filter(isCertain).length >= rule.earlier_payments) {
      return { verdict: 'qualifies', why: agreement(agreeing.filter(isCertain), set) };
    }
    if (agreeing.length >= rule.earlier_payments) best ??= { set, agreeing };
  }
  if (best !== undefined) {
    const doubts = best.agreeing.flatMap(({ standing, age }) => [
      ...standing.reasons,
      ...age[basis].reasons,
    ]);
    return {
      verdict: 'edge',
      why: `${agreement(best.agreeing, best.set)}, of which not all are certain (${[...new Set(doubts)].join(', ')})`,
    };
  }
  return { verdict: 'not', why: shortage(payments, open, rule) };
}

function agreement(agreeing: readonly JudgedPayment[], set: readonly Element[]): string {
  return `${agreeing.length} earlier payments agree in ${set.map((element) => ELEMENT_WORDS[element]).join(' and ')}`;
}

/** Each element in words. */
export const ELEMENT_WORDS: Readonly<Record<Element, string>> = {
  account: 'account',
  email: 'e-mail address',
  ip: 'IP address',
  address: 'shipping address',
  device: 'device',
  fingerprint: 'device fingerprint',
};

function shortage(
  payments: readonly JudgedPayment[],
  open: readonly JudgedPayment[],
  rule: Ce3Rule,
): string {
  const { earlier_payments: needed } = rule;
  if (payments.length === 0) return 'no earlier payment with the same credential is known';
  if (open.length < needed) {
    return `${open.length} of ${payments.length} earlier payments may count, ${needed} are needed`;
  }
  return `no ${needed} of ${open.length} earlier payments agree in ${rule.equal_elements} elements, one of them the IP address or the device`;
}

function isEqual({ elements }: JudgedPayment, wanted: Element): boolean {
  return elements.some(({ element, state }) => element === wanted && state === 'equal');
}

/** Whether a field is missing, or too short to count, anywhere. */
function isLacking(
  field: keyof typeof ASSUMED,
  { payment, earlier }: Given,
  rule: Ce3Rule,
): boolean {
  return [payment, ...earlier].some(({ values, traits, descriptor, firstIp }) => {
    switch (field) {
      case 'product':
      case 'settled':
        return !traits[field];
      case 'descriptor':
        return descriptor === null;
      case 'ip':
        return values.ip === null && firstIp === null;
      case 'device':
        return values.device === null || traits.deviceLength < rule.device_length;
      case 'fingerprint':
        return values.fingerprint === null || traits.fingerprintLength < rule.fingerprint_length;
      default:
        return values[field] === null;
    }
  });
}

/** Fields each of which, had it been there and equal, would have made it qualify. */
function lackingFields(given: Given, rule: Ce3Rule, rules: EvidenceRules): string[] {
  // Without it nothing can be compared, so it cannot be said whether it would have been enough.
  if (given.payment.credential === null) return [FIELD_OF.credential];
  return Object.values(ASSUMED)
    .filter((assume) => isLacking(assume, given, rule))
    .filter((assume) => judgePayments(given, { rule, rules, assume }).verdict === 'qualifies')
    .map((assume) => FIELD_OF[assume]);
}
