/**
 * HTML with every inserted value escaped.
 */

/** Text that may stand in a page as it is. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes whatever is not {@link Html}; lists are joined, nothing is nothing. */
function insert(value: unknown): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(insert).join('');
  if (value === null || value === undefined || value === false) return '';
  return String(value).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

/** A template whose values are escaped. */
export function html(parts: TemplateStringsArray, ...values: readonly unknown[]): Html {
  return new Html(parts.reduce((text, part, index) => text + insert(values[index - 1]) + part));
}
