/**
 * The schemes' conditions for evidence as data with dates (`rules.yaml`), and the merchant's own file of the
 * same form (`FORESTALL_EVIDENCE`). A new year's rules need no code.
 */

import { z } from 'zod';
import { readPackageFile } from '../../base/kernel/package-file.ts';
import { readSettingFile, readYaml } from '../../base/kernel/setting-file.ts';

const SETTING = 'FORESTALL_EVIDENCE';

/** Most days between authorisation and settlement that can be set. */
export const SETTLING_DAYS_MAX = 30;

/** From which day the age of an earlier payment is counted. */
export const BASES = ['dispute_date', 'processing_date'] as const;
export type Basis = (typeof BASES)[number];

const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day like 2026-04-18')
  .refine((text) => !Number.isNaN(Date.parse(text)), 'is no day of the calendar');
const days = z
  .strictObject({ from: z.int().min(0), to: z.int().min(0) })
  .refine(({ from, to }) => from <= to, '"from" is after "to"');

const shared = {
  valid_from: day,
  /** The scheme's token. */
  scheme: z.string().min(1),
  reasons: z.array(z.string().min(1)).min(1),
  earlier_payments: z.int().min(1).max(10),
  confidence: z.enum(['primary', 'secondary', 'contested']),
  source: z.string().min(1),
};

const ce3Schema = z
  .strictObject({
    ...shared,
    days,
    certain_days: days,
    equal_elements: z.int().min(1).max(4),
    device_length: z.int().min(0),
    fingerprint_length: z.int().min(0),
    recurring_address: z.boolean(),
    three_d_secure_from: day.nullable(),
    fraud_notices: z.boolean(),
  })
  .refine(
    (rule) => rule.days.from <= rule.certain_days.from && rule.certain_days.to <= rule.days.to,
    '"certain_days" reach beyond "days"',
  );

const fptSchema = z.strictObject({
  ...shared,
  doubtful_reasons: z.array(z.string()).default([]),
  countries: z.array(z.string().regex(/^[A-Z]{2}$/)).min(1),
});

const fileSchema = z.strictObject({
  basis: z.enum([...BASES, 'both']).optional(),
  email_is_login: z.boolean().optional(),
  settling_days: z.int().min(0).max(SETTLING_DAYS_MAX).optional(),
  ce3: z.array(ce3Schema).default([]),
  fpt: z.array(fptSchema).default([]),
});

export type Ce3Rule = z.output<typeof ce3Schema>;
export type FptRule = z.output<typeof fptSchema>;

/** All rules, and what the merchant set. */
export interface EvidenceRules {
  readonly basis: Basis | 'both';
  readonly emailIsLogin: boolean;
  readonly settlingDays: number;
  /** Latest first. */
  readonly ce3: readonly Ce3Rule[];
  readonly fpt: readonly FptRule[];
}

let shipped: EvidenceRules | undefined;

/** The rules that come with this version. */
export function shippedRules(): EvidenceRules {
  shipped ??= parseEvidenceRules(
    readPackageFile(new URL('rules.yaml', import.meta.url)),
    undefined,
  );
  return shipped;
}

/**
 * The rules of a file's text, on top of others.
 *
 * @throws {ConfigError} naming every fault and its place in the file
 */
export function parseEvidenceRules(text: string, base: EvidenceRules | undefined): EvidenceRules {
  const file = readYaml(text, SETTING, fileSchema);
  return {
    basis: file.basis ?? base?.basis ?? 'both',
    emailIsLogin: file.email_is_login ?? base?.emailIsLogin ?? false,
    settlingDays: file.settling_days ?? base?.settlingDays ?? 0,
    ce3: latestFirst(file.ce3, base?.ce3 ?? []),
    fpt: latestFirst(file.fpt, base?.fpt ?? []),
  };
}

/** One of the same day and scheme replaces the one below it. */
function latestFirst<Rule extends { valid_from: string; scheme: string }>(
  rules: readonly Rule[],
  below: readonly Rule[],
): Rule[] {
  const byDay = new Map([...below, ...rules].map((rule) => [nameOf(rule), rule]));
  return [...byDay.values()].sort((a, b) => (a.valid_from < b.valid_from ? 1 : -1));
}

function nameOf({ valid_from, scheme }: { valid_from: string; scheme: string }): string {
  return `${valid_from} ${scheme}`;
}

/** Reads the merchant's file, or takes the shipped rules where none is named. @throws {ConfigError} */
export function openEvidenceRules(path: string | undefined): EvidenceRules {
  if (path === undefined) return shippedRules();
  return parseEvidenceRules(readSettingFile(path, SETTING), shippedRules());
}

/** The rule in force on a day (YYYY-MM-DD). */
export function ruleOn<Rule extends { readonly valid_from: string }>(
  rules: readonly Rule[],
  on: string,
): Rule | undefined {
  return rules.find(({ valid_from }) => valid_from <= on);
}
