/**
 * Guarantee: whichever order snapshots arrive in, and however often, the same one stays; and two that
 * nothing can tell apart ask to be read.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntityKind } from '../../../src/alerts/apply/entity.table.ts';
import type { EntityState } from '../../../src/alerts/apply/fold.ts';
import { fold } from '../../../src/alerts/apply/fold.ts';
import { projectionOf } from '../../../src/alerts/apply/projections.ts';
import type { Snapshot } from '../../../src/alerts/apply/snapshot.ts';
import { readSnapshot } from '../../../src/alerts/apply/snapshot.ts';

const IDS: Record<string, string> = { alert: 'netalrt_1', lookup: 'lkup_1', enrolment: 'enrl_1' };

/** A snapshot told by an event, or read at a moment. */
function snapshot(
  entity: EntityKind,
  object: Record<string, unknown>,
  readAt: string | null = null,
  envelope: { readonly eventCreatedAt?: string; readonly isUpdate?: boolean } = {},
): Snapshot {
  const reading = readSnapshot(
    {
      entity,
      object: { id: IDS[entity], updated_at: '2026-11-20T10:00:00Z', ...object },
      eventId: readAt === null ? 'evt_1' : null,
      ...envelope,
    },
    {
      organisationId: 'org_1',
      projection: projectionOf(entity)!,
      source: readAt === null ? 'webhook' : 'poll',
      readAt,
    },
  );
  if (!reading.ok) throw new Error(reading.detail);
  return reading.snapshot;
}

const alert = (status: string, second: number, more: Record<string, unknown> = {}): Snapshot =>
  snapshot('alert', { status, updated_at: `2026-11-20T10:00:0${second}Z`, ...more });

function foldAll(snapshots: readonly Snapshot[]): EntityState {
  return snapshots.reduce<EntityState | undefined>(
    (state, each) => fold(state, each).state,
    undefined,
  )!;
}

/** What must not depend on order: everything but how we came to know it. */
function rowOf(state: EntityState): Record<string, unknown> {
  const { object, rank, updatedAt, contentHash, needsRead, createdAt, toldAt, toldAsUpdate } =
    state;
  return { object, rank, updatedAt, contentHash, needsRead, createdAt, toldAt, toldAsUpdate };
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, index) =>
    permutations([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [
      item,
      ...rest,
    ]),
  );
}

describe('alerts', () => {
  it.each<[string, Snapshot[], string]>([
    [
      'newer over older',
      [alert('ACTION_REQUIRED', 1, { note: 'a' }), alert('ACTION_REQUIRED', 2, { note: 'b' })],
      'b',
    ],
    [
      'resolved over a newer open one',
      [alert('RESOLVED', 1, { note: 'r' }), alert('ACTION_REQUIRED', 2)],
      'r',
    ],
    [
      'invalid over a newer resolved one',
      [alert('INVALID', 1, { note: 'i' }), alert('RESOLVED', 2)],
      'i',
    ],
    [
      'resolved over open of the same second',
      [alert('ACTION_REQUIRED', 1), alert('RESOLVED', 1, { note: 'r' })],
      'r',
    ],
    [
      'resolved over a newer unknown status',
      [alert('RESOLVED', 1, { note: 'r' }), alert('ESCALATED', 2)],
      'r',
    ],
    [
      'newer unknown over open',
      [alert('ACTION_REQUIRED', 1), alert('ESCALATED', 2, { note: 'e' })],
      'e',
    ],
    [
      'by microseconds',
      [
        snapshot('alert', {
          status: 'RESOLVED',
          note: 'x',
          updated_at: '2026-11-20T10:00:00.000002Z',
        }),
        snapshot('alert', {
          status: 'RESOLVED',
          note: 'y',
          updated_at: '2026-11-20T10:00:00.000001Z',
        }),
      ],
      'x',
    ],
    [
      'across offsets',
      [
        snapshot('alert', {
          status: 'RESOLVED',
          note: 'x',
          updated_at: '2026-11-20T12:00:00+01:00',
        }),
        snapshot('alert', { status: 'RESOLVED', note: 'y', updated_at: '2026-11-20T10:59:59Z' }),
      ],
      'x',
    ],
  ])('%s', (_name, snapshots, note) => {
    for (const order of permutations(snapshots)) {
      expect(foldAll(order).object['note']).toBe(note);
      expect(foldAll(order).needsRead).toBe(false);
    }
  });
});

it('lookups go back and forth by their time alone', () => {
  const states = ['PENDING', 'SUCCEEDED', 'FAILED'].map((deflection_status, second) =>
    snapshot('lookup', { deflection_status, updated_at: `2026-11-20T10:00:0${second}Z` }),
  );
  for (const order of permutations(states)) {
    expect(foldAll(order).object['deflection_status']).toBe('FAILED');
  }
});

