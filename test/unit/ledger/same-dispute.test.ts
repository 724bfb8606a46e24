/** Guarantee: alerts of one complaint share a dispute, alerts of two do not, and where amounts do not tell, nobody guesses. */
import { describe, expect, it } from 'vitest';
import type { Dispute, Movement } from '../../../src/alerts/ledger/ledger.ts';
import type { SamePartRule } from '../../../src/alerts/ledger/same-dispute.ts';
import {
  amountOf,
  claimedMinor,
  isAboutWhole,
  placeAlert,
} from '../../../src/alerts/ledger/same-dispute.ts';
import { alertOf, disputeOfId, movementOf } from './fixtures.ts';

const CHARGE = { amountMinor: 5000, currency: 'EUR' };
const NETB = { enrolmentType: 'NETB_ALERT' };
const RDR = { enrolmentType: 'NETB_RDR', status: 'RESOLVED' };

function place(
  alert: Parameters<typeof alertOf>[0],
  disputes: readonly Dispute[],
  over: { samePart?: SamePartRule; movements?: readonly Movement[] } = {},
) {
  const { samePart = 'REVIEW', movements = [] } = over;
  const ledger = { disputes, movements };
  return placeAlert(ledger, alertOf({ alertId: 'netalrt_new', ...alert }), {
    charge: CHARGE,
    samePart,
  });
}

/** A dispute about this much with one alert of network A about the same, unless bent. */
function about(
  amountMinor: number,
  alert: Parameters<typeof alertOf>[0] = {},
  id = 'dsp_1',
): Dispute {
  return disputeOfId(id, { amountMinor, alerts: [alertOf({ amountMinor, ...alert })] });
}

const FIRST = { kind: 'new', reason: 'the first complaint about the charge' };
const BESIDE = {
  kind: 'new',
  reason: 'another part of the charge, which fits beside what is disputed',
};
const TWIN = {
  kind: 'same',
  disputeId: 'dsp_1',
  duplicate: false,
  reason: 'the same amount, through another network',
};
const AGAIN = {
  kind: 'same',
  disputeId: 'dsp_1',
  duplicate: true,
  reason: 'the whole charge, reported again by the same network',
};
const undecided = (reason: string) => ({ kind: 'undecided', reason });

describe('an alert', () => {
  it('is the first complaint', () => {
    expect(place({}, [])).toEqual(FIRST);
    expect(place({ amountMinor: 2000 }, [])).toEqual(FIRST);
  });

  it('of another network with the same amount is the same dispute', () => {
    expect(place(NETB, [about(5000)])).toEqual(TWIN);
    expect(place({ ...NETB, amountMinor: 2500 }, [about(2500)])).toEqual(TWIN);
    expect(place({ ...RDR, amountMinor: 2500 }, [about(2500)])).toEqual(TWIN);
  });

  it('is compared with the right one of several', () => {
    const disputes = [about(2000), about(2500, {}, 'dsp_2')];
    expect(place({ ...NETB, amountMinor: 2500 }, disputes)).toEqual({
      ...TWIN,
      disputeId: 'dsp_2',
    });
  });

  it.each([
    ['it is about the whole charge', { ...NETB, amountMinor: 5000 }, about(2500)],
    ['the other is about the whole charge', { ...NETB, amountMinor: 2500 }, about(5000)],
    [
      'its amount is in another currency',
      { ...NETB, amountMinor: 2500, currency: 'USD' },
      about(2400),
    ],
    ['it names no amount', { ...NETB, amountMinor: null }, about(2500)],
  ])('of another network is the same dispute where %s', (_name, alert, dispute) => {
    expect(place(alert, [dispute])).toEqual({
      ...TWIN,
      reason: 'the whole charge, through another network',
    });
  });

  it('of another network with another part is another complaint, or nobody knows', () => {
    expect(place({ ...NETB, amountMinor: 2500 }, [about(2499)])).toEqual(BESIDE);
    expect(place({ ...NETB, amountMinor: 2502 }, [about(2499)])).toEqual(
      undecided('it does not fit beside what is disputed already'),
    );
    expect(place({ ...NETB, amountMinor: 2501 }, [about(2499)])).toEqual(BESIDE);
  });

  it('of the same network about the whole charge again is the same, and a duplicate', () => {
    expect(place({}, [about(5000)])).toEqual(AGAIN);
    expect(place({ amountMinor: 6000 }, [about(5000)])).toEqual(AGAIN);
    expect(place({ amountMinor: 66, currency: 'USD' }, [about(5000)])).toEqual(AGAIN);
  });

  it('of the same network about the whole, where a part is disputed: nobody knows', () => {
    expect(place({}, [about(2500)])).toEqual(
      undecided('it is about the whole charge, and a part of it is disputed already'),
    );
  });

  it('of the same network with the same part: nobody knows, or the policy says', () => {
    const part = { amountMinor: 2500 };
    expect(place(part, [about(2500)])).toEqual(
      undecided('the same network reports the same part again: again, or another item?'),
    );
    expect(place(part, [about(2500)], { samePart: 'AGAIN' })).toEqual({
      kind: 'same',
      disputeId: 'dsp_1',
      duplicate: true,
      reason: 'the same part again, which the policy takes for the same complaint',
    });
    expect(place(part, [about(2500)], { samePart: 'ANOTHER' })).toEqual(BESIDE);
    // A third one would not fit any more.
    const two = [about(2500), about(2500, {}, 'dsp_2')];
    expect(place(part, two, { samePart: 'ANOTHER' })).toEqual(
      undecided('it does not fit beside what is disputed already'),
    );
  });

  it('of the same network with another part fits beside it, to the minor unit', () => {
    expect(place({ amountMinor: 2500 }, [about(2000)])).toEqual(BESIDE);
    expect(place({ amountMinor: 3000 }, [about(2000)])).toEqual(BESIDE);
    expect(place({ amountMinor: 3001 }, [about(2000)])).toEqual(
      undecided('it does not fit beside what is disputed already'),
    );
    expect(place({ amountMinor: 1 }, [about(2000), about(2999, {}, 'dsp_2')])).toEqual(BESIDE);
    expect(place({ amountMinor: 2 }, [about(2000), about(2999, {}, 'dsp_2')])).toEqual(
      undecided('it does not fit beside what is disputed already'),
    );
  });

  it('is compared with every alert of a dispute, by amount and currency', () => {
    const mixed = disputeOfId('dsp_1', {
      amountMinor: 2500,
      alerts: [
        alertOf({ amountMinor: 2400 }),
        alertOf({ alertId: 'b', amountMinor: 2500 }),
        alertOf({ alertId: 'c', amountMinor: 1000, currency: 'USD' }),
      ],
    });
    expect(place({ ...NETB, amountMinor: 2500 }, [mixed])).toEqual(TWIN);
    expect(place({ ...NETB, amountMinor: 1000 }, [mixed])).toEqual(BESIDE);
    expect(place({ amountMinor: 2500 }, [mixed])).toMatchObject({ kind: 'undecided' });
    expect(place({ amountMinor: 1000 }, [mixed])).toEqual(BESIDE);
  });

  it('is the third of one complaint: a twin of a twin', () => {
    const twins = disputeOfId('dsp_1', { alerts: [alertOf(), alertOf({ ...NETB, alertId: 'b' })] });
    expect(place({ ...RDR }, [twins])).toEqual({ ...TWIN });
    expect(place(NETB, [twins])).toEqual(AGAIN);
  });
});

