/**
 * Guarantee, with the real program against the sandbox: killed with SIGKILL at each of its calls, before the
 * service has it and after, and run again, an apply ends as planned with nothing twice.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { childEnv } from '../../support/child-env.ts';
import { spawn } from '../../support/child-process.ts';
import { FIRST, SECOND } from './estate-texts.ts';
import type { EstateWorld } from './estate-world.ts';
import { createEstateWorld } from './estate-world.ts';

const MAIN = fileURLToPath(new URL('../../../src/people/cli/main.ts', import.meta.url));

let world: EstateWorld;
let proxy: Server;
let folder: string;
/** The write at which the process is killed: before it is passed on, or after the service answered. */
let killAt: { readonly call: number; readonly moment: 'before' | 'after' } | undefined;
let writes = 0;
let kill: () => void = () => undefined;

beforeAll(async () => {
  world = await createEstateWorld();
  world.useNewOrganisation();
  folder = await mkdtemp(join(tmpdir(), 'estate-'));
  proxy = createServer((incoming, outgoing) => {
    const isWrite = incoming.method !== 'GET';
    const isHit = isWrite && writes === killAt?.call;
    if (isWrite) writes += 1;
    if (isHit && killAt?.moment === 'before') {
      kill();
      return;
    }
    const url = new URL(incoming.url ?? '/', world.sandbox.url);
    const { method, headers } = incoming;
    const passed = request(url, { method, headers: { ...headers, host: url.host } }, (answer) => {
      if (isHit) {
        answer.resume();
        kill();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((done) => {
    proxy.listen(0, '127.0.0.1', done);
  });
});
afterAll(async () => {
  proxy.closeAllConnections();
  await new Promise((done) => {
    proxy.close(done);
  });
  await world.close();
  await rm(folder, { recursive: true });
});

interface Ended {
  readonly status: number | null;
  readonly signal: string | null;
  readonly output: string;
}

async function forestall(...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, 'estate', ...args], {
    cwd: folder,
    env: {
      ...childEnv(),
      FORESTALL_SERVICE_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      FORESTALL_PARTNER_API_KEY: world.sandbox.accounts.partnerKey,
      FORESTALL_ORGANISATION_ID: world.organisationId,
    },
  });
  kill = () => child.kill('SIGKILL');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  }
  return await new Promise((done) => {
    child.on('close', (status, signal) => done({ status, signal, output }));
  });
}

/** The text of the file, and the calls that bring the service there from the text before. */
const VERSIONS = [
  { text: FIRST, before: undefined, calls: 6 },
  { text: SECOND, before: FIRST, calls: 5 },
] as const;

async function write(text: string): Promise<void> {
  const head = `organisation: ${world.organisationId}\nunlisted: remove\n`;
  const body = text.replaceAll('PAIR', world.organisationId.slice(-10));
  await writeFile(join(folder, 'estate.yaml'), head + body);
}

/** A process that was killed long ago: what it sent has arrived, or never will. */
async function letTimePass(journal: string): Promise<void> {
  const text = await readFile(journal, 'utf8').catch(() => '');
  await writeFile(journal, text.replaceAll(/"at_ms":\d+/g, '"at_ms":0'));
}

async function applyAll(text: string): Promise<void> {
  await write(text);
  await rm(join(folder, 'plan.json.journal'), { force: true });
  expect(await forestall('plan', '-o', 'plan.json', '--allow-many')).toMatchObject({ status: 2 });
  expect(await forestall('apply', 'plan.json')).toMatchObject({ status: 0 });
}

/** All of them with FORESTALL_TEST_KILLS=all. */
const KILLS = VERSIONS.flatMap((version, index) =>
  Array.from({ length: version.calls }, (_, call) =>
    (['before', 'after'] as const).map((moment) => ({ ...version, index, call, moment })),
  ).flat(),
).filter(
  ({ index, call, moment }) =>
    process.env['FORESTALL_TEST_KILLS'] === 'all' ||
    (index === 0 && call === 2 && moment === 'after'),
);

it.each(KILLS)('killed $moment call $call of version $index', async (kill) => {
  world.useNewOrganisation();
  killAt = undefined;
  await rm(join(folder, 'estate.applied.jsonl'), { force: true });
  if (kill.before !== undefined) await applyAll(kill.before);
  await write(kill.text);
  await rm(join(folder, 'plan.json.journal'), { force: true });
  expect(await forestall('plan', '-o', 'plan.json', '--allow-many')).toMatchObject({ status: 2 });
  writes = 0;
  killAt = { call: kill.call, moment: kill.moment };
  expect(await forestall('apply', 'plan.json')).toMatchObject({ signal: 'SIGKILL' });
  killAt = undefined;
  await letTimePass(join(folder, 'plan.json.journal'));
  expect(await forestall('apply', 'plan.json')).toMatchObject({ status: 0 });
  const plan = await forestall('plan', '--json');
  expect([plan.status, JSON.parse(plan.output).steps, JSON.parse(plan.output).problems]).toEqual([
    0,
    [],
    [],
  ]);
  const { merchants, enrolments, rulesets } = await world.read();
  const count = kill.text === FIRST ? 2 : 3;
  expect([merchants.length, enrolments.length, rulesets.length]).toEqual([count, 3, 1]);
});
