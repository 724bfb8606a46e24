/** Settings that nothing reads: most are misspelt, and what they were to change stays as it was. */
import { readVariables, SETTING_NAMES } from './config.ts';

/** A name that is no setting, and the one that was probably meant. */
export interface UnknownSetting {
  readonly name: string;
  readonly near?: string;
}

const PREFIX = 'FORESTALL_';

/** Set by our own deployment files and tests, for others to read. */
const OTHERS = /^FORESTALL_(IMAGE|DOMAIN|TEST_\w+)$/;

/** So many letters may differ for a name to be a misspelling. */
const LETTERS_MAX = 2;

export function unknownSettings(
  env: ReturnType<typeof readVariables> = readVariables(),
): UnknownSetting[] {
  const all = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !all.includes(name) && !OTHERS.test(name))
    .sort()
    .map((name) => {
      const near = all.find((one) => distance(name, one) <= LETTERS_MAX);
      return near === undefined ? { name } : { name, near };
    });
}

/** How many letters must be added, taken away or exchanged to make one name of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, wanted] of [...other].entries()) {
      const swap = (row[column] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(swap, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
