/**
 * What an estate consists of, in one form for the file and for the service, so that both can be
 * compared. References are keys where the file has one, else the service's identifiers.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isRecord } from '../../../base/kernel/is-record.ts';
import { parseAmount } from '../../../base/kernel/units.ts';
import type { Enrolment } from '../../../service/wire/enrolment.ts';
import type { Merchant } from '../../../service/wire/merchant.ts';
import type { Ruleset } from '../../../service/wire/ruleset.ts';
import {
  amountRuleParametersSchema,
  descriptorRuleParametersSchema,
  JOIN_OPERATORS,
} from '../../../service/wire/ruleset.ts';
import type { EnrolmentEntry, MerchantEntry, RulesetEntry } from './estate.ts';

export const merchantContentSchema = z.strictObject({
  name: z.string(),
  type: z.string(),
  external_id: z.string().nullable(),
  default_representment_service_type: z.string().nullable(),
});
export type MerchantContent = z.infer<typeof merchantContentSchema>;

export const descriptorContentSchema = z.strictObject({
  descriptor: z.string(),
  match_type: z.string(),
});
export type DescriptorContent = z.infer<typeof descriptorContentSchema>;

/** Lists are sorted; `descriptors` is empty unless `NETA_ALERT`. */
export const enrolmentContentSchema = z.strictObject({
  type: z.string(),
  merchants: z.array(z.string()),
  descriptors: z.array(descriptorContentSchema),
  bin: z.string().nullable(),
  caid: z.string().nullable(),
  arns: z.array(z.string()).nullable(),
});
export type EnrolmentContent = z.infer<typeof enrolmentContentSchema>;

export const ruleContentSchema = z.strictObject({
  type: z.string(),
  parameters: z.record(z.string(), z.unknown()),
});
export type RuleContent = z.infer<typeof ruleContentSchema>;

export const rulesetContentSchema = z.strictObject({
  /** Sorted. */
  enrolments: z.array(z.string()),
  outcome: z.string(),
  /** Null where fewer than two rules make it meaningless. */
  join: z.string().nullable(),
  /** By type. */
  rules: z.array(ruleContentSchema),
});
export type RulesetContent = z.infer<typeof rulesetContentSchema>;

/** Turns an identifier of the service into the file's key, where it has one. */
export type KeyOf = (id: string) => string;

export function merchantOfFile(entry: MerchantEntry): MerchantContent {
  return {
    name: entry.name,
    type: entry.type,
    external_id: entry.external_id === undefined ? entry.key : entry.external_id,
    default_representment_service_type: entry.default_representment_service_type ?? null,
  };
}

export function merchantOfService(merchant: Merchant): MerchantContent {
  return {
    name: merchant.name,
    type: merchant.type,
    external_id: merchant.external_id ?? null,
    default_representment_service_type: merchant.default_representment_service_type ?? null,
  };
}

export function enrolmentOfFile(entry: EnrolmentEntry): EnrolmentContent {
  const merchants = [...entry.merchants].sort();
  const none = { descriptors: [], bin: null, caid: null, arns: null };
  if (entry.type === 'NETA_ALERT') {
    return {
      ...none,
      type: entry.type,
      merchants,
      descriptors: sortDescriptors(entry.descriptors),
    };
  }
  return {
    ...none,
    type: entry.type,
    merchants,
    bin: entry.bin ?? null,
    caid: entry.caid ?? null,
    arns: entry.arns === undefined ? null : [...entry.arns].sort(),
  };
}

export function enrolmentOfService(enrolment: Enrolment, keyOf: KeyOf): EnrolmentContent {
  const { bin, caid, arns } = enrolment.netb_rdr ?? {};
  return {
    type: enrolment.type,
    merchants: (enrolment.merchant_ids ?? []).map(keyOf).sort(),
    descriptors: sortDescriptors(
      (enrolment.neta_alert?.descriptors ?? []).map(({ descriptor, match_type: matchType }) => ({
        descriptor,
        match_type: matchType,
      })),
    ),
    bin: bin ?? null,
    caid: caid ?? null,
    arns: arns === null || arns === undefined ? null : [...arns].sort(),
  };
}

