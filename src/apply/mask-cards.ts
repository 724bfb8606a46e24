/**
 * Masks full card numbers in what the service tells, before it becomes a row: systems that hold none
 * stay outside the card schemes' rules. The signed bytes are kept as they came, for thirty days.
 */
import { maskCardNumbers } from '../kernel/card-number.ts';
import type { ServiceObject } from './fields.ts';

/**
 * Fields of identifiers, references and moments. By chance their digits can look like a card number, and
 * a masked one would name nothing.
 */
const NAMES_SOMETHING = /(?:^|_)(?:id|ids|arn|number|reference|uri|url|at|date)$/;

/** An object without full card numbers, and the fields in which there were any. */
export interface MaskedObject {
  readonly object: ServiceObject;
  readonly fields: readonly string[];
}

/** Masks them: the first six and the last four digits stay. An object without any is returned as it is. */
export function maskCards(object: ServiceObject): MaskedObject {
  const fields = new Set<string>();
  const entries = maskEntries(object, fields);
  return fields.size === 0
    ? { object, fields: [] }
    : { object: Object.fromEntries(entries), fields: [...fields] };
}

function maskEntries(object: object, fields: Set<string>): [string, unknown][] {
  return Object.entries(object).map(([key, value]) => [key, maskValue(value, { key, fields })]);
}

function maskValue(
  value: unknown,
  about: { readonly key: string; readonly fields: Set<string> },
): unknown {
  const { key, fields } = about;
  if (typeof value === 'string') {
    if (NAMES_SOMETHING.test(key)) return value;
    const masked = maskCardNumbers(value);
    if (masked !== value) fields.add(key);
    return masked;
  }
  if (Array.isArray(value)) return value.map((each: unknown) => maskValue(each, about));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(maskEntries(value, fields));
}
