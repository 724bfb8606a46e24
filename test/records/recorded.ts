/**
 * A record: what the program offers, requires or stores of one kind, one line each, in a file beside the tests.
 * A change of the program that changes a record shows as a diff of that file, which a reviewer sees.
 */
import { expect } from 'vitest';

/** Compares `lines`, sorted unless their order means something, with `test/records/NAME.txt`. */
export async function expectRecorded(
  name: string,
  lines: readonly string[],
  { ordered = false } = {},
): Promise<void> {
  const text = `${(ordered ? lines : [...lines].sort()).join('\n')}\n`;
  await expect(
    text,
    `test/records/${name}.txt differs. If the change is meant, run \`npm run records\` and commit the diff.`,
  ).toMatchFileSnapshot(`./${name}.txt`);
}
