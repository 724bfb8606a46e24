/**
 * Guarantee: the programs of the guide for other languages receive what is signed, refuse what is not, and
 * answer an alert; its curl lines work. Each runs where its language is installed; which were skipped is said.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../src/base/db/embedded/free-port.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox, signatureHeader } from '../../src/sandbox/index.ts';
import type { ChildProcess } from '../support/child-process.ts';
import { execFile, SYNC_LIMIT_MS, spawn, spawnSync } from '../support/child-process.ts';

const GUIDE = readFileSync(
  new URL('../../templates/guides/other-languages.md', import.meta.url),
  'utf8',
);

function blocks(language: string): string[] {
  const found = GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  return [...found].map(([, code = '']) => code);
}

/** How a program of each language is run, and how one sees whether it can be. */
const LANGUAGES = [
  { name: 'python', file: 'webhooks.py', probe: ['python3', '--version'], run: ['python3'] },
  { name: 'php', file: 'webhooks.php', probe: ['php', '--version'], run: ['php', '-S'] },
  { name: 'go', file: 'webhooks.go', probe: ['go', 'version'], run: ['go', 'run'] },
  { name: 'ruby', file: 'webhooks.rb', probe: ['ruby', '-e', 'require "webrick"'], run: ['ruby'] },
] as const;

let folder: string;
let sandbox: Sandbox;
let program: ChildProcess | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-languages-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(async () => {
  // `go run` and others start a program of their own: the whole group ends.
  if (program?.pid !== undefined && program.exitCode === null) {
    process.kill(-program.pid, 'SIGKILL');
  }
  program = undefined;
  await sandbox.close();
});

/** What a program gets to know of the sandbox. */
function settings(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    FORESTALL_SERVICE_URL: sandbox.url,
    FORESTALL_API_KEY: sandbox.accounts.organisationKey,
    FORESTALL_WEBHOOK_SECRETS: sandbox.accounts.webhookSecret,
  };
}

function isInstalled([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { timeout: SYNC_LIMIT_MS }).status === 0;
}

async function isListening(port: number): Promise<boolean> {
  return await new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('close', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function start({ name, file, run }: (typeof LANGUAGES)[number]): Promise<string> {
  const path = join(folder, file);
  await writeFile(path, blocks(name)[0] ?? '');
  const port = await freePort();
  const [command, ...args] = run;
  const address = name === 'php' ? [`127.0.0.1:${port}`] : [];
  program = spawn(command, [...args, ...address, path], {
    env: { ...settings(), PORT: String(port) },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  program.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  // A compiler needs its time on a busy machine; a program that has ended never listens.
  const state = async (): Promise<string> =>
    program?.exitCode === null && (await isListening(port)) ? 'listening' : `not yet: ${said}`;
  const options = { timeout: 90_000, interval: 100 };
  await expect.poll(state, options).toBe('listening');
  return `http://127.0.0.1:${port}`;
}

async function post(url: string, body: string, signature?: string): Promise<number> {
  const headers = signature === undefined ? {} : { 'X-Signature': signature };
  return (await fetch(url, { method: 'POST', body, headers })).status;
}

describe.each(LANGUAGES)('$name', (language) => {
  it('receives, refuses and answers', async (context) => {
    if (!isInstalled(language.probe)) {
      const why = `${language.name} is not installed here (${language.probe.join(' ')})`;
      process.stderr.write(`The guide's ${language.name} program is skipped: ${why}\n`);
      context.skip(why);
    }
    const url = await start(language);
    sandbox.pointWebhooksAt(url);
    const alert = sandbox.createAlert();
    await expect.poll(() => alert.status, { timeout: 30_000 }).toBe('RESOLVED');
    expect(alert).toMatchObject({
      transaction_refund_outcome: 'NOT_REFUNDED',
      note: language.name,
    });
    await expect
      .poll(() => sandbox.deliveries().map(({ status }) => status), { timeout: 30_000 })
      .toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(sandbox.patchLog.map(({ action }) => action)).toEqual(['ACCEPT_DISPUTE']);

    const { webhookSecret } = sandbox.accounts;
    const body = '{"type":"other","text":"ü €"}';
    const nowSeconds = Math.floor(Date.now() / 1000);
    const signed = (ageSeconds: number, secret = webhookSecret) =>
      signatureHeader(secret, nowSeconds - ageSeconds, body);
    expect(await post(url, body, signed(0))).toBe(200);
    expect(await post(url, body, signed(240))).toBe(200);
    expect(await post(url, body, signed(360))).toBe(401);
    expect(await post(url, body, signed(-360))).toBe(401);
    expect(await post(url, body, signed(0, 'whsec_of_somebody_else'))).toBe(401);
    expect(await post(url, `${body} `, signed(0))).toBe(401);
    expect(await post(url, body)).toBe(401);
    expect(await post(url, body, 't=²,v1=ü')).toBe(401);
  });
});

describe('curl', () => {
  it('raises an alert, reads it, answers it and moves the clock', async (context) => {
    if (!isInstalled(['curl', '--version'])) {
      process.stderr.write('The guide’s curl lines are skipped: curl is not installed here\n');
      context.skip('curl is not installed here');
    }
    const lines = blocks('bash').find((block) => block.includes('curl')) ?? '';
    const before = sandbox.clock.nowMs();
    const run = promisify(execFile)('sh', ['-e', '-c', lines], { env: settings() });
    await expect(run).resolves.toMatchObject({ stderr: '' });
    const [alert] = sandbox.state.alerts.values();
    expect(alert).toMatchObject({ transaction_amount_in_cents: 12_990, status: 'RESOLVED' });
    expect(sandbox.clock.nowMs() - before).toBeGreaterThanOrEqual(172_800_000);
  });
});

it('the guide has a program for each language, and nothing of another kind', () => {
  const kinds = [...GUIDE.matchAll(/^```(\w+)$/gm)].map(([, kind]) => kind);
  expect(kinds.sort()).toEqual(
    ['bash', 'bash', 'sh', 'sh', ...LANGUAGES.map(({ name }) => name)].sort(),
  );
});
