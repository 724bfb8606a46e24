/** What a command prints. */

/** Prints the data as JSON when that is asked for, otherwise the text. */
export function print(flags: { readonly json?: boolean }, data: unknown, text: string): void {
  console.log(flags.json === true ? JSON.stringify(data, null, 2) : text);
}
