/** Guarantee: other people's money answers the oldest complaint that lacks some, stays there, and is never counted for two (L4). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate } from '../../../src/alerts/ledger/allocate.ts';
import type { Ledger, Movement } from '../../../src/alerts/ledger/ledger.ts';
import { isOurs, mayHaveExecuted } from '../../../src/alerts/ledger/ledger.ts';
import type { MovementState } from '../../../src/alerts/ledger/movement-state.ts';
import { alertOf, disputeOfId, ledgerOf, movementOf, oursOf } from './fixtures.ts';

const TWO = [
  disputeOfId('dsp_1', { amountMinor: 2500 }),
  disputeOfId('dsp_2', { amountMinor: 2000 }),
];
const cover = (disputeId: string, amountMinor: number) => ({ disputeId, amountMinor });

/** The covers of the movements afterwards, in order. */
function coversAfter(ledger: Ledger) {
  return allocate(ledger).ledger.movements.map(({ covers }) => covers);
}

describe('allocating', () => {
  it('answers the first dispute, then the next, and leaves the rest', () => {
    const movements = [movementOf({ amountMinor: 4700 })];
    const { ledger, changed } = allocate(ledgerOf({ disputes: TWO, movements }));
    expect(ledger.movements[0]?.covers).toEqual([cover('dsp_1', 2500), cover('dsp_2', 2000)]);
    expect(changed).toEqual([{ movement: movements[0], covers: ledger.movements[0]?.covers }]);
  });

  it('leaves ours as it is, and gives only what is lacking beside it', () => {
    const ours = oursOf('dsp_1', { amountMinor: 1000 });
    const movements = [ours, movementOf({ id: 'mv_2', amountMinor: 3000 })];
    expect(coversAfter(ledgerOf({ disputes: TWO, movements }))).toEqual([
      ours.covers,
      [cover('dsp_1', 1500), cover('dsp_2', 1500)],
    ]);
  });

  it('gives nothing to a complaint that was withdrawn, and keeps what it had', () => {
    const alerts = [alertOf({ status: 'INVALID' })];
    const disputes = [disputeOfId('dsp_1', { alerts }), disputeOfId('dsp_2')];
    expect(coversAfter(ledgerOf({ disputes, movements: [movementOf()] }))).toEqual([
      [cover('dsp_2', 5000)],
    ]);
    const covers = [cover('dsp_1', 5000)];
    expect(coversAfter(ledgerOf({ disputes, movements: [movementOf({ covers })] }))).toEqual([
      covers,
    ]);
    // Its twin was not withdrawn.
    const standing = [disputeOfId('dsp_1', { alerts: [...alerts, alertOf()] }), ...disputes];
    expect(coversAfter(ledgerOf({ disputes: standing, movements: [movementOf()] }))).toEqual([
      covers,
    ]);
  });

  it('counts what of ours came to nothing as lacking', () => {
    const ours = oursOf('dsp_1', { amountMinor: 2500, state: 'REJECTED' });
    const movements = [ours, movementOf({ id: 'mv_2', amountMinor: 2500 })];
    expect(coversAfter(ledgerOf({ disputes: TWO, movements }))[1]).toEqual([cover('dsp_1', 2500)]);
  });

  it('answers nothing with what may be our own request, while that waits for its answer', () => {
    const ours = oursOf('dsp_1', { amountMinor: 2500, state: 'UNKNOWN' });
    const shown = movementOf({ id: 'mv_2', amountMinor: 2500 });
    const besideOurs = (over: Partial<Movement>, of: Partial<Movement> = {}) =>
      coversAfter(
        ledgerOf({
          disputes: TWO,
          movements: [
            { ...ours, ...of },
            { ...shown, ...over },
          ],
        }),
      )[1];
    expect(besideOurs({})).toEqual([]);
    // What it answered before it was asked for stays.
    expect(besideOurs({ covers: [cover('dsp_2', 2000)] })).toEqual([cover('dsp_2', 2000)]);
    expect(besideOurs({ amountMinor: 2400 })).toEqual([cover('dsp_2', 2000)]);
    expect(besideOurs({ observedFrom: 'operator:ada' })).toEqual([cover('dsp_2', 2000)]);
    expect(besideOurs({}, { state: 'PENDING' })).toEqual([cover('dsp_2', 2000)]);
  });

  it('keeps what was allocated, although an older dispute lacks some now', () => {
    const movements = [movementOf({ amountMinor: 2000, covers: [cover('dsp_2', 2000)] })];
    const { ledger, changed } = allocate(ledgerOf({ disputes: TWO, movements }));
    expect(ledger.movements).toEqual(movements);
    expect(changed).toEqual([]);
  });

  it('adds to what it covered before', () => {
    const movements = [movementOf({ amountMinor: 2500, covers: [cover('dsp_1', 500)] })];
    expect(coversAfter(ledgerOf({ disputes: TWO, movements }))[0]).toEqual([cover('dsp_1', 2500)]);
  });

  it('gives up what it covered last when it shrinks', () => {
    const covers = [cover('dsp_2', 2000), cover('dsp_1', 2500)];
    const shrunk = (amountMinor: number) =>
      coversAfter(ledgerOf({ disputes: TWO, movements: [movementOf({ amountMinor, covers })] }))[0];
    expect(shrunk(4500)).toEqual(covers);
    expect(shrunk(2600)).toEqual([cover('dsp_1', 2500), cover('dsp_2', 100)]);
    expect(shrunk(2500)).toEqual([cover('dsp_1', 2500)]);
    expect(shrunk(1)).toEqual([cover('dsp_1', 1)]);
    expect(shrunk(0)).toEqual([]);
  });

  it('gives all of it up when it is reversed, and another may take its place', () => {
    const gone = movementOf({
      amountMinor: 2500,
      state: 'REVERSED',
      covers: [cover('dsp_1', 2500)],
    });
    const other = movementOf({ id: 'mv_2', amountMinor: 2500, covers: [cover('dsp_2', 2000)] });
    expect(coversAfter(ledgerOf({ disputes: TWO, movements: [gone, other] }))).toEqual([
      [],
      [cover('dsp_2', 2000), cover('dsp_1', 500)],
    ]);
  });

  it('is the same whichever of two comes first in one pass: the earlier movement answers first', () => {
    const movements = [
      movementOf({ id: 'mv_1', amountMinor: 1000 }),
      movementOf({ id: 'mv_2', amountMinor: 2000 }),
    ];
    expect(coversAfter(ledgerOf({ disputes: TWO, movements }))).toEqual([
      [cover('dsp_1', 1000)],
      [cover('dsp_1', 1500), cover('dsp_2', 500)],
    ]);
  });

  it('keeps the network’s money at its own alert’s dispute', () => {
    const rdr = (disputeId: string | null) =>
      movementOf({ kind: 'network', alertId: 'netalrt_r', amountMinor: 4500, disputeId });
    expect(coversAfter(ledgerOf({ disputes: TWO, movements: [rdr('dsp_2')] }))[0]).toEqual([
      cover('dsp_2', 2000),
    ]);
    expect(coversAfter(ledgerOf({ disputes: TWO, movements: [rdr(null)] }))[0]).toEqual([]);
  });

  it('keeps what a person named for a dispute there', () => {
    const outside = movementOf({ amountMinor: 2300, disputeId: 'dsp_2' });
    expect(coversAfter(ledgerOf({ disputes: TWO, movements: [outside] }))[0]).toEqual([
      cover('dsp_2', 2000),
    ]);
  });

  it('answers nothing with a chargeback, or in another currency', () => {
    const movements = [
      movementOf({ kind: 'chargeback' }),
      movementOf({ id: 'mv_2', currency: 'GBP' }),
      movementOf({ id: 'mv_3', currency: 'GBP', disputeId: 'dsp_1' }),
    ];
    expect(coversAfter(ledgerOf({ disputes: TWO, movements }))).toEqual([[], [], []]);
  });

  it('answers with what is pending too, for nobody else may refund it meanwhile', () => {
    const movements = [movementOf({ state: 'PENDING', amountMinor: 2500 })];
    expect(coversAfter(ledgerOf({ disputes: TWO, movements }))[0]).toEqual([cover('dsp_1', 2500)]);
  });
});

