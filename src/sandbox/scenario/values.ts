/** Values in scenarios: filling in what earlier steps saved, and comparing with what was expected. */

/** What steps saved, by name. */
export type Saved = ReadonlyMap<string, unknown>;

const WHOLE = /^\$\{([^}]+)\}$/;
/** With its escape, `$${`. */
const INSIDE = /\$?\$\{([^}]+)\}/g;

/** Fills `${name.path}` in, at any depth. A text that is only that becomes the value itself. */
export function fillIn(value: unknown, saved: Saved): unknown {
  if (typeof value === 'string') return fillText(value, saved);
  if (Array.isArray(value)) return value.map((entry) => fillIn(entry, saved));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fillIn(member, saved)]),
  );
}

function fillText(text: string, saved: Saved): unknown {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) return lookUp(whole, saved);
  return text.replaceAll(INSIDE, (match, path: string) =>
    match.startsWith('$$') ? match.slice(1) : String(lookUp(path, saved)),
  );
}

/** A text with everything filled in. */
export function fillString(text: string, saved: Saved): string {
  return String(fillText(text, saved));
}

function lookUp(path: string, saved: Saved): unknown {
  const [name = '', ...keys] = path.split('.');
  return keys.reduce(member, saved.get(name));
}

/** A member of whatever has members. */
export function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(key);
}

/** Where `actual` is not as expected, one line each. */
export function differences(expected: unknown, actual: unknown, path = 'body'): readonly string[] {
  if (typeof expected === 'string' && /^\/.+\/$/.test(expected)) {
    const fits = new RegExp(expected.slice(1, -1)).test(String(actual));
    return fits ? [] : [`${path}: ${show(actual)} does not match ${expected}`];
  }
  if (Array.isArray(expected)) return listDifferences(expected, actual, path);
  if (typeof expected !== 'object' || expected === null) {
    return Object.is(expected, actual) ? [] : [`${path}: ${show(actual)} is not ${show(expected)}`];
  }
  return Object.entries(expected).flatMap(([key, value]) =>
    differences(value, member(actual, key), `${path}.${key}`),
  );
}

function listDifferences(
  expected: readonly unknown[],
  actual: unknown,
  path: string,
): readonly string[] {
  if (!Array.isArray(actual)) return [`${path}: ${show(actual)} is no list`];
  if (actual.length !== expected.length) {
    return [`${path}: ${actual.length} entries instead of ${expected.length}`];
  }
  return expected.flatMap((value, index) => differences(value, actual[index], `${path}.${index}`));
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
