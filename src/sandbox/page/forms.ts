/**
 * Forms that make one call of the control surface. A field's name may end in `:number` or `:json`,
 * which says how its text becomes a value of the JSON body; an empty field is left out.
 */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { codeWords } from '../../service/wire/code-words.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  /** The texts to choose from, with their labels; without them anything can be typed. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly value?: string;
  readonly hint?: string;
  readonly required?: boolean;
  /** Holds long texts. */
  readonly wide?: boolean;
}

export interface FormSpec {
  /** Method and path, for example `POST /sandbox/alerts`. */
  readonly call: string;
  readonly button: string;
  /** What is said when it worked. */
  readonly done: string;
  readonly fields?: readonly Field[];
  /** Values that need not be chosen. */
  readonly fixed?: Readonly<Record<string, string | number | boolean>>;
  readonly tone?: 'danger' | 'plain';
}

/** Choices, each labelled with its words; what was made shows the code. */
export function choices(values: readonly string[], first?: string): NonNullable<Field['options']> {
  const listed = values.map((value) => [value, codeWords(value)] as const);
  return first === undefined ? listed : [['', first], ...listed];
}

/** The form. `back` is the page to return to. */
export function form(back: string, spec: FormSpec): Html {
  const { button, call, done, fields = [], fixed = {}, tone = 'main' } = spec;
  const hidden = Object.entries({ call, done, back, ...typed(fixed) }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const few = fields.length === 0 ? 'single' : 'fields';
  return html`<form method="post" action="/sandbox/page/do" class="${few}">${hidden}
${fields.map(fieldOf)}<button class="${tone}">${button}</button></form>`;
}

function typed(fixed: NonNullable<FormSpec['fixed']>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fixed).map(([name, value]) => [
      typeof value === 'string' ? name : `${name}:json`,
      String(value),
    ]),
  );
}

function fieldOf({ name, label, options, value = '', hint, required, wide }: Field): Html {
  const needed = required === true ? html` required` : '';
  const said = hint === undefined ? '' : html` <span class="quiet">${hint}</span>`;
  const isNumber = name.endsWith(':number');
  const input =
    options === undefined
      ? html`<input name="${name}" value="${value}" autocomplete="off"${
          isNumber ? html` inputmode="decimal"` : ''
        }${needed}>`
      : html`<select name="${name}">${options.map(
          ([choice, text]) =>
            html`<option value="${choice}"${choice === value ? html` selected` : ''}>${text}</option>`,
        )}</select>`;
  const room = wide === true ? html` class="wide"` : '';
  return html`<label${room}>${label}${said}${input}</label>`;
}

export interface FormCall {
  readonly method: string;
  readonly path: string;
  readonly done: string;
  readonly back: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const BACK = /^\/sandbox(?:\/page\/[a-z-]+)?$/;

export function readForm(text: string): FormCall {
  const sent = new URLSearchParams(text);
  const [method = '', path = ''] = (sent.get('call') ?? '').split(' ');
  const back = sent.get('back') ?? '';
  const body: Record<string, unknown> = {};
  for (const [name, value] of sent) {
    if (['call', 'done', 'back'].includes(name) || value.trim() === '') continue;
    const [key = name, type] = name.split(':');
    body[key] = readValue(value.trim(), type);
  }
  return {
    method,
    path,
    done: sent.get('done') ?? '',
    back: BACK.test(back) ? back : '/sandbox',
    body,
  };
}

/** What is no number stays text: the control surface says which field wants what. */
function readValue(text: string, type: string | undefined): unknown {
  if (type === undefined) return text;
  const number = Number(text);
  if (type === 'number') return Number.isFinite(number) ? number : text;
  if (text === 'true' || text === 'false') return text === 'true';
  return text === 'null' ? null : readValue(text, 'number');
}
