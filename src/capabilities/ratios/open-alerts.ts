/** What open alerts do to a ratio: if all become disputes, and if all are refunded. Pure. */

import { z } from 'zod';
import { readPackageFile } from '../../base/kernel/package-file.ts';
import { readYaml } from '../../base/kernel/setting-file.ts';
import type { Figures } from './assess.ts';
import { countOf, ratioPercent } from './assess.ts';
import type { SchemeOf } from './card-scheme.ts';
import type { Programme, Reading } from './programme.ts';
import type { OpenAlerts } from './roll-up.store.ts';

/** Open alerts of one scheme, by what their reason says. */
export interface OpenByReason {
  readonly fraud: number;
  readonly other: number;
  /** No reason code: whether a fraud report comes is not known. */
  readonly unknown: number;
}

const fileSchema = z.strictObject({ begins: z.array(z.string().min(1)) });
const url = new URL('./data/fraud-reasons.yaml', import.meta.url);
const { begins: FRAUD_REASONS } = readYaml(readPackageFile(url), 'fraud-reasons.yaml', fileSchema);

/** Sorts alerts. One without a scheme belongs to that of its network. */
export function sortOpen(
  alerts: readonly OpenAlerts[],
  { scheme, schemeOf }: { readonly scheme: Programme['scheme']; readonly schemeOf: SchemeOf },
): OpenByReason {
  const sums = { fraud: 0, other: 0, unknown: 0 };
  for (const { brand, enrolmentType, reasonCode, count } of alerts) {
    const own = schemeOf(brand === '' && enrolmentType.startsWith('NETB') ? 'SCHEME_A' : brand);
    if (scheme !== 'ANY' && own !== scheme) continue;
    sums[kindOf(reasonCode)] += count;
  }
  return sums;
}

function kindOf(reasonCode: string): keyof OpenByReason {
  const code = reasonCode.trim().toUpperCase();
  if (code === '') return 'unknown';
  return FRAUD_REASONS.some((begin) => code.startsWith(begin)) ? 'fraud' : 'other';
}

/** A ratio now, and what the open alerts make of it. */
export interface OpenEffect {
  readonly alerts: number;
  readonly nowPercent: number;
  /** None is answered, each becomes a dispute, and those about fraud a fraud report as well. */
  readonly ifDisputedPercent: number;
  /** All are refunded: what is or may be fraud keeps its report. */
  readonly ifRefundedPercent: number;
  /** Refunded ones that count anyway. */
  readonly staying: number;
}

/** Undefined: there is none, or no base. */
export function effectOfOpen(
  reading: Reading,
  figures: Figures,
  { fraud, other, unknown }: OpenByReason,
): OpenEffect | undefined {
  const alerts = fraud + other + unknown;
  const { base, counts } = figures;
  const now = ratioPercent(countOf(reading, counts), base);
  if (alerts === 0 || now === null) return undefined;
  const maybeFraud = fraud + unknown;
  const disputed = {
    ...counts,
    fraud: counts.fraud + maybeFraud,
    dispute: counts.dispute + other,
    dispute_of_fraud: counts.dispute_of_fraud + maybeFraud,
  };
  const refunded = { ...counts, fraud: counts.fraud + maybeFraud };
  const percent = (counts: Figures['counts']): number =>
    ratioPercent(countOf(reading, counts), base) ?? 0;
  return {
    alerts,
    nowPercent: now,
    ifDisputedPercent: percent(disputed),
    ifRefundedPercent: percent(refunded),
    staying: countOf(reading, refunded) - countOf(reading, counts),
  };
}