describe('two contents of one moment', () => {
  const a = snapshot('alert', { status: 'ACTION_REQUIRED', note: 'a' });
  const b = snapshot('alert', { status: 'ACTION_REQUIRED', note: 'b' });
  const [low, high] = [a, b].sort((x, y) => (x.contentHash < y.contentHash ? -1 : 1));

  it('the greater hash stays, and the row asks to be read', () => {
    for (const order of permutations([a, b])) {
      expect(rowOf(foldAll(order))).toMatchObject({
        contentHash: high!.contentHash,
        needsRead: true,
      });
    }
  });

  it('the later event stays, then an update over what it updates; the row asks to be read', () => {
    const told = (note: string, second: number, isUpdate: boolean): Snapshot =>
      snapshot('alert', { status: 'ACTION_REQUIRED', note }, null, {
        eventCreatedAt: `2026-11-20T10:00:0${second}Z`,
        isUpdate,
      });
    const life = [told('c', 1, false), told('a', 1, true), told('d', 2, false), told('b', 2, true)];
    for (const order of permutations(life)) {
      expect(foldAll(order)).toMatchObject({ object: { note: 'b' }, needsRead: true });
    }
    for (const order of permutations(life.slice(0, 3))) {
      expect(foldAll(order).object['note']).toBe('d');
    }
  });

  it('an event that comes back with an earlier content of its moment keeps its own place', () => {
    const told = (note: string, second: number): Snapshot =>
      snapshot('representment', { id: 'rep_1', note }, null, {
        eventCreatedAt: `2026-11-20T10:00:0${second}Z`,
        isUpdate: true,
      });
    for (const order of permutations([told('a', 1), told('b', 2), told('a', 3)])) {
      expect(foldAll(order)).toMatchObject({
        object: { note: 'a' },
        toldAt: '2026-11-20T10:00:03.000000Z',
      });
    }
  });

  it('a read decides, whichever hash it has, and answers the question', () => {
    for (const shown of ['a', 'b']) {
      const read = snapshot(
        'alert',
        { status: 'ACTION_REQUIRED', note: shown },
        '2026-11-20T10:05:00.000000Z',
      );
      const state = foldAll([low!, high!, read]);
      expect(state.object['note']).toBe(shown);
      expect(state.needsRead).toBe(false);
      // Told again afterwards, it stays decided but is looked at once more.
      expect(fold(state, shown === 'a' ? b : a).state).toMatchObject({
        object: state.object,
        needsRead: true,
      });
      expect(fold(state, shown === 'a' ? a : b).state).toBe(state);
    }
  });

  it('of two reads the later one stays', () => {
    const reads = [1, 2].map((minute) =>
      snapshot(
        'alert',
        { status: 'ACTION_REQUIRED', note: `${minute}` },
        `2026-11-20T10:0${minute}:00.000000Z`,
      ),
    );
    for (const order of permutations(reads)) expect(foldAll(order).object['note']).toBe('2');
  });

  it('a read that only confirms counts as the later read', () => {
    const at = (minute: number, note: string): Snapshot =>
      snapshot('alert', { status: 'ACTION_REQUIRED', note }, `2026-11-20T10:0${minute}:00.000000Z`);
    for (const order of permutations([a, at(2, 'a'), at(1, 'b')])) {
      expect(foldAll(order).object['note']).toBe('a');
    }
  });

  it('a read that came too late to decide leaves the question open', () => {
    const at = (minute: number, note: string): Snapshot =>
      snapshot('alert', { status: 'ACTION_REQUIRED', note }, `2026-11-20T10:0${minute}:00.000000Z`);
    expect(foldAll([at(2, 'a'), b, at(1, 'c')])).toMatchObject({
      object: { note: 'a' },
      needsRead: true,
    });
  });

  it('a read of an older moment decides nothing', () => {
    const old = snapshot(
      'alert',
      { status: 'ACTION_REQUIRED', updated_at: '2026-11-20T09:00:00Z' },
      '2026-11-20T10:05:00.000000Z',
    );
    expect(fold(foldAll([a, b]), old)).toMatchObject({
      state: { contentHash: high!.contentHash, needsRead: true },
      effect: 'unchanged',
      history: undefined,
    });
  });

  it('a newer moment settles it', () => {
    const newer = snapshot('alert', {
      status: 'ACTION_REQUIRED',
      updated_at: '2026-11-20T10:00:01Z',
    });
    for (const order of permutations([a, b, newer])) expect(foldAll(order).needsRead).toBe(false);
  });

  it('the same fields in another order are the same content', () => {
    const one = snapshot('alert', { status: 'RESOLVED', x: { p: 1, q: [2] }, note: 'n' });
    const two = snapshot('alert', { note: 'n', x: { q: [2], p: 1 }, status: 'RESOLVED' });
    expect(one.contentHash).not.toBe(two.contentHash);
    for (const order of permutations([one, two])) {
      const state = foldAll(order);
      expect(state.needsRead).toBe(false);
      expect(state.contentHash).toBe([one.contentHash, two.contentHash].sort()[1]);
    }
  });

  it('links of an enrolment are no content', () => {
    const told = snapshot('enrolment', { status: 'ENABLED' });
    const shown = snapshot(
      'enrolment',
      { status: 'ENABLED', links: [{ rel: 'self', uri: '/v2/enrolments/enrl_1' }] },
      '2026-11-20T10:05:00.000000Z',
    );
    expect(fold(foldAll([shown]), told)).toMatchObject({
      effect: 'unchanged',
      state: { needsRead: false },
    });
  });
});

