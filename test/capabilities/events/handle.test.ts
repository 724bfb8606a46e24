/**
 * Guarantee: a handler of an embedding program gets each event of its types, in order, at least once: across restarts, beside
 * other processes of the same name, and again after it threw, while handlers of other names go on.
 */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { EVENT_KINDS } from '../../../src/capabilities/event-kinds.ts';
import type { HandlerRunner } from '../../../src/capabilities/events/handle.ts';
import { createHandlerRunner, HANDLER_LEASE_MS } from '../../../src/capabilities/events/handle.ts';
import { createSequence } from '../../../src/capabilities/events/sequence.ts';
import type { OnEvent } from '../../../src/index.ts';
import { createOnEvent } from '../../../src/running/embed/on-event.ts';
import { createEventHandlers } from '../../../src/surface/event-handlers.ts';
import { useTestDatabase } from '../../support/database.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const test = useTestDatabase();
const clock = createFixedClock(NOW);
const log = createLog({ level: 'silent' });
let organisations = 0;

interface Process {
  readonly on: OnEvent;
  readonly runner: HandlerRunner;
}

function organisation(): { id: string; open: (workerId: string) => Process } {
  organisations += 1;
  const id = `org_${organisations}`;
  return {
    id,
    open(workerId) {
      const handlers = createEventHandlers();
      const deps = { db: test.db, clock, log, organisationId: id, workerId, handlers };
      return { on: createOnEvent(handlers), runner: createHandlerRunner(deps) };
    },
  };
}

async function note(organisationId: string, ...types: readonly string[]): Promise<void> {
  for (const type of types) {
    await test.pool.query(
      "select forestall.note_event($1, $2, $3::timestamptz, null, 'x', null, '{}')",
      [organisationId, type, NOW],
    );
  }
  await createSequence({ db: test.db, organisationId, kinds: EVENT_KINDS })();
}

describe('a handler', () => {
  it('gets the events of its types from now on, in order, and goes on after a restart', async () => {
    const { id, open } = organisation();
    await note(id, 'alert.missed');
    const got: number[] = [];
    const first = open('one');
    first.on('alert.missed', ({ position }) => void got.push(position), { name: 'shop' });
    expect(await first.runner.runOnce()).toBe(0);
    await note(id, 'alert.missed', 'order.refused', 'alert.missed');
    expect(await first.runner.runOnce()).toBe(2);
    expect(got).toEqual([2, 4]);
    await first.runner.finish();
    await note(id, 'alert.missed');
    const second = open('two');
    second.on('alert.missed', ({ position }) => void got.push(position), { name: 'shop' });
    await second.runner.runOnce();
    await second.runner.runOnce();
    expect(got).toEqual([2, 4, 5]);
  });

  it('that throws gets the same event again after 5 s, 5 min, and other names go on', async () => {
    const { id, open } = organisation();
    await note(id, 'alert.missed', 'alert.missed');
    const { on, runner } = open('one');
    const tried: number[] = [];
    const other: number[] = [];
    on(
      'alert.missed',
      ({ position }) => {
        tried.push(position);
        if (tried.length < 3) throw new Error('the shop is away');
      },
      { name: 'bad', from: 'beginning' },
    );
    on('alert.missed', ({ position }) => void other.push(position), {
      ...{ name: 'good', from: 'beginning' },
    });
    await runner.runOnce();
    await runner.runOnce();
    expect([tried, other]).toEqual([[1], [1, 2]]);
    clock.advanceMs(5_000);
    await runner.runOnce();
    clock.advanceMs(5 * 60_000 - 1);
    await runner.runOnce();
    expect(tried).toEqual([1, 1]);
    clock.advanceMs(1);
    await runner.runOnce();
    expect(tried).toEqual([1, 1, 1, 2]);
  });

  it('that hangs holds nobody of another name up', async () => {
    const { id, open } = organisation();
    await note(id, 'alert.missed');
    const { on, runner } = open('one');
    const other: number[] = [];
    let release = (): void => undefined;
    const hanging = new Promise<void>((done) => {
      release = done;
    });
    on('alert.missed', () => hanging, { name: 'slow', from: 'beginning' });
    on('alert.missed', ({ position }) => void other.push(position), {
      ...{ name: 'quick', from: 'beginning' },
    });
    await runner.runOnce(() => undefined);
    await expect.poll(() => other).toEqual([1]);
    await note(id, 'alert.missed');
    await runner.runOnce(() => undefined);
    await expect.poll(() => other).toEqual([1, 2]);
    release();
    await runner.finish();
  });
});

