/** The statements of a file of ours, one after the other, as psql sends them. */

/** Statements end with a semicolon at the end of a line, outside of a body. */
export function statementsOf(text: string): readonly string[] {
  const statements: string[] = [];
  let open = '';
  for (const line of text.replaceAll(/^\s*--.*$/gm, '').split('\n')) {
    open += `${line}\n`;
    const isInBody = (open.match(/\$\$/g)?.length ?? 0) % 2 === 1;
    if (isInBody || !/;\s*$/.test(line)) continue;
    statements.push(open);
    open = '';
  }
  return statements;
}
