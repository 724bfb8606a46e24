/** Guarantee: the embedded database keeps its data, never runs twice on one folder, and heals after a kill. */
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddedPostgres } from '../../../src/base/db/embedded/embedded.ts';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import { spawn } from '../../support/child-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-embedded-'));
  await chmod(folder, 0o755);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function query(connectionString: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

/** Starts the server in a process of its own and returns once it runs. */
async function startInChild(place: string): Promise<{ url: string; kill: () => Promise<void> }> {
  const program = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('../../../src/base/db/embedded/embedded.ts', import.meta.url).href)};
    const server = await startEmbeddedPostgres({ folder: ${JSON.stringify(place)} });
    console.log(server.connectionString);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = await once(child.stdout, 'data');
  return {
    url: String(chunk).trim(),
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('the embedded database', () => {
  it('refuses a second start on the folder, naming the process and the way out, and heals after kill -9', async () => {
    const place = join(folder, 'killed');
    const first = await startInChild(place);
    await query(first.url, 'create table kept as select 42 as answer');

    const second = startEmbeddedPostgres({ folder: place });
    await expect(second).rejects.toThrow(ConfigError);
    await expect(startEmbeddedPostgres({ folder: place })).rejects.toThrow(
      /already runs on .*process \d+.*DATABASE_URL/,
    );

    await first.kill();
    const healed = await startEmbeddedPostgres({ folder: place });
    expect(await query(healed.connectionString, 'select answer from kept')).toEqual([
      { answer: 42 },
    ]);
    await healed.stop();
    await expect(query(healed.connectionString, 'select 1')).rejects.toThrow();
  });

  it('keeps its data over a clean stop and start', async () => {
    const place = join(folder, 'clean');
    const first = await startEmbeddedPostgres({ folder: place });
    await query(first.connectionString, 'create table kept as select 7 as answer');
    await first.stop();
    const second = await startEmbeddedPostgres({ folder: place });
    expect(await query(second.connectionString, 'select answer from kept')).toEqual([
      { answer: 7 },
    ]);
    await second.stop();
  });
});
