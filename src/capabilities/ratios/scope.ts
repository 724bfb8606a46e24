/**
 * Scopes that numbers are computed for, and which payments belong to each.
 *
 * A payment of ours carries a descriptor and no merchant id. Which merchant it belongs to follows from the enrolments,
 * whose descriptors name their merchants: a descriptor that leads to exactly one merchant is that merchant's. What
 * leads to several belongs to none of them, and is shown as such.
 */
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../base/db/database.ts';
import type { ScopeKind } from './programme.ts';
import type { Occurrence } from './roll-up.table.ts';

export interface Scope {
  readonly kind: ScopeKind;
  /** Empty: the organisation. */
  readonly id: string;
  /** Descriptors whose payments are the base. */
  readonly descriptors: readonly string[] | 'all';
  /** Enrolments whose rows belong to it where they name no merchant. */
  readonly enrolments: readonly string[];
}

export const ORGANISATION_SCOPE: Scope = {
  kind: 'organisation',
  id: '',
  descriptors: 'all',
  enrolments: [],
};

/** An enrolment as far as it says whose payments are whose. */
export interface EnrolmentRule {
  readonly id: string;
  readonly merchants: readonly string[];
  /** Upper case, single spaces. */
  readonly descriptors: readonly { readonly text: string; readonly isPrefix: boolean }[];
}

const enrolmentSchema = z.looseObject({
  merchant_ids: z.array(z.string()).nullish().catch(null),
  neta_alert: z
    .looseObject({
      descriptors: z
        .array(z.looseObject({ descriptor: z.string(), match_type: z.string().nullish() }))
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
});

export async function readEnrolmentRules(
  db: Db,
  organisationId: string,
): Promise<readonly EnrolmentRule[]> {
  const rows = await db
    .selectFrom('enrolment')
    .select(['id', 'snapshot'])
    .where('organisation_id', '=', organisationId)
    .where(sql<boolean>`status is distinct from 'CANCELLED'`)
    .orderBy('id')
    .execute();
  return rows.map(({ id, snapshot }) => {
    const parsed = enrolmentSchema.safeParse(snapshot);
    const { merchant_ids, neta_alert } = parsed.success ? parsed.data : {};
    return {
      id,
      merchants: merchant_ids ?? [],
      descriptors: (neta_alert?.descriptors ?? []).map(({ descriptor, match_type }) => ({
        text: descriptor.trim().replaceAll(/\s+/g, ' ').toUpperCase(),
        isPrefix: match_type === 'STARTS_WITH',
      })),
    };
  });
}

export interface ScopeSource {
  readonly rules: readonly EnrolmentRule[];
  readonly occurrences: readonly Occurrence[];
}

/** The scope with its payments. Undefined: nothing of that name was ever counted or enrolled. */
export function scopeOf(
  kind: ScopeKind,
  id: string,
  { rules, occurrences }: ScopeSource,
): Scope | undefined {
  if (kind === 'organisation') return ORGANISATION_SCOPE;
  const values = scopeIds(kind, { rules, occurrences });
  if (!values.includes(id)) return undefined;
  const descriptors = valuesOf(occurrences, 'descriptor');
  if (kind === 'descriptor') return { kind, id, descriptors: [id], enrolments: [] };
  // Payments of ours do not say to which submerchant they belong: its base is what the acquirer reports.
  if (kind === 'submerchant') return { kind, id, descriptors: [], enrolments: [] };
  if (kind === 'enrolment') {
    const rule = rules.filter((each) => each.id === id);
    const own = descriptors.filter((descriptor) => rulesOf(descriptor, rule).length > 0);
    return { kind, id, descriptors: own, enrolments: [id] };
  }
  const enrolments = rules.filter(({ merchants }) => merchants.length === 1 && merchants[0] === id);
  const isOnly = scopeIds('merchant', { rules, occurrences }).length === 1;
  const own = descriptors.filter((descriptor) => merchantOf(descriptor, rules) === id);
  return {
    kind,
    id,
    descriptors: isOnly ? 'all' : own,
    enrolments: enrolments.map((rule) => rule.id),
  };
}

/** Names of all scopes of a kind, the most counted first. */
export function scopeIds(kind: ScopeKind, { rules, occurrences }: ScopeSource): readonly string[] {
  if (kind === 'organisation') return [''];
  const dimension = {
    merchant: 'merchant_id',
    submerchant: 'submerchant_id',
    descriptor: 'descriptor',
    enrolment: 'enrolment_id',
  } as const;
  const counted = valuesOf(occurrences, dimension[kind]);
  const enrolled =
    kind === 'merchant'
      ? rules.flatMap(({ merchants }) => merchants)
      : rules.filter(() => kind === 'enrolment').map((rule) => rule.id);
  return [...new Set([...counted, ...enrolled])];
}

function valuesOf(
  occurrences: readonly Occurrence[],
  dimension: Occurrence['dimension'],
): readonly string[] {
  return occurrences.filter((each) => each.dimension === dimension).map(({ value }) => value);
}

/** The one merchant a descriptor leads to, or undefined. */
function merchantOf(descriptor: string, rules: readonly EnrolmentRule[]): string | undefined {
  const merchants = new Set(rulesOf(descriptor, rules).flatMap((rule) => rule.merchants));
  const [only] = merchants;
  return merchants.size === 1 ? only : undefined;
}

function rulesOf(descriptor: string, rules: readonly EnrolmentRule[]): readonly EnrolmentRule[] {
  return rules.filter(({ descriptors }) =>
    descriptors.some(({ text, isPrefix }) => {
      // Of a counted descriptor later words with digits are marks: what is before the first is compared.
      const [known = ''] = descriptor.split('#');
      if (known === descriptor) return isPrefix ? descriptor.startsWith(text) : descriptor === text;
      return isPrefix
        ? descriptor.startsWith(text) || text.startsWith(known)
        : text.startsWith(known);
    }),
  );
}
