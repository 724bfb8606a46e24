/**
 * Guarantee: the Python and the PHP example keep every promise of the port that they can be asked,
 * through lost and broken answers, and answer by the OpenAPI contract.
 *
 * A language that is not installed is shown as skipped; with FORESTALL_TEST_EXAMPLES=1 that is a failure.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createHttpProcessor } from '../../../src/refund/http-processor.ts';
import { fixtureOfEndpoint } from '../../../src/verify/charge-source.ts';
import { createFaultyFetch } from '../../../src/verify/faulty-fetch.ts';
import { runProcessorConformance } from '../../../src/verify/processor-conformance.ts';
import { freePort } from '../../support/free-port.ts';

const FOLDER = new URL('../../../templates/processors/http/', import.meta.url).pathname;
const secret = 'secret-of-the-example-only';

interface Example {
  readonly language: string;
  readonly command: string;
  args(port: number): readonly string[];
  /** What it says once it listens. */
  readonly says: RegExp;
}

const EXAMPLES: readonly Example[] = [
  {
    language: 'Python',
    command: 'python3',
    args: () => ['-B', `${FOLDER}processor.py`],
    says: /listening on \d+/,
  },
  {
    language: 'PHP',
    command: 'php',
    args: (port) => ['-S', `127.0.0.1:${port}`, `${FOLDER}processor.php`],
    says: /Development Server .* started/,
  },
];

function isWanted({ command }: Example): boolean {
  const isThere = spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
  return isThere || process.env['FORESTALL_TEST_EXAMPLES'] === '1';
}

for (const example of EXAMPLES) {
  const title = `the ${example.language} example`;
  describe.runIf(isWanted(example))(title, { concurrent: true }, () => tryExample(example));
}

function tryExample(example: Example): void {
  let child: ChildProcess;
  let books: string;
  let url: string;

  beforeAll(async () => {
    books = await mkdtemp(join(tmpdir(), 'forestall-books-'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    child = spawn(example.command, [...example.args(port)], {
      env: {
        PATH: process.env['PATH'],
        FORESTALL_PROCESSOR_SECRET: secret,
        CONFORMANCE: '1',
        PROCESSOR_PORT: String(port),
        PROCESSOR_BOOKS: join(books, 'books.json'),
      },
    });
    await listens(child, example);
  });
  afterAll(async () => {
    child.kill();
    await rm(books, { recursive: true });
  });

  it('keeps every promise', async () => {
    const clock = systemClock;
    const faults = createFaultyFetch();
    const processor = createHttpProcessor({ baseUrl: url, secret, clock, fetch: faults.fetch });
    const fixture = fixtureOfEndpoint({ url, secret, clock, processor, faults });
    const report = await runProcessorConformance({ processor, fixture });
    expect(report.results.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    expect(report.passed).toBe(56);
    expect(
      report.results.filter(({ verdict }) => verdict === 'skipped').map(({ name }) => name),
    ).toEqual([
      'refund.settles',
      'refund.fails_later',
      'charge.disputed',
      'subscription.cancel',
      'subscription.unknown',
    ]);
  });

  it('refuses a call that is not signed with the secret', async () => {
    const other = createHttpProcessor({
      baseUrl: url,
      secret: 'another-secret-of-length',
      clock: systemClock,
    });
    expect(await other.readCharge('ch_1')).toMatchObject({ kind: 'unavailable' });
    expect((await fetch(`${url}/capabilities`)).status).toBe(401);
  });
}

it('the OpenAPI file lists every call of the contract', async () => {
  const { paths } = parse(await readFile(`${FOLDER}openapi.yaml`, 'utf8'));
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(calls.sort()).toEqual([
    'GET /capabilities',
    'GET /charges',
    'GET /charges/{reference}',
    'GET /refunds',
    'POST /conformance/charges',
    'POST /refunds',
    'POST /subscriptions/{reference}/cancel',
    'POST /voids',
  ]);
});

async function listens(child: ChildProcess, { command, says }: Example): Promise<void> {
  let said = '';
  await new Promise<void>((done, fail) => {
    child.once('error', () => fail(new Error(`${command} is needed for this test. Install it.`)));
    child.once('close', () => fail(new Error(`The example ended. ${said}`)));
    const hear = (text: Buffer): void => {
      said += text.toString();
      if (says.test(said)) done();
    };
    child.stdout?.on('data', hear);
    // PHP says it there.
    child.stderr?.on('data', hear);
  });
}
