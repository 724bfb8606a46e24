/** Codes of the interface as the console marks them, and who took a step. */
import { CASE_STATES } from '../../alerts/cases/case-state.ts';
import { MOVEMENT_TRANSITIONS } from '../../alerts/ledger/movement-state.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { actionWords, inWords, reasonAlone } from '../../service/wire/code-words.ts';

/** Who took a step: `operator:Ines` is Ines, `user:root` the command line of that user. */
export function actorWords(actor: string): string {
  if (actor === 'forestall') return 'Forestall';
  if (actor.startsWith('operator:')) return actor.slice('operator:'.length);
  return actor.startsWith('user:') ? `${actor.slice('user:'.length)}, in a terminal` : actor;
}

/**
 * States and actions within a sentence of ours, as people write them: `alert action required`, `received to matched`,
 * `decided to refund`.
 */
export function statesInWords(text: string): string {
  return inWords(text)
    .replaceAll(/\bdecided (?=REFUND\b|ACCEPT_DISPUTE\b|REVIEW\b)/g, 'decided to ')
    .replaceAll(/\b[A-Z]{3,}(?:_[A-Z]+)*\b/g, (word) =>
      STATES.has(word) ? actionWords(word) : word,
    );
}

/** States of cases, movements and declarations, statuses and outcomes of the service, actions; nothing of a merchant's own. */
const STATES: ReadonlySet<string> = new Set([
  ...CASE_STATES,
  ...Object.keys(MOVEMENT_TRANSITIONS),
  ...['DUE', 'DONE', 'REFUND', 'ACCEPT_DISPUTE', 'REVIEW', 'SUCCEEDED', 'PENDING', 'REFUNDED'],
  ...['ACTION_REQUIRED', 'RESOLVED', 'NOT_REFUNDED', 'OPEN', 'WON', 'LOST'],
]);

/** A sentence with the ids of merchants and enrolments in it set apart, as things to copy. */
export function withIds(text: string): Html {
  const parts = text.split(/\b((?:mrch|enrl)_\w+)\b/);
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** The code alone, for a narrow column, with its words on hover and for who does not see it. */
export function shortReason(code: string): Html {
  const words = reasonAlone(code);
  return words === undefined
    ? html`${code}`
    : html`<abbr title="${words} (${code})">${code}</abbr>`;
}

/** The code of a programme or scheme in words, with the code itself on hover. */
export function coded(code: string, words: (code: string) => string): Html {
  const said = words(code);
  return said === code ? html`${code}` : html`<span title="${code}">${said}</span>`;
}