describe('a withdrawn alert', () => {
  const withdrawn = about(5000, { status: 'INVALID' });

  it('leaves a dispute that stands in nobody’s way', () => {
    expect(place({}, [withdrawn])).toEqual(FIRST);
    expect(place({ amountMinor: 2500 }, [about(2500, { status: 'INVALID' })])).toEqual(FIRST);
  });

  it('leaves a dispute that money answers', () => {
    const paid = movementOf({ covers: [{ disputeId: 'dsp_1', amountMinor: 5000 }] });
    expect(place({}, [withdrawn], { movements: [paid] })).toMatchObject({
      kind: 'same',
      disputeId: 'dsp_1',
    });
    const reversed = { ...paid, state: 'REVERSED' as const };
    expect(place({}, [withdrawn], { movements: [reversed] })).toEqual(FIRST);
    const elsewhere = { ...paid, covers: [{ disputeId: 'dsp_2', amountMinor: 5000 }] };
    expect(place({}, [withdrawn], { movements: [elsewhere] })).toEqual(FIRST);
  });

  it('is no member: neither its network nor its amount is compared', () => {
    const two = disputeOfId('dsp_1', {
      amountMinor: 2500,
      alerts: [
        alertOf({ amountMinor: 2000, status: 'INVALID' }),
        alertOf({ ...NETB, alertId: 'b', amountMinor: 2500 }),
      ],
    });
    expect(place({ amountMinor: 2500 }, [two])).toEqual(TWIN);
    expect(place({ amountMinor: 2000 }, [two])).toEqual(BESIDE);
  });
});

describe('what an alert claims of the charge', () => {
  it.each<[number | null, string | null, number]>([
    [2500, 'EUR', 2500],
    [5000, 'EUR', 5000],
    [5001, 'EUR', 5000],
    [1, 'EUR', 1],
    [0, 'EUR', 5000],
    [-1, 'EUR', 5000],
    [null, 'EUR', 5000],
    [2500, 'USD', 5000],
    [2500, null, 5000],
  ])('%s %s: %i', (amountMinor, currency, expected) => {
    expect(claimedMinor({ amountMinor, currency }, CHARGE)).toBe(expected);
    expect(isAboutWhole({ amountMinor, currency }, CHARGE)).toBe(expected === 5000);
  });
});

describe('what a dispute is about', () => {
  const of = (...alerts: Parameters<typeof alertOf>[0][]) =>
    amountOf({ id: 'dsp_1', ...CHARGE, alerts: alerts.map((each) => alertOf(each)) }, CHARGE);

  it('is the most that an alert of it asks for', () => {
    expect(of({ amountMinor: 2000 }, { amountMinor: 3000 })).toBe(3000);
    expect(of({ amountMinor: 3000 }, { amountMinor: 2000 })).toBe(3000);
  });

  it('is not what was withdrawn, unless all was', () => {
    expect(of({ amountMinor: 2000 }, { amountMinor: 3000, status: 'INVALID' })).toBe(2000);
    expect(of({ amountMinor: 3000, status: 'INVALID' })).toBe(5000);
    expect(of()).toBe(5000);
  });
});

it('money that answers two complaints stands for each of them', () => {
  const withdrawn = (id: string) => about(2500, { status: 'INVALID' }, id);
  const covers = ['dsp_1', 'dsp_2'].map((disputeId) => ({ disputeId, amountMinor: 2500 }));
  const movements = [movementOf({ covers })];
  const disputes = [withdrawn('dsp_1'), withdrawn('dsp_2')];
  expect(place({ amountMinor: 2500 }, disputes, { movements })).toEqual(
    undecided('it does not fit beside what is disputed already'),
  );
});

it('of another network, both without an amount, is the same whole charge', () => {
  const known = disputeOfId('dsp_1', { alerts: [alertOf({ amountMinor: null })] });
  expect(place({ ...NETB, amountMinor: null }, [known])).toEqual({
    ...TWIN,
    reason: 'the whole charge, through another network',
  });
});
