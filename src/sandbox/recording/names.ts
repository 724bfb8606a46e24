/**
 * Values of a recording under another name: what one step was answered is used by later ones as
 * `${name.path}`, because the ids of the next run are others.
 */

/** What the sandbox makes up: a prefix, an underscore, hexadecimal digits. */
const MADE_UP = /[a-z]+(?:_[a-z]+)*_[0-9a-f]{12,}/g;

/** Fields whose values the sandbox makes up as well where they were not chosen. */
const MADE_UP_FIELD = /(?:acquirer_reference_number|arn|auth(?:orisation)?_code|last_?4)$/;

/** A moment, as the sandbox writes it. */
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const ANY_MOMENT = '/^\\d{4}-\\d\\d-\\d\\dT/';

/** Names for values, filled as the session is told from its beginning. */
export class Names {
  readonly #places = new Map<string, string>();
  readonly #given = new Set<string>();

  /** From here on `value` is written as `${place}`. */
  name(value: string, place: string): void {
    if (!this.#places.has(value)) this.#places.set(value, place);
  }

  knows(value: string): boolean {
    return this.#places.has(value);
  }

  /** A value that a person chose: it stays as it is in this run and the next. */
  isGiven(value: string): boolean {
    return this.#given.has(value);
  }

  /** A request's value: what earlier steps made up is named, the rest was chosen by the caller. */
  ofRequest(value: unknown): unknown {
    return mapTexts(value, '', (text) => {
      this.#given.add(text);
      return this.filledIn(text);
    });
  }

  /** A text with names in place of what earlier steps made up. */
  filledIn(text: string): string {
    const whole = this.#places.get(text);
    if (whole !== undefined) return `\${${whole}}`;
    return text
      .replaceAll(/\$\{[^}]+\}/g, (meant) => `$${meant}`)
      .replaceAll(MADE_UP, (found) => {
        const place = this.#places.get(found);
        return place === undefined ? found : `\${${place}}`;
      });
  }

  /** What is expected of an answer at `place`. New ids get a name and are expected by their prefix. */
  ofAnswer(value: unknown, place: string): unknown {
    return mapTexts(value, place, (text, at) => {
      if (this.#given.has(text)) return this.filledIn(text);
      if (MOMENT.test(text)) return ANY_MOMENT;
      const form = this.#places.has(text) ? undefined : formOf(text, at);
      if (form === undefined) return this.filledIn(text);
      this.name(text, at);
      return form;
    });
  }
}

/** What is expected in place of a value that the sandbox made up; undefined when it did not. */
function formOf(text: string, place: string): string | undefined {
  if (text.replace(MADE_UP, '') === '') return `/^${text.slice(0, text.lastIndexOf('_') + 1)}/`;
  return MADE_UP_FIELD.test(place) ? `/^\\w{${text.length}}$/` : undefined;
}

/** The same value with every text replaced. */
function mapTexts(
  value: unknown,
  place: string,
  change: (text: string, place: string) => string,
): unknown {
  if (typeof value === 'string') return change(value, place);
  if (Array.isArray(value)) {
    return value.map((entry, index) => mapTexts(entry, `${place}.${index}`, change));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      mapTexts(member, `${place}.${key}`, change),
    ]),
  );
}
