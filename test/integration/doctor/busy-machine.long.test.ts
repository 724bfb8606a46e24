/**
 * Guarantee: beside whatever else runs on the machine, the doctor finds nothing wrong with an installation that is
 * well, and says so within ten seconds, every time; and the console shows no cause that is none.
 *
 * Two organisations of a file, each with a sandbox as its service and its processor, behind a proxy that speaks TLS. The
 * other long tests are what keeps the machine busy. `DOCTOR_RUNS=100 DOCTOR_BESIDE=4` runs it as often, beside four
 * processes that never rest.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../../src/base/db/embedded/free-port.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { makeAuthority } from '../../faults/rig/certificate.ts';
import { until } from '../../faults/rig/until.ts';
import { childEnv } from '../../support/child-env.ts';
import type { ChildProcess } from '../../support/child-process.ts';
import { spawn } from '../../support/child-process.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const MAIN = fileURLToPath(new URL('../../../src/people/cli/main.ts', import.meta.url));
const RUNS = Number(process.env['DOCTOR_RUNS'] ?? 5);
/** Processes that never rest. By itself none: other tests have limits of their own. */
const BESIDE = Number(process.env['DOCTOR_BESIDE'] ?? 0);
/** What the manual promises: it ends within ten seconds, always. */
const ENDS_MS_MAX = 10_000;
const TOKEN = 'console-token-of-the-busy-machine';
const PATIENCE_MS = 90_000;
/** An empty program starts within 50 ms on a quiet machine: beyond this it has a fifth of its time, in milliseconds. */
const NOTHING_MS_MAX = 250;
/** Between two looks at the console while the doctor runs. */
const LOOK_MS = 1_000;

const children = new Set<ChildProcess>();
const sandboxes: Sandbox[] = [];
let database: TestDatabase;
let folder: string;
let consoleUrl = '';
let env: Record<string, string> = {};
const { cert, key, authority } = certificateOf('localhost');
let proxy: ReturnType<typeof createTlsServer>;

function certificateOf(host: string) {
  const made = makeAuthority('An authority of this test');
  return { ...made.issue(host), authority: made.cert };
}

function start(args: readonly string[], given: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...childEnv(), HOME: folder, ...given },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 2 * PATIENCE_MS + RUNS * 3 * ENDS_MS_MAX,
  });
  children.add(child);
  child.once('close', () => children.delete(child));
  return child;
}

/** Like the proxy of a deployment: it ends TLS, and hands on. */
function openProxy(port: number): typeof proxy {
  return createTlsServer({ cert, key }, (incoming, response) => {
    const { method, url: path, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    incoming.pipe(onward);
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-busy-'));
  database = await createTestDatabase();
  for (const seed of [1, 2]) {
    sandboxes.push(await createSandbox({ processorSecret: `processor-secret-${seed}`, seed }));
  }
  const port = await freePort();
  proxy = openProxy(port);
  await new Promise<void>((done) => proxy.listen(0, 'localhost', done));
  const file = join(folder, 'installation.yaml');
  const ca = join(folder, 'authority.pem');
  await writeFile(ca, authority);
  await writeFile(
    file,
    `version: 1\norganisations:\n${sandboxes
      .map(
        ({ accounts, url, processorUrl }, at) => `  - id: ${accounts.organisationId}
    name: Brand ${at + 1}
    path: brand-${at + 1}
    integration: ${accounts.integrationId}
    service_url: ${url}
    api_key: {env: KEY_${at + 1}}
    partner_api_key: {env: PARTNER_${at + 1}}
    webhook_secrets: [{env: SECRET_${at + 1}}]
    processor: ${processorUrl}
    processor_secret: {env: PROCESSOR_${at + 1}}
`,
      )
      .join('')}`,
  );
  const consolePort = await freePort();
  consoleUrl = `http://127.0.0.1:${consolePort}`;
  env = {
    ...Object.fromEntries(
      sandboxes.flatMap(({ accounts }, at) => [
        [`KEY_${at + 1}`, accounts.organisationKey],
        [`PARTNER_${at + 1}`, accounts.partnerKey],
        [`SECRET_${at + 1}`, accounts.webhookSecret],
        [`PROCESSOR_${at + 1}`, `processor-secret-${at + 1}`],
      ]),
    ),
    NODE_EXTRA_CA_CERTS: ca,
    DATABASE_URL: database.connectionString,
    FORESTALL_INSTALLATION: file,
    FORESTALL_MODE: 'live',
    FORESTALL_WEBHOOK_URL: `https://localhost:${(proxy.address() as AddressInfo).port}/webhooks`,
    FORESTALL_CONSOLE_TOKEN: TOKEN,
    FORESTALL_CONSOLE_PORT: String(consolePort),
    PORT: String(port),
  };
  const running = start([MAIN, 'start'], env);
  let printed = '';
  for (const output of [running.stdout, running.stderr]) {
    output?.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
    });
  }
  const isThere = (path: string, status: number) => async (): Promise<true | undefined> => {
    if (running.exitCode !== null) throw new Error(`It did not start:\n${printed}`);
    const answer = await fetch(path, { redirect: 'manual' }).catch(() => undefined);
    return answer?.status === status ? true : undefined;
  };
  await until('the console answers', isThere(`${consoleUrl}/login`, 200), PATIENCE_MS);
  await until('webhooks are taken', isThere(`http://127.0.0.1:${port}/webhooks/brand-2`, 405));
  for (const [at, sandbox] of sandboxes.entries()) {
    sandbox.pointWebhooksAt(`http://127.0.0.1:${port}/webhooks/brand-${at + 1}`);
    const { reference } = sandbox.createCharge({ amount_in_cents: 1_290 });
    sandbox.createAlertFor(reference);
  }
}, PATIENCE_MS * 2);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  proxy.close();
  for (const sandbox of sandboxes) await sandbox.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

