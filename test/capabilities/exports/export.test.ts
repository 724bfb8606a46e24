/**
 * Guarantee: `forestall export` writes each row once into the file of the day on which it last changed, and each event into one
 * file; a day that is whole is not written again, today's is; a run that ends in the middle leaves no half file under a name; what
 * can name a person is only there where that was asked for, and the audit log says who took what.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import { EVENT_KINDS } from '../../../src/capabilities/event-kinds.ts';
import { createSequence } from '../../../src/capabilities/events/sequence.ts';
import { exportCommands } from '../../../src/capabilities/exports/commands.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import type { Found, Line } from '../../../src/surface/terminal/command.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  insertMovement,
  ORG,
} from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { NO_POLICIES } from '../../support/no-policies.ts';

const test = useTestDatabase();
const clock = createFixedClock('2026-03-01T12:00:00.000Z');
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forestall-export-'));
  clock.setMs(Date.parse('2026-03-01T12:00:00.000Z'));
  await test.pool.query(
    'truncate alert, alert_case, decision, movement, event, event_outbox, event_position cascade',
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(words: string): Promise<Line[]> {
  const context = { db: test.db, clock, organisationId: ORG, brands: IDENTITY_BRAND_TOKENS };
  const all = {
    ...context,
    ...NO_POLICIES,
    settings: openSettings({}),
    eventKinds: EVENT_KINDS,
  };
  const program = new Command('forestall').exitOverride();
  let result: Found | undefined;
  for (const { register } of exportCommands) {
    register(program, {
      onDatabase: async (_flags, work) => {
        result = await work(all);
      },
      onSettings: async () => undefined,
      onPartner: () => Promise.reject(new Error('no command of exports asks the service')),
      onInstallation: () => Promise.reject(new Error('no command of exports opens databases')),
    });
  }
  await program.parseAsync(['node', 'forestall', 'export', '--out', folder, ...words.split(' ')]);
  if (result === undefined || !('lines' in result)) throw new Error('no lines');
  const printed: Line[] = [];
  for await (const line of result.lines) printed.push(line);
  return printed;
}

const files = (printed: readonly Line[]): string[] =>
  printed.flatMap(({ data }) => (data === undefined ? [] : [(data as { file: string }).file]));

type Row = Record<string, unknown>;

function rowsOf(file: string): Row[] {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
}

async function note(at: string, subject: string): Promise<void> {
  await test.pool.query(
    `select forestall.note_event($1, 'alert.missed', $2::timestamptz, null, $3, null, '{}')`,
    [ORG, at, subject],
  );
}

async function place(): Promise<void> {
  await createSequence({ db: test.db, organisationId: ORG, kinds: EVENT_KINDS })();
}

async function alertOf(id: string, changedAt: string): Promise<void> {
  const at = { created_at: changedAt, updated_at: changedAt };
  await insertAlert(test.db, alertObject(id, at));
  await insertCase(test.db, id, { state: 'HUMAN', chargeReference: `ch_${id}` });
  await test.pool.query('update alert_case set changed_at = $2 where alert_id = $1', [
    id,
    changedAt,
  ]);
}

describe('days', () => {
  it('have one file for each table, and those that are whole are not written again', async () => {
    await alertOf('netalrt_1', '2026-02-27T23:59:59.999Z');
    await alertOf('netalrt_2', '2026-02-28T00:00:00.000Z');
    await alertOf('netalrt_3', '2026-03-01T11:00:00.000Z');
    const first = await run('--since 2026-02-27 --format ndjson');
    expect(files(first)).toHaveLength(6 * 3);
    expect(first.at(-1)?.text).toContain('18 files');
    const ids = (day: string): unknown[] =>
      rowsOf(`alerts/${day}.ndjson`).map(({ alert_id: id }) => id);
    expect([ids('2026-02-27'), ids('2026-02-28'), ids('2026-03-01')]).toEqual([
      ['netalrt_1'],
      ['netalrt_2'],
      ['netalrt_3'],
    ]);
    expect(first.map(({ text }) => text)).toContain('alerts/2026-03-01.ndjson  1 row, so far');

    // What is whole stays as it is, and an alert that moves on is in the file of the day on which it does.
    writeFileSync(join(folder, 'alerts/2026-02-27.ndjson'), 'kept');
    await test.pool.query(
      `update alert_case set changed_at = '2026-03-01T12:30:00Z' where alert_id = 'netalrt_2'`,
    );
    const second = await run('--since 2026-02-27 --format ndjson');
    expect(files(second)).toEqual(
      ['alerts', 'decisions', 'refunds', 'disputes', 'orders', 'events'].map(
        (table) => `${table}/2026-03-01.ndjson`,
      ),
    );
    expect(readFileSync(join(folder, 'alerts/2026-02-27.ndjson'), 'utf8')).toBe('kept');
    expect(ids('2026-03-01')).toEqual(['netalrt_2', 'netalrt_3']);
    // A file that is gone is written again.
    rmSync(join(folder, 'refunds/2026-02-28.ndjson'));
    expect(files(await run('--since 2026-02-27 --until 2026-02-28 --format ndjson'))).toEqual([
      'refunds/2026-02-28.ndjson',
    ]);
    expect((await run('--since 2026-02-27 --until 2026-02-28 --format ndjson'))[0]?.text).toContain(
      'has every one of these days',
    );
  });

  it('are not whole before an hour has passed', async () => {
    clock.setMs(Date.parse('2026-03-01T00:59:59.999Z'));
    const early = '--since 2026-02-28 --until 2026-02-28 --format ndjson';
    expect(files(await run(early))).toHaveLength(6);
    clock.setMs(Date.parse('2026-03-01T01:00:00.000Z'));
    expect(files(await run(early))).toHaveLength(6);
    expect(files(await run(early))).toHaveLength(0);
  });

  it('hold every row, whatever the number of pages', async () => {
    await test.pool.query(
      `insert into decision (organisation_id, alert_id, action, decided_by, sentence, inputs, decided_at)
       select $1, 'netalrt_' || n, 'NONE', 'policy', 'x', '{}', '2026-02-28T10:00:00Z' from generate_series(1, 4001) n`,
      [ORG],
    );
    await run('--since 2026-02-28 --until 2026-02-28 --format ndjson');
    const ids = rowsOf('decisions/2026-02-28.ndjson').map(({ alert_id: id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([4_001, 4_001]);
  });

  it('are refused where they cannot be', async () => {
    await expect(run('--since 2026-03-02')).rejects.toThrow('is after the last day, 2026-03-01');
    await expect(run('--since 2026-02-01 --until 2026-03-02')).rejects.toThrow('after today');
    await expect(run('--since march')).rejects.toThrow('Give a day');
  });
});

describe('a run that ends in the middle', () => {
  it('leaves the file that was there, and the next one goes on', async () => {
    await alertOf('netalrt_1', '2026-03-01T11:00:00.000Z');
    const words = '--since 2026-02-28 --format ndjson';
    await run(words);
    const before = readFileSync(join(folder, 'alerts/2026-03-01.ndjson'), 'utf8');
    // What a process that was killed leaves: half a file under another name.
    const old = new Date('2026-03-01T10:59:00Z');
    const ours = ['alerts/2026-03-01.ndjson.1.unfinished', 'export.json.1.unfinished'];
    for (const file of [...ours, 'film.unfinished']) {
      const left = join(folder, file);
      writeFileSync(left, 'half');
      utimesSync(left, old, old);
    }
    await test.pool.query('alter table movement rename to movement_away');
    await expect(run(words)).rejects.toThrow('movement');
    await test.pool.query('alter table movement_away rename to movement');
    expect(readFileSync(join(folder, 'alerts/2026-03-01.ndjson'), 'utf8')).toBe(before);
    expect(readdirSync(join(folder, 'refunds'))).toEqual([
      '2026-02-28.ndjson',
      '2026-03-01.ndjson',
    ]);
    const there = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(there.filter((file) => file.endsWith('.unfinished'))).toEqual(['film.unfinished']);
    expect(files(await run(words))).toHaveLength(6);
  });
});

describe('events', () => {
  it('stand in one file each, in order, those that got their position late too', async () => {
    await note('2026-02-27T10:00:00Z', 'a');
    await note('2026-02-28T10:00:00Z', 'b');
    await place();
    await note('2026-02-28T23:00:00Z', 'waits');
    const words = '--since 2026-02-27 --format ndjson';
    await run(words);
    // Behind its day, which was written while it waited.
    await place();
    await note('2026-03-01T11:00:00Z', 'd');
    // Committed days after it happened.
    await note('2026-02-27T09:00:00Z', 'late');
    await place();
    await run(words);
    const subjects = (day: string): unknown[] =>
      rowsOf(`events/${day}.ndjson`).map((row) => row['subject']);
    expect(['2026-02-27', '2026-02-28', '2026-03-01'].flatMap((day) => subjects(day))).toEqual([
      'a',
      'b',
      'waits',
      'd',
      'late',
    ]);
    const positions = ['2026-02-27', '2026-02-28', '2026-03-01'].flatMap((day) =>
      rowsOf(`events/${day}.ndjson`).map((row) => row['position']),
    );
    expect(positions).toEqual([1, 2, 3, 4, 5]);
    expect(subjects('2026-02-27')).toEqual(['a']);
  });

  it('of days before those that are there are not written twice', async () => {
    await note('2026-02-26T10:00:00Z', 'a');
    await note('2026-02-27T10:00:00Z', 'b');
    await note('2026-02-28T10:00:00Z', 'c');
    await place();
    await run('--since 2026-02-27 --until 2026-02-28 --format ndjson');
    await run('--since 2026-02-25 --format ndjson');
    const all = readdirSync(join(folder, 'events')).flatMap((file) => rowsOf(`events/${file}`));
    expect(all.map((row) => row['subject'])).toEqual(['a', 'b', 'c']);
  });

  it('of a day that is not whole yet are in no file of the next day, however often it is written', async () => {
    const subjects = (): unknown[][] =>
      ['2026-02-27', '2026-02-28', '2026-03-01'].map((day) =>
        rowsOf(`events/${day}.ndjson`).map((row) => row['subject']),
      );
    await note('2026-02-27T10:00:00Z', 'whole');
    await note('2026-02-28T10:00:00Z', 'a');
    await note('2026-03-01T00:10:00Z', 'b');
    await place();
    // A nightly run before the day has settled.
    clock.setMs(Date.parse('2026-03-01T00:30:00.000Z'));
    await run('--since 2026-02-27 --format ndjson');
    expect(subjects()).toEqual([['whole'], ['a'], ['b']]);
    await note('2026-02-28T23:59:00Z', 'late');
    await note('2026-03-01T10:00:00Z', 'c');
    await place();
    clock.setMs(Date.parse('2026-03-02T00:30:00.000Z'));
    // Only the day before: the file of the next one stays as it is, and holds what follows.
    await run('--since 2026-02-28 --until 2026-02-28 --format ndjson');
    expect(subjects()).toEqual([['whole'], ['a'], ['b']]);
    await run('--since 2026-02-28 --format ndjson');
    expect(subjects()).toEqual([['whole'], ['a'], ['b', 'late', 'c']]);
    expect(rowsOf('events/2026-03-02.ndjson')).toEqual([]);
    // One that is gone is written as it was.
    rmSync(join(folder, 'events/2026-02-28.ndjson'));
    await run('--since 2026-02-28 --format ndjson');
    expect(subjects()).toEqual([['whole'], ['a'], ['b', 'late', 'c']]);
  });

  it('of a stream that was put back are not taken for others', async () => {
    await note('2026-02-28T10:00:00Z', 'a');
    await place();
    await run('--since 2026-02-28 --format ndjson');
    await test.pool.query('truncate event, event_position');
    await expect(run('--since 2026-02-28 --format ndjson')).rejects.toThrow('earlier state');
  });
});

describe('what can name a person', () => {
  const day = '--since 2026-03-01 --format ndjson';

  it('is not there, nor any part of a card', async () => {
    await insertAlert(test.db, alertObject('netalrt_1', { note: 'Kim called' }));
    await insertCase(test.db, 'netalrt_1', { state: 'HUMAN' });
    await test.pool.query(
      `insert into decision (organisation_id, alert_id, action, decided_by, sentence, inputs, decided_at)
       values ($1, 'netalrt_1', 'REFUND', 'operator:kim', 'for Kim', '{"email":"kim@shop.example"}', '2026-03-01T10:00:00Z')`,
      [ORG],
    );
    await place();
    await run(day);
    const whole = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ndjson'))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('');
    expect(whole).toContain('netalrt_1');
    expect(whole).toContain('"decided_by":"operator"');
    expect(whole).not.toMatch(/kim|card_bin|card_last4|sentence|inputs/i);
  });

  it('is there where it is asked for, in a folder of its own, and the audit log says so', async () => {
    await insertAlert(test.db, alertObject('netalrt_1', { note: 'Kim called' }));
    await insertCase(test.db, 'netalrt_1', { state: 'HUMAN' });
    await run(`${day} --personal`);
    expect(rowsOf('alerts/2026-03-01.ndjson')[0]).toMatchObject({ note: 'Kim called' });
    await expect(run(day)).rejects.toThrow('its personal is true, and false was asked for');
    await expect(run(`${day.replace('ndjson', 'csv')} --personal`)).rejects.toThrow('its format');
    const { rows } = await test.pool.query(
      `select actor, what, detail from audit where what = 'exported rows' order by id`,
    );
    expect(rows.find(({ detail }) => (detail as Row)['personal'] === true)).toEqual({
      actor: 'operator:cli',
      what: 'exported rows',
      detail: { since: '2026-03-01', until: '2026-03-01', format: 'ndjson', personal: true },
    });
  });
});

describe('CSV', () => {
  it('has a head, minor units, UTC moments, and no formula', async () => {
    await insertAlert(
      test.db,
      alertObject('netalrt_1', { transaction_statement_descriptor: '=HYPERLINK("x")' }),
    );
    await insertCase(test.db, 'netalrt_1', { state: 'DECLARED_REFUND' });
    await insertMovement(test.db, 'mv_1', {
      ...{ state: 'CONFIRMED', charge: 'ch_1', alertId: 'netalrt_1' },
      confirmedAt: '2026-03-01T10:45:00Z',
    });
    await run('--since 2026-03-01 --format csv');
    const [head, line] = readFileSync(join(folder, 'alerts/2026-03-01.csv'), 'utf8').split('\r\n');
    expect(head).toMatch(/^organisation_id,alert_id,changed_at,version,is_claim,alert_type,/);
    expect(line).toContain('"\'=HYPERLINK(""x"")"');
    expect(line).toContain(',refunded,');
    expect(readFileSync(join(folder, 'refunds/2026-03-01.csv'), 'utf8')).toContain(
      'mv_1,2026-03-01T10:30:00.000Z,',
    );
    expect(readFileSync(join(folder, 'refunds/2026-03-01.csv'), 'utf8')).toContain(',12990,USD,');
  });
});
