/**
 * Guarantee: `forestall events tail` and `replay` show the stream as it stands, oldest first, no line wider than a terminal;
 * what is followed comes once; and a cursor or a type that cannot be is refused before anything is shown.
 */
import { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import { EVENT_KINDS } from '../../../src/capabilities/event-kinds.ts';
import { eventsCommands } from '../../../src/capabilities/events/commands.ts';
import { createSequence } from '../../../src/capabilities/events/sequence.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import type { Found, Line } from '../../../src/surface/terminal/command.ts';
import { fitWidth } from '../../../src/surface/terminal/fit-width.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  NOW,
  ORG,
} from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { NO_POLICIES } from '../../support/no-policies.ts';

const test = useTestDatabase();
const clock = createFixedClock(NOW);

async function found(words: string): Promise<Found> {
  const context = { db: test.db, clock, organisationId: ORG, brands: IDENTITY_BRAND_TOKENS };
  const all = {
    ...context,
    ...NO_POLICIES,
    settings: openSettings({}),
    eventKinds: EVENT_KINDS,
  };
  const program = new Command('forestall').exitOverride();
  let result: Found | undefined;
  for (const { register } of eventsCommands) {
    register(program, {
      onDatabase: async (_flags, work) => {
        result = await work(all);
      },
      onSettings: async (_flags, work) => {
        result = await work(all);
      },
      onPartner: () => Promise.reject(new Error('no command of events asks the service')),
      onInstallation: () => Promise.reject(new Error('no command of events opens databases')),
    });
  }
  await program.parseAsync(['node', 'forestall', 'events', ...words.split(' ')]);
  if (result === undefined) throw new Error('nothing was found');
  return result;
}

async function lines(words: string, count = Infinity): Promise<Line[]> {
  const result = await found(words);
  if (!('lines' in result)) throw new Error('no lines');
  const printed: Line[] = [];
  for await (const line of result.lines) {
    printed.push(line);
    if (printed.length === count) break;
  }
  return printed;
}

const places = (printed: readonly Line[]) =>
  printed.map(({ data }) => (data as { position: number }).position);

async function note(subject: string): Promise<void> {
  await test.pool.query(
    "select forestall.note_event($1, 'alert.missed', $2::timestamptz, null, $3, null, '{}')",
    [ORG, NOW, subject],
  );
  await createSequence({ db: test.db, organisationId: ORG, kinds: EVENT_KINDS })();
}

beforeAll(async () => {
  await insertAlert(test.db, alertObject('netalrt_1'));
  await insertCase(test.db, 'netalrt_1', { state: 'HUMAN', chargeReference: 'ch_1' });
  await note('x');
});

describe('forestall events', () => {
  it('tail shows the last ones, in order, within 80 columns', async () => {
    const printed = await lines('tail --lines 2');
    expect(places(printed)).toEqual([2, 3]);
    const [held] = printed;
    expect(held?.text).toBe(
      '2  2026-03-01 11:00:00Z  alert.held  netalrt_1\n    Alert netalrt_1 waits for a person.',
    );
    const wide = fitWidth(printed.map(({ text }) => text).join('\n'), 80).split('\n');
    expect(Math.max(...wide.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('replay shows all, or what is behind a cursor, of some types', async () => {
    expect(places(await lines('replay'))).toEqual([1, 2, 3]);
    expect(places(await lines('replay --after 1'))).toEqual([2, 3]);
    expect(places(await lines('replay --types alert.held,alert.missed --after 2'))).toEqual([3]);
    expect(await lines('replay --after 3')).toEqual([
      { data: undefined, text: 'There is no such event.' },
    ]);
  });

  it('tail --follow shows what comes, once', async () => {
    const result = await found('tail --lines 1 --follow');
    if (!('lines' in result)) throw new Error('no lines');
    const printed: Line[] = [];
    for await (const line of result.lines) {
      printed.push(line);
      if (printed.length === 1) await note('y');
      if (printed.length === 2) await note('z');
      if (printed.length === 3) break;
    }
    expect(places(printed)).toEqual([3, 4, 5]);
  }, 20_000);

  it('refuses what cannot be', async () => {
    await expect(lines('replay --after 99')).rejects.toThrow('the next cursor that works is 5');
    await expect(lines('tail --types alert.mised')).rejects.toThrow('Do you mean alert.missed?');
    await expect(found('tail --lines 0')).rejects.toThrow('1 to 10000');
  });

  it('schema is a file', async () => {
    expect(await found('schema')).toEqual({
      file: expect.stringContaining('"title": "ForestallEvent"') as string,
    });
  });
});
