/** Finds who a comment calls by `@name`. Pure. */

/** What may be before the sign and behind the name: nothing that could be part of an address or of a longer name. */
const BEFORE = String.raw`(?:^|[^\w@.])`;
const BEHIND = String.raw`(?![\w@-])`;

/** Those of these people whom the text calls. Names may hold spaces; the case of letters does not matter. */
export function mentionedIn(text: string, people: readonly string[]): string[] {
  // The longest first, and each place once: `@ann lee` does not call `ann`.
  let rest = text;
  const found: string[] = [];
  for (const name of people.toSorted((a, b) => b.length - a.length)) {
    const called = new RegExp(`${BEFORE}@${escaped(name)}${BEHIND}`, 'giu');
    if (!called.test(rest)) continue;
    found.push(name);
    rest = rest.replace(called, ' ');
  }
  return found;
}

/** The text with the signs escaped that mean something in a pattern. */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
