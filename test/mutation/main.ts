/**
 * `npm run mutation`: breaks the modules that move money or decide trust, one small change at a time,
 * and counts the changes that no test notices. Not part of `npm test`: it takes long.
 *
 * Exit status 0: every module's score is at the goal. 1: one is below it, or a planted bug was not
 * noticed. 2: the options are wrong.
 */
import { parseArgs } from 'node:util';
import { isModuleName, MODULE_NAMES } from './modules.ts';
import { plant } from './planted.ts';
import type { How, Score } from './stryker.ts';
import { formatScores, runModule } from './stryker.ts';

const USAGE = `npm run mutation -- [options]
  --only NAME[,NAME]  of ${MODULE_NAMES.join(', ')} (all)
  --again             only what was unnoticed at the last run, or has other code or tests now
  --vitest            by vitest's own runner, which takes many times as long
  --planted           instead: the bugs planted by hand where the code is SQL
  --json              machine-readable`;

/** The share of the changes that tests must notice, in per cent. */
const GOAL = 90;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

interface Asked extends How {
  readonly only: string | undefined;
  readonly json: boolean;
}

async function runModules({ only, json, ...how }: Asked): Promise<number> {
  const names = only === undefined ? MODULE_NAMES : only.split(',').filter(isModuleName);
  if (names.length === 0) throw new RangeError(`--only knows: ${MODULE_NAMES.join(', ')}.`);
  const scores: Score[] = [];
  for (const name of names) {
    const score = await runModule(name, how);
    scores.push(score);
    if (json) continue;
    for (const line of score.survivors) print(`  ${line}`);
    print(formatScores([score]));
  }
  print(json ? JSON.stringify(scores) : `\n${formatScores(scores)}`);
  return scores.every(({ percent }) => percent >= GOAL) ? 0 : 1;
}

async function main(): Promise<number> {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        again: { type: 'boolean' },
        vitest: { type: 'boolean' },
        planted: { type: 'boolean' },
        json: { type: 'boolean' },
      },
    });
    if (values.planted === true) return await plant(values.only, print);
    const { only, again = false, vitest = false, json = false } = values;
    return await runModules({ only, again, vitest, json });
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    process.stderr.write(`${error.message}\n${USAGE}\n`);
    return 2;
  }
}

process.exitCode = await main();
