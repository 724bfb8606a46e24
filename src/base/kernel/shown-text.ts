/**
 * Text from outside as people are shown it. Some characters act on what is around them: a right-to-left
 * override turns our own words and amounts round, and an escape sequence moves the cursor of a terminal. Each is
 * shown as the sign for a character that cannot be shown.
 */

const SIGN = '\uFFFD';

/** Overrides, embeddings and isolates. Right-to-left text needs none of them. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;

/** Control characters but line breaks and tabs. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** Those of both that JSON leaves as they are: it escapes the first 32 characters only. */
const UNESCAPED = /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** The text with nothing in it that turns other text round. */
export function withoutTurns(text: string): string {
  return text.replace(TURNING, SIGN);
}

/** The same with nothing in it that a terminal or a mail program acts on. */
export function plainly(text: string): string {
  return withoutTurns(text).replace(CONTROL, SIGN);
}

/** Data as JSON that reads the same and holds nothing that a terminal acts on. */
export function plainJson(data: unknown): string {
  return escaped(JSON.stringify(data, null, 2));
}

/** The same in one line. */
export function plainJsonLine(data: unknown): string {
  return escaped(JSON.stringify(data));
}

function escaped(json: string): string {
  return json.replace(
    UNESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
