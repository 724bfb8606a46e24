/** Things the control surface is asked about and does not have. */
import { notFound } from '../refusal.ts';

/** Takes what must be there. @throws Refusal 404 */
export function must<Value>(value: Value | undefined, what: string, field?: string): Value {
  if (value === undefined) throw notFound(what, field);
  return value;
}
