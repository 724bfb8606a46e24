/**
 * Everything a condition can ask about: one table, from which the compiler, the evaluator, the JSON
 * Schema, the examples and the reference take what they know. A new condition is one entry.
 */
import type { BrandTokenMap } from '../service/wire/brand-tokens.ts';
import { ALERT_FIELDS } from './alert-fields.ts';
import { CHARGE_FIELDS } from './charge-fields.ts';
import { CUSTOMER_FIELDS } from './customer-fields.ts';
import type { FieldTable, PolicyField, WordField } from './field-kinds.ts';
import { called, number } from './field-kinds.ts';
import { ORDER_FIELDS } from './order-fields.ts';

/** About the schemes' monitoring programmes. */
const RATIO_FIELDS: FieldTable = {
  ratio: called(
    'ratio in percent',
    number(
      'Fraud reports and disputes of this month in percent of the payments, for the alert’s card scheme and merchant, as the scheme’s programme counts them; by the reading that counts most. Not known without payments, or when no worker has counted for a day.',
      ({ ratio }) => ratio?.percent,
    ),
  ),
  ratio_headroom: called(
    'room until the next line',
    number(
      'How many more fraud reports and disputes until the nearest line of a programme is crossed; 0 when one is. Not known without payments, or when no worker has counted for a day.',
      ({ ratio }) => ratio?.headroom,
    ),
  ),
};

const TABLE: FieldTable = {
  ...ALERT_FIELDS,
  ...CHARGE_FIELDS,
  ...ORDER_FIELDS,
  ...CUSTOMER_FIELDS,
  ...RATIO_FIELDS,
};

/** The conditions, by the word a policy uses. */
export const POLICY_FIELDS: ReadonlyMap<string, PolicyField> = new Map(
  Object.entries(TABLE).map(([name, field]): [string, PolicyField] => {
    const label = field.label ?? name.replaceAll('_', ' ');
    return [name, { ...field, name, label }];
  }),
);

/** The words a field accepts: its own, and the service's real names for brands. */
export function acceptedWords(
  field: WordField,
  brands: BrandTokenMap,
): ReadonlyMap<string, string> {
  const pairs = field.words.flatMap((word): [string, string][] => [
    [word, word],
    [realName(word, brands), word],
  ]);
  return new Map(pairs);
}

function realName(word: string, brands: BrandTokenMap): string {
  if (word === 'SCHEME_A' || word === 'SCHEME_B') return brands[word];
  if (word.startsWith('NETA_')) return brands.NETA + word.slice('NETA'.length);
  if (word.startsWith('NETB_')) return brands.NETB + word.slice('NETB'.length);
  return word;
}
