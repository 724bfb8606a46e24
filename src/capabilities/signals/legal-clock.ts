/**
 * When the money of a claim must be back: by the law of the customer's country, as dated data in
 * `legal-clocks.json`; without a rule there, after a time of the house.
 *
 * The clock begins when the claim was made. Where the law lets the trader wait for the goods, this is the
 * earlier, safer date. Nothing here is legal advice.
 */

import { z } from 'zod';
import type { ClaimSource } from '../../alerts/cases/claim.ts';
import { CLAIM_SOURCES } from '../../alerts/cases/claim.ts';
import { readPackageFile } from '../../base/kernel/package-file.ts';

const DAY_MS = 86_400_000;

/** Without a rule, in days. A warning is worth something as long as no dispute has come of it. */
const HOUSE_DAYS: Readonly<Record<ClaimSource, number>> = {
  FRAUD_WARNING: 2,
  WITHDRAWAL: 14,
  SUPPORT: 14,
};

const day = z.iso.date();

const clocksSchema = z.array(
  z.strictObject({
    rule: z.string().min(1),
    source: z.enum(CLAIM_SOURCES),
    countries: z.array(z.string().regex(/^[A-Z]{2}$/)).min(1),
    days: z.int().positive(),
    valid_from: day,
    valid_to: day.nullable(),
    from: z.string().min(1),
    law: z.string().min(1),
    confidence: z.enum(['primary', 'secondary']),
  }),
);

export type LegalClock = z.infer<typeof clocksSchema>[number];

/** Reads the table that the package brings. */
export function readLegalClocks(): readonly LegalClock[] {
  const text = readPackageFile(new URL('legal-clocks.json', import.meta.url));
  return clocksSchema.parse(JSON.parse(text));
}

/** What the clock depends on. */
export interface ClockInput {
  readonly source: ClaimSource;
  /** ISO 3166-1, where it is known. */
  readonly country: string | null;
  readonly claimedAt: Date;
}

/** Until when, and by which rule. Pure. */
export function dueOf(
  clocks: readonly LegalClock[],
  { source, country, claimedAt }: ClockInput,
): { readonly dueAt: Date; readonly dueBy: string } {
  const date = claimedAt.toISOString().slice(0, 10);
  const clock = clocks.find(
    (each) =>
      each.source === source &&
      country !== null &&
      each.countries.includes(country) &&
      each.valid_from <= date &&
      (each.valid_to === null || date <= each.valid_to),
  );
  const days = clock?.days ?? HOUSE_DAYS[source];
  const dueBy = clock === undefined ? 'house rule' : `${clock.rule}: ${clock.law}`;
  return { dueAt: new Date(claimedAt.getTime() + days * DAY_MS), dueBy };
}
