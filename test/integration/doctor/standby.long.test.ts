/** Guarantee: on two real servers the doctor tells whether a commit waits for the standby. Left out where PostgreSQL has no pg_basebackup. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { readDurability } from '../../../src/base/db/durability.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { StatusLine } from '../../../src/base/kernel/status-line.ts';
import { standbyLine } from '../../../src/people/doctor/database-lines.ts';
import type { StandbyPair } from '../../faults/rig/standby.ts';
import { startPair } from '../../faults/rig/standby.ts';
import { findTools } from '../../faults/rig/tools.ts';
import { until } from '../../faults/rig/until.ts';

const tools = findTools();

describe.skipIf(tools === undefined)('a standby that follows', () => {
  let pair: StandbyPair;
  beforeAll(async () => {
    if (tools === undefined) return;
    pair = await startPair({ tools, synchronous: false });
    await pair.query('postgres', `create role reader login password 'reader-of-little'`);
  }, 120_000);
  afterAll(async () => {
    await pair?.close();
  });

  const lineAs = async (user?: string): Promise<StatusLine> => {
    const url = new URL(pair.url('postgres', pair.port));
    if (user !== undefined) [url.username, url.password] = [user, 'reader-of-little'];
    const database = openDatabase({
      connectionString: url.href,
      log: createLog({ level: 'silent' }),
      maxConnections: 1,
    });
    try {
      return standbyLine(await readDurability(database.db));
    } finally {
      await database.close();
    }
  };
  const waitFor = async (names: string): Promise<void> => {
    await pair.query('postgres', `alter system set synchronous_standby_names = '${names}'`);
    await pair.query('postgres', 'select pg_reload_conf()');
    await until('the setting holds', async () => {
      const [row] = await pair.query('postgres', 'show synchronous_standby_names');
      return row?.['synchronous_standby_names'] === names;
    });
  };

  it('and that no commit waits for: a warning, also to who may see little', async () => {
    const following = {
      status: 'warning',
      detail: expect.stringContaining('1 standby follows, and no commit waits for it'),
    };
    expect(await lineAs()).toMatchObject(following);
    expect(await lineAs('reader')).toMatchObject(following);
  });

  it('and that each commit waits for', async () => {
    await waitFor('*');
    await until('it is synchronous', async () => (await lineAs()).status === 'ok');
    expect(await lineAs()).toMatchObject({ detail: 'each commit waits for 1 of 1 connected' });
    expect(await lineAs('reader')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('pg_read_all_stats'),
    });
  });

  it('and another is waited for: a warning', async () => {
    await waitFor('nobody');
    await until('it is no more', async () => (await lineAs()).status === 'warning');
    expect((await lineAs()).detail).toContain('commits wait for nobody, and no such standby');
  });
});
