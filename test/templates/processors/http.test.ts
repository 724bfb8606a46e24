/**
 * Guarantee: the Python example keeps every promise of the port that it can be asked, through lost and
 * broken answers, and answers by the OpenAPI contract. PHP is not installed everywhere: not run here.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createHttpProcessor } from '../../../src/refund/http-processor.ts';
import { fixtureOfEndpoint } from '../../../src/verify/charge-source.ts';
import { createFaultyFetch } from '../../../src/verify/faulty-fetch.ts';
import { runProcessorConformance } from '../../../src/verify/processor-conformance.ts';

const FOLDER = new URL('../../../templates/processors/http/', import.meta.url).pathname;
const secret = 'secret-of-the-example-only';
let child: ChildProcess;
let url: string;

beforeAll(async () => {
  child = spawn('python3', ['-B', `${FOLDER}processor.py`], {
    env: {
      PATH: process.env['PATH'],
      FORESTALL_PROCESSOR_SECRET: secret,
      CONFORMANCE: '1',
      PROCESSOR_PORT: '0',
    },
  });
  const port = await new Promise<string>((done, fail) => {
    child.once('error', () => fail(new Error('python3 is needed for this test. Install it.')));
    child.once('close', () => fail(new Error('The example ended.')));
    child.stdout?.on('data', (text) => done(/listening on (\d+)/.exec(String(text))?.[1] ?? ''));
  });
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => void child.kill());

it('the Python example keeps every promise', async () => {
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

it('the OpenAPI file lists every call of the contract', () => {
  const { paths } = parse(readFileSync(`${FOLDER}openapi.yaml`, 'utf8'));
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
