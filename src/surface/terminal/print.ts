/** What a command prints. Texts from outside act on no terminal. */
import { plainJson, plainJsonLine, plainly } from '../../base/kernel/shown-text.ts';
import { fitWidth } from './fit-width.ts';
import { colourMarks, terminalWidth } from './line-text.ts';

/** Prints a text, no wider than the terminal. */
export function say(text: string): void {
  console.log(colourMarks(fitWidth(plainly(text), terminalWidth())));
}

/** For a person at the terminal: printed on stderr, so that a pipe does not take it. */
export function sayOnStderr(text: string): void {
  console.error(plainly(text));
}

/** Prints data as JSON. */
export function printJson(data: unknown): void {
  console.log(plainJson(data));
}

/** Prints data as one line of JSON, for programs that read line by line. */
export function printJsonLine(data: unknown): void {
  console.log(plainJsonLine(data));
}

/** Prints the data as JSON when that is asked for, otherwise the text, no wider than the terminal. */
export function print(flags: { readonly json?: boolean }, data: unknown, text: string): void {
  if (flags.json === true) printJson(data);
  else say(text);
}