describe('processes of one name', () => {
  it('handle each event once between them', async () => {
    const { id, open } = organisation();
    const got: number[] = [];
    const processes = ['a', 'b', 'c'].map((worker) => {
      const { on, runner } = open(worker);
      on('alert.missed', ({ position }) => void got.push(position), {
        ...{ name: 'shop', from: 'beginning' },
      });
      return runner;
    });
    for (let round = 0; round < 5; round++) {
      await note(id, 'alert.missed', 'alert.missed', 'alert.missed');
      await Promise.all(processes.map((runner) => runner.runOnce()));
    }
    await Promise.all(processes.map((runner) => runner.runOnce()));
    expect(got).toEqual(Array.from({ length: 15 }, (_each, place) => place + 1));
  });

  it('one that is gone leaves its event to another, after its lease', async () => {
    const { id, open } = organisation();
    await note(id, 'alert.missed');
    const gone = open('gone');
    gone.on('alert.missed', () => new Promise<void>(() => undefined), {
      ...{ name: 'shop', from: 'beginning' },
    });
    await gone.runner.runOnce(() => undefined);
    await expect
      .poll(async () => {
        const row = test.db.selectFrom('event_handler').select('lease_owner');
        return (await row.where('organisation_id', '=', id).executeTakeFirst())?.lease_owner;
      })
      .toBe('gone');
    const got: number[] = [];
    const { on, runner } = open('here');
    on('alert.missed', ({ position }) => void got.push(position), { name: 'shop' });
    await runner.runOnce();
    clock.advanceMs(HANDLER_LEASE_MS - 1);
    await runner.runOnce();
    expect(got).toEqual([]);
    clock.advanceMs(1);
    await runner.runOnce();
    expect(got).toEqual([1]);
  });
});

describe('what is given', () => {
  it('is refused where it cannot be', () => {
    const { on } = organisation().open('one');
    const nothing = (): void => undefined;
    expect(() => on('alert.missed', nothing, { name: 'a b' })).toThrow('needs a name');
    on('alert.missed', nothing, { name: 'shop' });
    expect(() => on('alert.held', nothing, { name: 'shop' })).toThrow('already');
    expect(() => on([], nothing, { name: 'none' })).toThrow('names no type');
    expect(() => on('alert.mised' as 'alert.missed', nothing, { name: 'x' })).toThrow(
      'names alert.mised, which there is not',
    );
  });

  it('has the types of its events', () => {
    const { on } = organisation().open('one');
    on(
      'refund.confirmed',
      ({ type, data }) => {
        expectTypeOf(type).toEqualTypeOf<'refund.confirmed'>();
        expectTypeOf(data.amount_minor).toEqualTypeOf<number>();
        expectTypeOf(data.order_reference).toEqualTypeOf<string | null | undefined>();
      },
      { name: 'typed' },
    );
    on(
      ['alert.missed', 'finding.opened'],
      (event) => {
        if (event.type === 'finding.opened') {
          expectTypeOf(event.data.finding_id).toEqualTypeOf<number>();
        }
      },
      { name: 'both' },
    );
    // @ts-expect-error there is no such type
    expect(() => on('refund.confirmd', () => undefined, { name: 'slip' })).toThrow();
  });
});
