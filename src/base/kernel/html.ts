/**
 * HTML that escapes by default: whatever is put into the template is text, unless it is a template
 * itself. There is no way to mark a string as safe, so no string from outside can become markup.
 *
 * A number between tags is written for people (`said-count.ts`), one within a tag as it is.
 * Attribute values must be quoted in the template; inside a URL, encode the part first.
 *
 * @example
 * html`<li title="${descriptor}">${descriptor}</li>`.toString();
 */

import { saidCount } from './said-count.ts';
import { withoutTurns } from './shown-text.ts';

/** A piece of markup made by {@link html}. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** Joins literal parts of a template with escaped values. Only for {@link html}. */
  static join(parts: TemplateStringsArray, values: readonly HtmlValue[]): Html {
    let text = '';
    let isInTag = false;
    /** Of an attribute that is put into a tag as a piece of its own. */
    let isInQuotes = false;
    for (const [index, part] of parts.entries()) {
      const [opens, closes] = [part.lastIndexOf('<'), part.lastIndexOf('>')];
      if (opens !== closes) isInTag = opens > closes;
      const quote = part.lastIndexOf('"');
      if (quote !== -1) isInQuotes = part[quote - 1] === '=';
      // What is in a form comes back from it, so it stays as it is.
      const value = render(values[index], isInTag ? IN_TAG : placeOf(isInQuotes));
      text += part + value;
    }
    return new Html(text);
  }

  toString(): string {
    return this.#text;
  }
}

/** What may be in a template. Nothing is shown for `null`, `undefined` and `false`. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** Builds markup from a template, escaping every value that is not markup already. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return Html.join(parts, values);
}

interface Place {
  readonly text: (text: string) => string;
  readonly number: (value: number) => string;
}

const IN_TAG: Place = { text: escapeHtml, number: String };
/** Its words are escaped as between tags, which an attribute reads as well. */
const IN_ATTRIBUTE: Place = { text: escapeText, number: String };
/** A number is read there: an identifier that is one is given as a string. */
const IN_TEXT: Place = { text: escapeText, number: saidCount };

function placeOf(isInQuotes: boolean): Place {
  return isInQuotes ? IN_ATTRIBUTE : IN_TEXT;
}

function render(value: HtmlValue, place: Place): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'string') return place.text(value);
  if (typeof value === 'number') return place.number(value);
  return value.map((one) => render(one, place)).join('');
}

/** Text between tags, which must not turn the words around it round. */
function escapeText(text: string): string {
  return escapeHtml(withoutTurns(text));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text with every character that means something in HTML replaced. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
