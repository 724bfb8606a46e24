/**
 * Values of environment variables in files that we write: wherever one occurs, the variable's name
 * is in its place.
 */
import { createHash } from 'node:crypto';

/** Values by name. */
export type Values = ReadonlyMap<string, string>;

/** A short mark of some texts: the same for the same texts, and it does not tell them. */
export function fingerprint(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** Puts the names of variables in the place of their values. */
export function hideText(text: string, variables: Values): string {
  return [...variables]
    .filter(([, value]) => value !== '')
    .reduce((done, [name, value]) => done.replaceAll(value, placeholder(name)), text);
}

/** The same for every text in a value, in order; fields in `kept` stay as they are. */
export function hideValues(value: unknown, variables: Values, kept: ReadonlySet<string>): unknown {
  return mapTexts(value, kept, (text) => hideText(text, variables));
}

/** The opposite, in the opposite order. */
export function showValues(value: unknown, variables: Values, kept: ReadonlySet<string>): unknown {
  const usable = [...variables].filter(([, text]) => text !== '').reverse();
  return mapTexts(value, kept, (text) =>
    usable.reduce((done, [name, secret]) => done.replaceAll(placeholder(name), () => secret), text),
  );
}

/** A name that is written for a value. */
export const PLACEHOLDER = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;

function placeholder(name: string): string {
  return `\${${name}}`;
}

function mapTexts(
  value: unknown,
  kept: ReadonlySet<string>,
  change: (text: string) => string,
): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, kept, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      kept.has(name) ? inner : mapTexts(inner, kept, change),
    ]),
  );
}
