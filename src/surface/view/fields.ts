/** Fields of a filter: an input or a choice with its label, as they are in a `filters` grid. */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';

export interface InputField {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly hint?: string;
  readonly type?: 'date';
}

export function inputField({ name, label, value, hint, type }: InputField): Html {
  return html`<div><label for="f-${name}">${label}</label><input id="f-${name}" name="${name}" value="${value ?? ''}" type="${type ?? 'text'}" placeholder="${hint ?? ''}" autocomplete="off"></div>`;
}

/** A choice among words, or `any` of them unless one has to be chosen. */
export function choiceField(
  name: string,
  label: string,
  choice: {
    /** One that is not offered is offered too: the form says what the page shows. */
    readonly value: string | undefined;
    readonly entries: readonly (readonly [word: string, text: string])[];
    /** Whether `any` is offered. @default true */
    readonly isOpen?: boolean;
  },
): Html {
  const { value } = choice;
  const isOffered = value === undefined || choice.entries.some(([word]) => word === value);
  return html`<div><label for="f-${name}">${label}</label><select id="f-${name}" name="${name}">${choice.isOpen !== false && html`<option value="">any</option>`}${!isOffered && html`<option value="${value}" selected>${value}</option>`}${choice.entries.map(
    ([word, text]) =>
      html`<option value="${word}"${word === choice.value && html` selected`}>${text}</option>`,
  )}</select></div>`;
}
