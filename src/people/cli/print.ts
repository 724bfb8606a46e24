/** What a command prints. Texts from outside act on no terminal. */
import { plainly } from '../../base/kernel/shown-text.ts';
import { fitWidth } from './fit-width.ts';
import { terminalWidth } from './line-text.ts';

/** Prints a text, no wider than the terminal. */
export function say(text: string): void {
  console.log(fitWidth(plainly(text), terminalWidth()));
}

/** Prints the data as JSON when that is asked for, otherwise the text, no wider than the terminal. */
export function print(flags: { readonly json?: boolean }, data: unknown, text: string): void {
  if (flags.json === true) console.log(JSON.stringify(data, null, 2));
  else say(text);
}