interface Line {
  readonly status: string;
  readonly name: string;
  readonly detail: string;
}

interface Run {
  readonly code: number | null;
  readonly tookMs: number;
  /** What a program that does nothing took, a moment later. */
  readonly nothingMs: number;
  /** What is not well, with the organisation's name. */
  readonly troubles: readonly string[];
}

async function runDoctor(): Promise<Run> {
  const beganMs = performance.now();
  const child = start([MAIN, 'doctor', '--json'], env);
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  const [code] = await once(child, 'close');
  const tookMs = performance.now() - beganMs;
  const nothing = start(['-e', '0'], {});
  await once(nothing, 'close');
  const nothingMs = performance.now() - beganMs - tookMs;
  const report: { lines: Line[]; organisations: { name: string; lines: Line[] }[] } =
    JSON.parse(text);
  const ofAll = [{ name: 'all', lines: report.lines }, ...report.organisations];
  expect(ofAll.map(({ name }) => name).toSorted()).toEqual(['Brand 1', 'Brand 2', 'all']);
  const troubles = ofAll.flatMap(({ name: whose, lines }) =>
    lines
      .filter(({ status }) => status !== 'ok')
      .map(({ status, name, detail }) => `${status} ${whose}, ${name}: ${detail}`),
  );
  return { code, tookMs, nothingMs, troubles };
}

/** Kept busy by something else: processes that never rest. */
function burden(): () => void {
  const burdens = Array.from({ length: BESIDE }, () => start(['-e', 'for (;;) {}'], {}));
  return () => {
    for (const each of burdens) each.kill('SIGKILL');
  };
}

async function signIn(): Promise<string> {
  const answer = await fetch(`${consoleUrl}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token: TOKEN }).toString(),
  });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** What an open console says is wrong: what stands above the page, what each part is, and an answer that is none. */
async function causesOf(cookie: string): Promise<string[]> {
  const causes: string[] = [];
  for (const path of ['/organisations/brand-1/system', '/organisations/brand-2/']) {
    const answer = await fetch(`${consoleUrl}${path}`, { headers: { cookie } });
    const text = await answer.text();
    if (answer.status !== 200) causes.push(`${path}: ${answer.status}`);
    if (!text.includes('id="health"')) causes.push(`${path} has no place for health`);
    const banners = /<div id="health"[^>]*>(.*?)<\/div>/s.exec(text)?.[1] ?? '';
    const words = banners.replaceAll(/<[^>]+>/g, ' ').trim();
    if (words !== '') causes.push(`${path}: ${words}`);
    for (const [, bad] of text.matchAll(/<span class="state (?:bad|warn)">([^<]+)/g)) {
      causes.push(`${path}: ${bad}`);
    }
  }
  return causes;
}

it(`${RUNS} doctors find what one on a quiet machine finds, each within ten seconds`, {
  timeout: 2 * PATIENCE_MS + RUNS * 3 * ENDS_MS_MAX,
}, async () => {
  const cookie = await signIn();
  // A start has a minute of its own to hear of everything.
  let before: readonly string[] = [];
  const quiet = await until('the first doctor finds nothing wrong', async () => {
    const run = await runDoctor();
    const causes = await causesOf(cookie);
    const isSteady = run.code === 0 && causes.join() === before.join();
    before = causes;
    if (isSteady) return { ...run, causes };
    throw new Error([...run.troubles, ...causes].join('\n'));
  });
  const rest = burden();
  const causes = new Set<string>();
  let isOver = false;
  const looks = (async (): Promise<number> => {
    let count = 0;
    for (; !isOver; count++) {
      const shownCauses = await causesOf(cookie).catch((error: unknown) => [String(error)]);
      for (const cause of shownCauses) causes.add(cause);
      await new Promise((done) => setTimeout(done, LOOK_MS));
    }
    return count;
  })();
  const runs: Run[] = [];
  try {
    for (let count = 0; count < RUNS; count++) {
      const run = await runDoctor();
      runs.push(run);
      const { tookMs, nothingMs } = run;
      process.stderr.write(
        `${run.code ?? 'no'}: ${Math.round(tookMs)} ms, nothing ${Math.round(nothingMs)} ms\n`,
      );
    }
  } finally {
    rest();
    isOver = true;
  }
  // Where the machine gave the doctor no turn, it says that it does not know, and of whom.
  const odd = runs.flatMap(({ troubles }) =>
    troubles.filter((one) => !quiet.troubles.includes(one) && !one.includes('too busy to tell')),
  );
  const slowest = Math.max(...runs.map(({ tookMs }) => tookMs));
  process.stderr.write(
    `${RUNS} doctors, the slowest ${Math.round(slowest)} ms; ${await looks} looks at the console\n`,
  );
  expect(odd).toEqual([]);
  expect(runs.filter(({ code }) => code !== 0)).toEqual([]);
  // Where even a program that does nothing takes this long to start, no program ends in time.
  const isFair = ({ nothingMs }: Run): boolean => nothingMs < NOTHING_MS_MAX;
  expect(runs.filter((run) => isFair(run) && run.tookMs > ENDS_MS_MAX)).toEqual([]);
  expect([...causes].filter((cause) => !quiet.causes.includes(cause))).toEqual([]);
  expect(await looks).toBeGreaterThan(RUNS / 2);
});
