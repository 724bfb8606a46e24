/** A titled list in a text for a terminal. Pure. */

/** Its lines, an empty one before them; none where there is nothing to list. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}