describe('for any ledger', () => {
  const amounts = fc.integer({ min: 0, max: 4000 });
  const state = fc.constantFrom<MovementState>('CONFIRMED', 'PENDING', 'REVERSED');
  const kind = fc.constantFrom('external' as const, 'network' as const, 'chargeback' as const);
  const home = fc.constantFrom('dsp_1', 'dsp_2', null);
  const given = fc
    .record({
      disputed: fc.tuple(amounts, amounts),
      ours: fc.array(fc.tuple(fc.constantFrom('dsp_1', 'dsp_2'), amounts), { maxLength: 2 }),
      others: fc.array(
        fc.record({ state, kind, disputeId: home, amountMinor: amounts, before: amounts }),
        { maxLength: 4 },
      ),
    })
    .map(({ disputed, ours, others }): Ledger => {
      const disputes = disputed.map((amountMinor, n) =>
        disputeOfId(`dsp_${n + 1}`, { amountMinor }),
      );
      const own = ours.map(([id, amountMinor], n) => oursOf(id, { id: `own_${n}`, amountMinor }));
      const observed = others.map(({ before, ...over }, n) =>
        movementOf({ ...over, id: `mv_${n}`, covers: before > 0 ? [cover('dsp_1', before)] : [] }),
      );
      return ledgerOf({ disputes, movements: [...own, ...observed] });
    });

  it('no movement covers more than it moved; ours are untouched; doing it again changes nothing', () => {
    fc.assert(
      fc.property(given, (before) => {
        const { ledger, changed } = allocate(before);
        for (const [n, movement] of ledger.movements.entries()) {
          if (isOurs(movement)) {
            expect(movement).toEqual(before.movements[n]);
            continue;
          }
          const sum = movement.covers.reduce((total, each) => total + each.amountMinor, 0);
          expect(sum).toBeLessThanOrEqual(mayHaveExecuted(movement) ? movement.amountMinor : 0);
          expect(movement.covers.every((each) => each.amountMinor > 0)).toBe(true);
        }
        const names = changed.map(({ movement }) => movement.id);
        expect(new Set(names).size).toBe(names.length);
        expect(allocate(ledger)).toEqual({ ledger, changed: [] });
      }),
      { numRuns: 2_000 },
    );
  });

  it('never gives a dispute more than it lacked', () => {
    fc.assert(
      fc.property(given, (before) => {
        const bare = {
          ...before,
          movements: before.movements.map((each) =>
            isOurs(each) ? each : { ...each, covers: [] },
          ),
        };
        const { ledger } = allocate(bare);
        for (const { id, amountMinor } of ledger.disputes) {
          const ours = bare.movements
            .flatMap((each) => each.covers)
            .filter(({ disputeId }) => disputeId === id)
            .reduce((sum, each) => sum + each.amountMinor, 0);
          const all = ledger.movements
            .flatMap((each) => each.covers)
            .filter(({ disputeId }) => disputeId === id)
            .reduce((sum, each) => sum + each.amountMinor, 0);
          expect(all).toBeLessThanOrEqual(Math.max(ours, amountMinor));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
