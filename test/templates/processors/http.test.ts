/**
 * Guarantee: the Python and the PHP example keep every promise of the port that they can be asked,
 * through lost and broken answers, and answer by the OpenAPI contract.
 *
 * A language that is not installed is shown as skipped; with FORESTALL_TEST_EXAMPLES=1 that is a failure.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { freePort } from '../../../src/base/db/embedded/free-port.ts';
import { systemClock } from '../../../src/base/kernel/clock.ts';
import { createFaultyFetch } from '../../../src/running/testing/faulty-fetch.ts';
import { fixtureOfEndpoint } from '../../../src/running/verify/charge-source.ts';
import { runProcessorConformance } from '../../../src/running/verify/processor-conformance.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';
import { createProcessorCall } from '../../../src/service/processor/processor-call.ts';
import type { RefundRequest } from '../../../src/service/wire/processor.ts';
import type { ChildProcess } from '../../support/child-process.ts';
import { SYNC_LIMIT_MS, spawn, spawnSync } from '../../support/child-process.ts';

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
  const options = { stdio: 'ignore', timeout: SYNC_LIMIT_MS } as const;
  const isThere = spawnSync(command, ['--version'], options).error === undefined;
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
    const answers: Answered[] = [];
    const fetch = noting(faults.fetch, answers);
    const fresh = () => createHttpProcessor({ baseUrl: url, secret, clock, fetch });
    const processor = fresh();
    const fixture = fixtureOfEndpoint({ url, secret, clock, processor, faults });
    const report = await runProcessorConformance({ processor, fresh, fixture });
    expect(report.results.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    expect(report.passed).toBe(60);
    expect(
      report.results.filter(({ verdict }) => verdict === 'skipped').map(({ name }) => name),
    ).toEqual([
      'refusal.disputed',
      'refund.settles',
      'refund.fails_later',
      'charge.disputed',
      'subscription.cancel',
      'subscription.unknown',
    ]);
    const contract = await readContract();
    expect(answers.flatMap((answer) => contract.problemsOf(answer))).toEqual([]);
    expect(new Set(answers.map((answer) => contract.callOf(answer)))).toEqual(
      new Set([
        'GET /capabilities',
        'GET /charges',
        'GET /charges/{reference}',
        'GET /refunds',
        'POST /refunds',
        'POST /voids',
      ]),
    );
  });

  const refundOf = (changes: Partial<RefundRequest>) =>
    createHttpProcessor({ baseUrl: url, secret, clock: systemClock }).refund(
      {
        idempotencyKey: randomUUID(),
        chargeReference: 'ch_none',
        alertId: 'netalrt_1',
        reason: 'chargeback_alert',
        amountMinor: 1000,
        currency: 'USD',
        ...changes,
      },
      AbortSignal.timeout(10_000),
    );
  const newCharge = async (status: string): Promise<string> => {
    const call = createProcessorCall({ baseUrl: url, secret, clock: systemClock });
    const end = await call({ method: 'POST', path: '/conformance/charges', body: { status } });
    return z.object({ json: z.object({ reference: z.string() }) }).parse(end).json.reference;
  };

  it.each<[string, string, string, Partial<RefundRequest>]>([
    ['charge_not_found', 'ours', 'captured', { chargeReference: 'ch_none' }],
    ['charge_not_captured', 'final', 'authorised', {}],
    ['currency_mismatch', 'ours', 'captured', { currency: 'EUR' }],
    ['amount_malformed', 'ours', 'captured', { amountMinor: 0 }],
    ['amount_above_charge', 'ours', 'captured', { amountMinor: 1001 }],
  ])('refuses with %s, which is %s', async (failureCode, failureClass, status, changes) => {
    const chargeReference = await newCharge(status);
    expect(await refundOf({ chargeReference, ...changes })).toEqual({
      kind: 'rejected',
      failureCode,
      failureClass,
    });
  });

  it('refuses what has gone back already as done', async () => {
    const chargeReference = await newCharge('captured');
    expect((await refundOf({ chargeReference, amountMinor: 600 })).kind).toBe('confirmed');
    expect(await refundOf({ chargeReference, amountMinor: 401 })).toEqual({
      kind: 'rejected',
      failureCode: 'already_refunded',
      failureClass: 'done',
    });
  });

  it('answers 500, and no refusal, when it breaks on the way', async () => {
    const call = createProcessorCall({ baseUrl: url, secret, clock: systemClock });
    const end = await call({ method: 'POST', path: '/voids', body: { charge_reference: [] } });
    expect(end).toMatchObject({ kind: 'answer', httpStatus: 500 });
  });

  it('refuses a call that is not signed with the secret', async () => {
    const other = createHttpProcessor({
      baseUrl: url,
      secret: 'another-secret-of-length',
      clock: systemClock,
    });
    expect(await other.readCharge('ch_1')).toMatchObject({ kind: 'unavailable' });
    expect(await other.voidCharge('ch_1', 'k', AbortSignal.timeout(10_000))).toBe('rejected');
    expect((await fetch(`${url}/capabilities`)).status).toBe(401);
  });
}

it('the contract finds an answer that breaks it', async () => {
  const { problemsOf } = await readContract();
  const answer = { method: 'GET', path: '/charges/ch_1', body: { reference: 'ch_1' } };
  expect(problemsOf(answer)).not.toEqual([]);
});

it('the OpenAPI file lists every call of the contract', async () => {
  const { paths } = parse(await readFile(`${FOLDER}openapi.yaml`, 'utf8'));
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(calls.sort()).toEqual([
    'GET /capabilities',
    'GET /charges',
    'GET /charges/{reference}',
    'GET /disputes',
    'GET /disputes/{reference}',
    'GET /refunds',
    'POST /conformance/charges',
    'POST /disputes/{reference}/acceptance',
    'POST /disputes/{reference}/files',
    'POST /disputes/{reference}/submission',
    'POST /refunds',
    'POST /subscriptions/{reference}/cancel',
    'POST /voids',
  ]);
});

/** A whole answer with status 200. */
interface Answered {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

function noting(through: typeof fetch, answers: Answered[]): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, url } = request;
    const response = await through(request);
    const text = response.status === 200 ? await response.clone().text() : '';
    // What a planted fault has spoiled is nobody's answer.
    if (isJson(text)) answers.push({ method, path: new URL(url).pathname, body: JSON.parse(text) });
    return response;
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The OpenAPI file as a judge of answers. */
async function readContract() {
  const contract = parse(await readFile(`${FOLDER}openapi.yaml`, 'utf8'));
  const ajv = new Ajv({ strict: false, validateFormats: false, allowUnionTypes: true });
  ajv.addSchema({ $id: 'contract', components: contract.components });
  const paths = Object.keys(contract.paths);
  const templateOf = (path: string): string =>
    paths.find((each) => new RegExp(`^${each.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)) ?? path;
  return {
    callOf: ({ method, path }: Answered) => `${method} ${templateOf(path)}`,
    problemsOf({ method, path, body }: Answered): string[] {
      const operation = contract.paths[templateOf(path)][method.toLowerCase()];
      const schema = operation.responses['200'].content?.['application/json'].schema ?? {};
      const inContract = JSON.stringify(schema).replaceAll('"#/', '"contract#/');
      const isRight = ajv.validate(JSON.parse(inContract), body);
      return isRight ? [] : [`${method} ${path}: ${ajv.errorsText()}`];
    },
  };
}

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
