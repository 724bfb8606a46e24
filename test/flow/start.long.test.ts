/** Guarantee: `forestall start` with nothing set answers its first alert, stops cleanly, and starts again. */
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childEnv } from '../support/child-env.ts';
import type { ChildProcess } from '../support/child-process.ts';
import { spawn } from '../support/child-process.ts';

const MAIN = fileURLToPath(new URL('../../src/people/cli/main.ts', import.meta.url));
/** Ample for a busy machine; the figure for an idle one is printed by the command itself. */
const PATIENCE_MS = 90_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-start-'));
  await chmod(folder, 0o755);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  text(): string;
  /** Resolves when `pattern` was printed. */
  printed(pattern: RegExp): Promise<void>;
  /** Sends a signal and resolves with the exit status. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

function forestall(args: readonly string[]): Run {
  // No setting of the machine that runs the tests may reach the start.
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { ...childEnv(), HOME: folder },
  });
  let text = '';
  const waiting = new Set<() => void>();
  const hear = (chunk: Buffer): void => {
    text += chunk.toString('utf8');
    for (const look of waiting) look();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const exited = once(child, 'exit');
  return {
    child,
    text: () => text,
    async printed(pattern) {
      await new Promise<void>((done, fail) => {
        const look = (): void => {
          if (pattern.test(text)) done();
        };
        waiting.add(look);
        void exited.then(() => fail(new Error(`It ended before printing ${pattern}:\n${text}`)));
        look();
      });
    },
    async end(signal) {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

async function running() {
  return JSON.parse(await readFile(join(folder, '.forestall/running.json'), 'utf8'));
}

async function organisationOf(): Promise<string> {
  return (await running()).organisationId;
}

/** How many alerts of the organisation the service of the demonstration knows. */
async function alertsAtTheSandbox(): Promise<number> {
  const { serviceUrl, apiKey } = (await running()).sandbox;
  const answer = await fetch(`${serviceUrl}/v1/alerts`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(answer.status).toBe(200);
  const { items } = (await answer.json()) as { items: unknown[] };
  return items.length;
}

describe('forestall start', () => {
  it('answers an alert, refuses a second start beside it, stops on SIGINT, heals after SIGKILL', {
    timeout: PATIENCE_MS * 2,
  }, async () => {
    const first = forestall(['start', '--past', '0']);
    await first.printed(/declared REFUND/);
    const shown = /Console {3}http:\/\/127\.0\.0\.1:\d+\/ {3}token in (\S+)\n/.exec(first.text());
    // Nobody looks at a terminal: the token is in a file, and in nothing that is printed or logged.
    const file = join(folder, shown?.[1] ?? '');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const token = (await readFile(file, 'utf8')).trim();
    expect(token.length).toBeGreaterThan(20);
    expect(first.text()).not.toContain(token);
    expect(first.text()).toMatch(/received → matched → decided → refunded → declared REFUND/);

    const organisation = await organisationOf();
    const second = forestall(['start', '--past', '0']);
    const [code] = await once(second.child, 'exit');
    expect(code).toBe(2);
    expect(second.text()).toContain('Forestall already runs on');

    expect(await first.end('SIGINT')).toBe(0);
    expect(first.text()).toContain('Stopped. The next start continues with what happened here.');

    const third = forestall(['start', '--quiet']);
    await third.printed(/Webhooks/);
    // What was there is there again: the same organisation, in which the sandbox knows its alerts.
    expect(await organisationOf()).toBe(organisation);
    expect(await alertsAtTheSandbox()).toBeGreaterThan(0);
    await third.end('SIGKILL');
    const fourth = forestall(['start', '--quiet']);
    await fourth.printed(/Webhooks/);
    expect(await organisationOf()).toBe(organisation);
    expect(await alertsAtTheSandbox()).toBeGreaterThan(0);
    expect(await fourth.end('SIGTERM')).toBe(0);

    const log = await readFile(join(folder, '.forestall/forestall.log'), 'utf8');
    expect(log).not.toContain('"level":"fatal"');
    expect(log).not.toContain(token);
    for (const line of log.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });

  it('names every wrong setting and ends with status 2', async () => {
    const run = spawn(process.execPath, [MAIN, 'start', '--past', '0'], {
      cwd: folder,
      env: { FORESTALL_API_KEY: 'short', PORT: 'x' },
    });
    let text = '';
    run.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    const [code] = await once(run, 'exit');
    expect(code).toBe(2);
    expect(text).toContain('FORESTALL_API_KEY');
    expect(text).toContain('PORT');
  });
});