export function sortDescriptors(descriptors: readonly DescriptorContent[]): DescriptorContent[] {
  return descriptors
    .map(({ descriptor, match_type: matchType }) => ({ descriptor, match_type: matchType }))
    .sort(byText);
}

export function rulesetOfFile(entry: RulesetEntry): RulesetContent {
  const rules: RuleContent[] = [];
  if (entry.amount !== undefined) {
    const parsed = parseAmount(entry.amount.value);
    rules.push({
      type: 'AMOUNT',
      parameters: {
        amount_in_cents: parsed.ok ? parsed.value.amountMinor : 0,
        currency_code: parsed.ok ? parsed.value.currency : '',
        operator: entry.amount.operator,
      },
    });
  }
  if (entry.descriptors !== undefined) {
    rules.push({ type: 'DESCRIPTOR', parameters: descriptorParameters(entry.descriptors) });
  }
  return withRules({
    enrolments: [...entry.enrolments].sort(),
    outcome: entry.outcome,
    join: entry.join ?? 'AND',
    rules,
  });
}

export function rulesetOfService(ruleset: Ruleset, keyOf: KeyOf): RulesetContent {
  const rules = (ruleset.rules ?? []).map(({ type, parameters }) =>
    ruleOfService(type, parameters),
  );
  return withRules({
    enrolments: ruleset.enrolment_ids.map(keyOf).sort(),
    outcome: ruleset.outcome,
    join: ruleset.join_operator,
    rules,
  });
}

/** A rule in the form of the file; one of a kind that we do not know keeps its parameters. */
export function ruleOfService(
  type: string,
  parameters: Readonly<Record<string, unknown>>,
): RuleContent {
  const amount = amountRuleParametersSchema.safeParse(parameters);
  if (type === 'AMOUNT' && amount.success) {
    const { amount_in_cents, currency_code, operator } = amount.data;
    return { type, parameters: { amount_in_cents, currency_code, operator } };
  }
  const descriptors = descriptorRuleParametersSchema.safeParse(parameters);
  if (type === 'DESCRIPTOR' && descriptors.success) {
    return { type, parameters: descriptorParameters(descriptors.data.descriptors) };
  }
  return { type, parameters };
}

function descriptorParameters(
  descriptors: readonly { readonly value: string; readonly match_type: string }[],
): Record<string, unknown> {
  return {
    descriptors: descriptors
      .map(({ value, match_type: matchType }) => ({ match_type: matchType, value }))
      .sort(byText),
  };
}

function withRules(content: RulesetContent): RulesetContent {
  const rules = [...content.rules].sort((a, b) => (a.type < b.type ? -1 : 1));
  // What an operator that we do not know does with one rule is unknown too.
  const isMeaningless = rules.length < 2 && JOIN_OPERATORS.some((known) => known === content.join);
  return { ...content, join: isMeaningless ? null : content.join, rules };
}

/** Field by field, each rule as a field of its own. */
export function rulesetFields({
  enrolments,
  outcome,
  join,
  rules,
}: RulesetContent): Map<string, unknown> {
  return new Map<string, unknown>([
    ['enrolments', enrolments],
    ['outcome', outcome],
    ['join', join],
    ...rules.map((rule): [string, unknown] => [`${rule.type.toLowerCase()} rule`, rule]),
  ]);
}

function byText(a: object, b: object): number {
  const [one, other] = [JSON.stringify(a), JSON.stringify(b)];
  return one < other ? -1 : Number(one > other);
}

/** Whether two contents are the same. The order of keys does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  return stableText(a) === stableText(b);
}

/** A short name for a content: the same for the same content. */
export function digestOf(content: unknown): string {
  return createHash('sha256').update(stableText(content)).digest('hex').slice(0, 32);
}

function stableText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
