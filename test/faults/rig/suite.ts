/** Runs tests of the suite by themselves, for rows that only code inside a process can show. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from './child.ts';
import { digits } from './scene.ts';

const TREE = fileURLToPath(new URL('../../..', import.meta.url));

/** Longest test, in milliseconds: a busy machine makes a thousand races longer, not red. */
const TEST_MS_MAX = 30 * 60_000;

/** Which tests. */
export interface SuiteTests {
  /** Under `test/`. */
  readonly file: string;
  /** What their names hold. */
  readonly named: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Report {
  readonly testResults: readonly {
    /** Why the file could not be run at all. */
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/**
 * Starts vitest on exactly these.
 *
 * @returns the names of those that passed
 * @throws {Error} with what failed, or when there is no such test
 */
export async function runSuite(folder: string, tests: SuiteTests): Promise<readonly string[]> {
  const name = `suite-${digits(6)}`;
  const output = join(folder, `${name}.json`);
  const child = startChild({
    name,
    args: [
      join(TREE, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      `--config=${join(TREE, 'test', 'vitest.config.ts')}`,
      `--testNamePattern=${tests.named}`,
      `--testTimeout=${TEST_MS_MAX}`,
      '--reporter=json',
      `--outputFile=${output}`,
      join('test', tests.file),
    ],
    env: { ...tests.env },
    folder,
    logFile: join(folder, `${name}.log`),
  });
  const { code } = await child.ended;
  const report = readReport(output);
  if (report === undefined) throw new Error(`vitest ended with ${code}:\n${child.text()}`);
  const all = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const ran = all.filter(({ status }) => status === 'passed' || status === 'failed');
  const failed = ran.filter(({ status }) => status === 'failed');
  if (failed.length > 0 || code !== 0) {
    const messages = failed.map((one) => `${one.fullName}: ${one.failureMessages.join('\n')}`);
    const why = report.testResults.map(({ message }) => message);
    throw new Error([...messages, ...why, `vitest ended with ${code}`].join('\n'));
  }
  if (ran.length === 0) throw new Error(`No test of test/${tests.file} is named ${tests.named}.`);
  return ran.map(({ fullName }) => fullName);
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
