/**
 * Guarantee: `forestall sandbox` starts whatever the settings of everything else say, where and when it is
 * told to, prints lines of at most 80 columns, plays stories, and saves what happened as one.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../src/base/db/embedded/free-port.ts';
import { jsonOf } from '../contract/support/json.ts';
import { createReceiver } from '../contract/support/receiver.ts';
import { childEnv } from '../support/child-env.ts';
import type { ChildProcess } from '../support/child-process.ts';
import { spawn } from '../support/child-process.ts';
import type { Left } from '../support/run-in-turn.ts';
import { runInTurn } from '../support/run-in-turn.ts';

const MAIN = fileURLToPath(new URL('../../src/people/cli/main.ts', import.meta.url));
const STORY = fileURLToPath(
  new URL('../../src/sandbox/scenarios/refund-in-time.yaml', import.meta.url),
);

const DOCKERFILE = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-sandbox-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Run {
  readonly child: ChildProcess;
  text(): string;
  printed(pattern: RegExp): Promise<string>;
  ended(): Promise<number | null>;
}

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});

function sandbox(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const child = spawn(process.execPath, [MAIN, 'sandbox', ...args], {
    cwd: folder,
    env: { ...childEnv(), HOME: folder, ...env },
  });
  running.add(child);
  let text = '';
  const waiting = new Set<() => void>();
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      for (const look of waiting) look();
    });
  }
  const closed = once(child, 'close');
  return {
    child,
    text: () => text,
    printed: (pattern) =>
      new Promise((done, fail) => {
        const look = (): void => {
          const found = pattern.exec(text)?.[1];
          if (found !== undefined) done(found);
        };
        waiting.add(look);
        void closed.then(() => fail(new Error(`It ended before printing ${pattern}:\n${text}`)));
        look();
      }),
    async ended() {
      const [code] = await closed;
      return code;
    },
  };
}

const URL_PRINTED = /^FORESTALL_SERVICE_URL=(\S+)$/m;

function expectNarrow(text: string): void {
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
}

const MISTAKES: readonly [args: readonly string[], named: string][] = [
  [['--port', 'http'], '--port'],
  [['--port', '70000'], '--port'],
  [['--rate', '-1'], '--rate'],
  [['--clock', 'tomorrow'], '--clock'],
  [['--seed', '1.5'], '--seed'],
  [['--webhooks', 'http://shop.example/hook'], 'HTTPS'],
  [['--seed-file', 'none.yaml'], 'none.yaml'],
  [['--scenario', 'none.yaml'], 'none.yaml'],
  [['--once'], '--scenario'],
  [['--record', 'story.yaml', '--snapshot', 'snapshot.json'], '--snapshot'],
];

describe('forestall sandbox', () => {
  let mistakes: readonly Left[];
  beforeAll(async () => {
    const calls = MISTAKES.map(([args]) => ({
      args: ['sandbox', '--port', '0', ...args],
      env: {},
    }));
    mistakes = await runInTurn(calls, { cwd: folder });
  });

  it('starts whatever the other settings say, and says what is wrong with its own', async () => {
    const wrong = {
      DATABASE_URL: 'nonsense',
      DATABASE_URL_FILE: '/nowhere',
      FORESTALL_SERVICE_URL: 'ftp://x',
      FORESTALL_API_KEY: 'x',
      FORESTALL_MODE: 'maybe',
      FORESTALL_POLICY: '/nowhere',
      FORESTALL_CONSOLE_PORT: 'many',
      FORESTALL_SANDBOX_PORT: '0',
    };
    const run = sandbox([], wrong);
    const url = await run.printed(URL_PRINTED);
    expect((await fetch(`${url}/sandbox/clock`)).status).toBe(200);
    expectNarrow(run.text());
    run.child.kill('SIGTERM');
    expect(await run.ended()).toBe(0);
    const own = sandbox([], { FORESTALL_SANDBOX_PORT: 'many' });
    expect(await own.ended()).toBe(2);
    expect(own.text()).toContain('FORESTALL_SANDBOX_PORT');
  });

  it('listens where it is told, so that another container reaches it and is reached', async () => {
    const port = await freePort();
    const run = sandbox([
      '--port',
      String(port),
      '--host',
      '0.0.0.0',
      '--webhooks',
      'http://shop:8080/hook',
    ]);
    expect(await run.printed(URL_PRINTED)).toBe(`http://127.0.0.1:${port}`);
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    const host = outside?.address ?? '127.0.0.1';
    expect((await fetch(`http://${host}:${port}/sandbox/clock`)).status).toBe(200);
    const subscriptions = await jsonOf(
      await fetch(`http://127.0.0.1:${port}/sandbox/subscriptions`),
    );
    expect(subscriptions.items[0].url).toBe('http://shop:8080/hook');
    expectNarrow(run.text());
  });

  it('is what the image’s target starts and asks about; the last target is still the whole service', async () => {
    const stages = DOCKERFILE.split(/^FROM /m).slice(1);
    const target = stages.find((stage) => /^runtime AS sandbox$/m.test(stage)) ?? '';
    const words = (stage: string, word: string): string[] =>
      JSON.parse(new RegExp(`^ *${word} (\\[.*\\])$`, 'm').exec(stage)?.[1] ?? '[]');
    const [node, main, command, ...args] = words(target, 'ENTRYPOINT');
    expect([node, main, command]).toEqual(['node', 'dist/people/cli/main.js', 'sandbox']);
    const port = String(await freePort());
    expect(args).toContain('8082');
    // What follows the image's name is added at the end.
    const run = sandbox([...args, '--port', port]);
    expect(await run.printed(URL_PRINTED)).toBe(`http://127.0.0.1:${port}`);
    const [alive, asks, ...path] = words(target, 'CMD');
    expect([alive, asks]).toEqual(['forestall-alive', '8082']);
    const script = /<<'SCRIPT' \/usr\/local\/bin\/forestall-alive\n([\s\S]*?)\nSCRIPT$/m.exec(
      DOCKERFILE,
    );
    const asked = async (): Promise<number | null> => {
      const child = spawn('bash', ['-s', port, ...path], { stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin.end(script?.[1]);
      const [code] = await once(child, 'exit');
      return code;
    };
    expect(await asked()).toBe(0);
    run.child.kill('SIGTERM');
    expect(await run.ended()).toBe(0);
    expect(await asked()).toBe(1);
    const last = stages.at(-1) ?? '';
    expect(last).toMatch(/^runtime$/m);
    expect(words(last, 'ENTRYPOINT')).toEqual(['node', 'dist/people/cli/main.js']);
  });

  it('begins when it is told, at the rate it is told', async () => {
    const run = sandbox(['--port', '0', '--clock', '2026-11-01T00:00Z', '--rate', '0']);
    const url = await run.printed(URL_PRINTED);
    const { now } = await jsonOf(await fetch(`${url}/sandbox/clock`));
    expect(now).toBe('2026-11-01T00:00:00.000Z');
    const fast = sandbox(['--port', '0', '--clock', '2026-11-01T00:00Z', '--rate', '3600']);
    const fastUrl = await fast.printed(URL_PRINTED);
    await expect
      .poll(async () => (await jsonOf(await fetch(`${fastUrl}/sandbox/clock`))).now, {
        timeout: 20_000,
      })
      .toMatch(/^2026-11-01T0[1-9]/);
    expectNarrow(fast.text());
  });

  it.each(MISTAKES.map(([args, named], place) => [args, named, place] as const))(
    '%j is a mistake of usage',
    (_args, named, place) => {
      const { code, text } = mistakes[place]!;
      expect(code).toBe(2);
      expect(text).toContain(named);
    },
  );

  it('init writes a seed file that can be used, and never overwrites one', async () => {
    const written = sandbox(['init']);
    expect(await written.ended()).toBe(0);
    expectNarrow(written.text());
    const again = sandbox(['init']);
    expect(await again.ended()).toBe(2);
    const run = sandbox(['--port', '0', '--seed-file', 'forestall-sandbox.yaml']);
    const url = await run.printed(URL_PRINTED);
    const headers = { Authorization: 'Bearer sandbox-key-of-acme' };
    const alerts = await jsonOf(await fetch(`${url}/v1/alerts/`, { headers }));
    expect(alerts).toMatchObject({
      count: 1,
      items: [{ organisation_id: 'org_acme', integration_transaction_id: 'ch_kettle' }],
    });
  });

  it('plays a story, tells each step, and continues', async () => {
    const run = sandbox(['--port', '0', '--scenario', STORY]);
    const url = await run.printed(URL_PRINTED);
    await run.printed(/(Every step went as the scenario says)/);
    expect(run.text()).toContain('✓ the merchant refunds at its processor');
    expect((await jsonOf(await fetch(`${url}/sandbox/charges`))).items).toHaveLength(1);
    expectNarrow(run.text());
  });

  it('records a session, which --once then plays with the status of a test', async () => {
    const receiver = await createReceiver();
    const run = sandbox(['--port', '0', '--webhooks', receiver.url, '--record', 'session.yaml']);
    const url = await run.printed(URL_PRINTED);
    const key = await run.printed(/^FORESTALL_API_KEY=(\S+)$/m);
    const raised = await fetch(`${url}/sandbox/alerts`, { method: 'POST', body: '{}' });
    const alert = await jsonOf(raised);
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(1);
    await fetch(`${url}/v1/alerts/${alert.id}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${key}` },
      body: JSON.stringify({ action: 'ACCEPT_DISPUTE' }),
    });
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2);
    run.child.kill('SIGTERM');
    expect(await run.ended()).toBe(0);
    await receiver.close();

    const played = sandbox(['--port', '0', '--seed', '7', '--scenario', 'session.yaml', '--once']);
    expect([await played.ended(), played.text()]).toEqual([
      0,
      expect.stringContaining('Every step went as the scenario says.'),
    ]);
    const text = await readFile(join(folder, 'session.yaml'), 'utf8');
    await writeFile(join(folder, 'other.yaml'), text.replace('NOT_REFUNDED', 'REFUNDED'));
    const other = sandbox(['--port', '0', '--scenario', 'other.yaml', '--once']);
    expect(await other.ended()).toBe(1);
    expect(other.text()).toContain('The last step went otherwise.');
    expectNarrow(other.text());
  });
});