describe('the history', () => {
  const open = alert('ACTION_REQUIRED', 1, { note: null, transaction_refund_outcome: null });
  const resolved = alert('RESOLVED', 2, { note: 'done', transaction_refund_outcome: 'REFUNDED' });

  it('first sight: the headline', () => {
    expect(fold(undefined, open)).toMatchObject({
      effect: 'created',
      history: {
        eventId: 'evt_1',
        accepted: true,
        before: null,
        after: { status: 'ACTION_REQUIRED', transaction_refund_outcome: null },
      },
    });
  });

  it('a change: from what, to what', () => {
    expect(fold(foldAll([open]), resolved).history).toEqual({
      eventId: 'evt_1',
      accepted: true,
      before: {
        status: 'ACTION_REQUIRED',
        updated_at: '2026-11-20T10:00:01Z',
        note: null,
        transaction_refund_outcome: null,
      },
      after: {
        status: 'RESOLVED',
        updated_at: '2026-11-20T10:00:02Z',
        note: 'done',
        transaction_refund_outcome: 'REFUNDED',
      },
    });
  });

  it('an older event after a newer one: noted, not accepted', () => {
    expect(fold(foldAll([resolved]), open)).toMatchObject({
      effect: 'unchanged',
      history: { accepted: false, before: null, after: { status: 'ACTION_REQUIRED' } },
    });
  });

  it('the event of what a read found first: noted once it comes; an update of ours that it repeats is not', () => {
    const fields = { status: 'ACTION_REQUIRED' };
    const found = foldAll([snapshot('alert', fields, '2026-11-20T10:02:00Z')]);
    const late = fold(found, snapshot('alert', fields));
    expect(late.state).toBe(found);
    expect(late).toMatchObject({
      effect: 'unchanged',
      history: {
        eventId: 'evt_1',
        accepted: false,
        before: null,
        after: { status: 'ACTION_REQUIRED' },
      },
    });
    const update = snapshot('alert', fields, null, { isUpdate: true });
    expect(fold(found, update).history).toBeUndefined();
  });

  it('a repetition: nothing, and the very same state', () => {
    const state = foldAll([open]);
    expect(fold(state, open)).toEqual({ state, effect: 'unchanged', history: undefined });
    expect(fold(state, open).state).toBe(state);
  });
});

it('any order and any repetition of any snapshots end in the same row', () => {
  const anySnapshot = fc
    .record({
      status: fc.constantFrom('ACTION_REQUIRED', 'RESOLVED', 'INVALID', 'ESCALATED'),
      second: fc.integer({ min: 0, max: 2 }),
      note: fc.constantFrom('a', 'b', 'c'),
      told: fc.integer({ min: 0, max: 2 }),
      isUpdate: fc.boolean(),
    })
    .map(({ status, second, note, told, isUpdate }) =>
      snapshot('alert', { status, note, updated_at: `2026-11-20T10:00:0${second}Z` }, null, {
        eventCreatedAt: `2026-11-20T10:00:0${told}Z`,
        isUpdate,
      }),
    );
  fc.assert(
    fc.property(
      fc.array(anySnapshot, { minLength: 1, maxLength: 7 }),
      fc.array(fc.nat(), { minLength: 14, maxLength: 14 }),
      (snapshots, keys) => {
        const repeated = [...snapshots, ...snapshots.slice(0, 3)]
          .map((each, index) => ({ each, key: keys[index]! }))
          .sort((x, y) => x.key - y.key)
          .map(({ each }) => each);
        expect(rowOf(foldAll(repeated))).toEqual(rowOf(foldAll(snapshots)));
      },
    ),
    { numRuns: 2_000 },
  );
});
