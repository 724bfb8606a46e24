/** Judges one alert, lookup, notice or dispute by what the index holds now. Reads only. */
import type { Db } from '../../base/db/database.ts';
import { readPayments } from './evidence-reading.store.ts';
import type { EvidenceRules } from './evidence-rules.ts';
import { ruleOn } from './evidence-rules.ts';
import type { Ce3Judgement } from './judge-ce3.ts';
import { judgeCe3 } from './judge-ce3.ts';
import type { FptJudgement } from './judge-fpt.ts';
import { judgeFpt } from './judge-fpt.ts';
import type { KnownSubject, Payment } from './payment.ts';

/** Both programmes. */
export interface Judgement {
  /** Null: no order tells of the payment. */
  readonly payment: Payment | null;
  readonly ce3: Ce3Judgement;
  readonly fpt: FptJudgement;
}

/** Earlier payments that are looked at where no rule says which. */
const ANY_DAYS = { from: 0, to: 365 };

export async function judgeSubject(
  db: Db,
  organisationId: string,
  about: KnownSubject & { readonly rules: EvidenceRules },
): Promise<Judgement> {
  const { subject, chargeReference, rules } = about;
  const { day } = subject;
  const isOther = subject.scheme !== ruleOn(rules.ce3, day)?.scheme;
  const read = await readPayments(db, {
    organisationId,
    reference: chargeReference,
    day,
    days: isOther ? ANY_DAYS : (ruleOn(rules.ce3, day)?.days ?? ANY_DAYS),
  });
  const evidence = { subject, ...read };
  return { payment: read.payment, ce3: judgeCe3(evidence, rules), fpt: judgeFpt(evidence, rules) };
}
