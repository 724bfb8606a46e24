/**
 * Guarantee: each question of the outcome table is asked for each intent and each asker it is meant for, and of nobody else;
 * and what the table looks at is what the ledger says, to the minor unit.
 */
import { describe, expect, it } from 'vitest';
import type { AcceptObjection } from '../../../src/alerts/ledger/accept-objection.ts';
import type { Ledger, Movement } from '../../../src/alerts/ledger/ledger.ts';
import type {
  Asker,
  Intent,
  Moment,
  RefundIntent,
  ShownNow,
  Standing,
} from '../../../src/alerts/ledger/verdict.ts';
import {
  reasonsOn,
  shownLast,
  shownNow,
  standingOf,
  verdictOn,
} from '../../../src/alerts/ledger/verdict.ts';
import { alertOf, chargeOf, disputeOfId, ledgerOf, movementOf, oursOf } from './fixtures.ts';

const ASKERS: readonly Asker[] = ['policy', 'fallback', 'person'];

/** An alert of 50.00 EUR about all of a charge of 50.00 EUR, of which nothing went back. */
function standing(over: Partial<Standing> = {}): Standing {
  return {
    amountMinor: 5000,
    currency: 'EUR',
    isCovered: false,
    coveredBy: null,
    underWay: null,
    isInFlight: false,
    disputeId: 'dsp_1',
    disputeMinor: 5000,
    outMinor: 0,
    pendingMinor: 0,
    missingMinor: 5000,
    capturedMinor: 5000,
    roomMinor: 5000,
    isOlderUnnamed: false,
    isForeign: false,
    isUnclear: false,
    isAccepted: false,
    isRefundAhead: false,
    isReversed: false,
    isRefusedForGood: false,
    networkInDoubtMs: null,
    acceptanceInDoubtMs: null,
    objection: null,
    isThroughAnother: false,
    made: null,
    ...over,
  };
}

type Found = Extract<ShownNow, { kind: 'found' }>;

function found(over: Partial<Found> = {}): Found {
  return {
    kind: 'found',
    status: 'captured',
    amountMinor: 5000,
    currency: 'EUR',
    refundableMinor: 5000,
    disputed: false,
    isChargedBack: false,
    ...over,
  };
}

function moment(charge: ShownNow = found(), over: Partial<Moment> = {}): Moment {
  return { charge, refusesOverRefund: true, isTimeLeft: true, ...over };
}

const refund = (by: Asker, over: Partial<RefundIntent> = {}): Intent => ({
  action: 'REFUND',
  by,
  amountMinor: null,
  ...over,
});
const accept = (by: Asker, despiteMinor?: number): Intent => ({
  action: 'ACCEPT_DISPUTE',
  by,
  ...(despiteMinor === undefined ? {} : { despiteMinor }),
});
const look = (by: Asker): Intent => ({ action: 'REVIEW', by });

const hold = (reason: string) => ({ kind: 'hold', reason });
const ACCEPTED = { kind: 'accept', isChargedBack: false, despite: null };
const OPEN = { kind: 'open' };
const WHOLE = { kind: 'refund', amountMinor: 5000, disputeId: 'dsp_1' };
const PENDING = {
  kind: 'wait',
  reason: 'refund_pending_elsewhere',
  error: 'a refund by somebody else is pending at the processor',
};

/** What each asker hears of each intent, in the order policy, fallback, person. */
function heard(over: Partial<Standing>, now: Moment = moment()) {
  const of = (intent: (by: Asker) => Intent) =>
    ASKERS.map((by) => {
      const answer = verdictOn(standing(over), intent(by), now);
      return 'reason' in answer ? answer.reason : answer.kind;
    });
  return { refund: of(refund), accept: of(accept), look: of(look) };
}

const all = (word: string): string[] => [word, word, word];

describe('nothing speaks against it', () => {
  it.each(ASKERS)('%s: refunded, accepted, or left open', (by) => {
    expect(verdictOn(standing(), refund(by), moment())).toEqual(WHOLE);
    expect(verdictOn(standing(), accept(by), moment())).toEqual(ACCEPTED);
    expect(verdictOn(standing(), look(by), moment())).toEqual(OPEN);
  });

  it('an authorisation is released', () => {
    const now = moment(found({ status: 'authorised' }));
    const given = standing({ capturedMinor: 0 });
    expect(verdictOn(given, refund('policy'), now)).toEqual({ kind: 'void', disputeId: 'dsp_1' });
  });
});

describe('what holds every answer, and for whom', () => {
  it('the processor could not be asked: everybody waits, with the reason', () => {
    const now = moment({ kind: 'unavailable' });
    for (const by of ASKERS) {
      for (const intent of [refund(by), accept(by), look(by)]) {
        expect(verdictOn(standing(), intent, now)).toEqual({
          kind: 'wait',
          reason: 'processor_unavailable',
          error: 'the processor could not be asked about the charge',
        });
      }
    }
  });

  it('no charge there: a fallback and a person may accept, a policy may not', () => {
    expect(heard({}, moment({ kind: 'absent' }))).toEqual({
      refund: all('charge_absent'),
      accept: ['charge_absent', 'accept', 'accept'],
      look: all('charge_absent'),
    });
  });

  it('a processor that shows no charges: accepted by anybody, refunded by nobody', () => {
    expect(heard({}, moment({ kind: 'not_offered' }))).toEqual({
      refund: all('processor_cannot_be_asked'),
      accept: all('accept'),
      look: all('open'),
    });
  });

  it('nobody knows which complaint it is', () => {
    expect(heard({ isUnclear: true, disputeId: null })).toEqual({
      refund: all('dispute_unclear'),
      accept: ['dispute_unclear', 'accept', 'accept'],
      look: all('dispute_unclear'),
    });
  });

  it('in no dispute, and nothing unclear: only a refund needs one', () => {
    expect(heard({ disputeId: null })).toEqual({
      refund: all('dispute_unclear'),
      accept: all('accept'),
      look: all('open'),
    });
  });

  it('another alert of the charge is to be refunded: one of no dispute waits for it, but not for a person', () => {
    expect(heard({ isRefundAhead: true, disputeId: null })).toEqual({
      refund: all('dispute_unclear'),
      accept: ['another_refund_ahead', 'another_refund_ahead', 'accept'],
      look: ['another_refund_ahead', 'another_refund_ahead', 'open'],
    });
    expect(heard({ isRefundAhead: true })).toEqual({
      refund: all('refund'),
      accept: all('accept'),
      look: all('open'),
    });
  });

  it('a refund that failed after it was confirmed', () => {
    expect(heard({ isReversed: true })).toEqual({
      refund: ['refund_reversed', 'refund_reversed', 'refund'],
      accept: ['refund_reversed', 'accept', 'accept'],
      look: ['refund_reversed', 'refund_reversed', 'open'],
    });
  });

  it('somebody else’s refund is pending', () => {
    expect(heard({ pendingMinor: 1 })).toEqual({
      refund: ['refund_pending_elsewhere', 'refund_pending_elsewhere', 'refund'],
      accept: ['refund_pending_elsewhere', 'refund_pending_elsewhere', 'accept'],
      look: ['refund_pending_elsewhere', 'refund_pending_elsewhere', 'open'],
    });
    expect(verdictOn(standing({ pendingMinor: 1 }), look('policy'), moment())).toEqual(PENDING);
  });

  it('and it is as much as the alert asks for: a person waits too', () => {
    const given = { pendingMinor: 5000, outMinor: 5000, missingMinor: 0, roomMinor: 0 };
    expect(verdictOn(standing(given), refund('person'), moment())).toEqual(PENDING);
  });

  it('it went back already, or is on its way: whatever else is so', () => {
    const unasked = moment({ kind: 'unavailable' });
    const isBack = standing({ isCovered: true, coveredBy: 'mv_9', isUnclear: true });
    const underWay = { id: 'mv_8', reaches: false };
    for (const intent of [refund('policy'), accept('fallback'), look('person')]) {
      expect(verdictOn(isBack, intent, unasked)).toEqual({ kind: 'covered', movementId: 'mv_9' });
      expect(verdictOn(standing({ underWay, isUnclear: true }), intent, unasked)).toEqual({
        kind: 'under_way',
        movementId: 'mv_8',
        reaches: false,
      });
    }
  });
});

describe('ACCEPT_DISPUTE beside money', () => {
  const objection = (over: Partial<AcceptObjection> = {}): AcceptObjection => ({
    kind: 'part_went_back',
    amountMinor: 2000,
    currency: 'EUR',
    movementId: 'mv_1',
    ...over,
  });

  it.each([
    ['ours_under_way', 'refund_under_way'],
    ['others_pending', 'refund_pending_elsewhere'],
    ['network_unclear', 'refund_pending_elsewhere'],
    ['part_went_back', 'part_went_back'],
  ] as const)('%s holds as %s, whoever asks', (kind, reason) => {
    const objects = objection({ kind });
    for (const by of ASKERS) {
      expect(verdictOn(standing({ objection: objects }), accept(by), moment())).toEqual({
        kind: 'hold',
        reason,
        objection: objects,
      });
    }
  });

  it.each([
    ['part_went_back', true],
    ['network_unclear', true],
    ['ours_under_way', false],
    ['others_pending', false],
  ] as const)('%s: a person who is told the sum may: %s', (kind, may) => {
    const objects = objection({ kind });
    const told = (intent: Intent) =>
      verdictOn(standing({ objection: objects }), intent, moment()).kind;
    expect(told(accept('person', 2000))).toBe(may ? 'accept' : 'hold');
    expect(told(accept('person', 1999))).toBe('hold');
    expect(told(accept('person', 0))).toBe('hold');
    expect(told(accept('policy', 2000))).toBe('hold');
    expect(told(accept('fallback', 2000))).toBe('hold');
  });

  it('keeps the sum that may be paid twice', () => {
    const objects = objection();
    expect(verdictOn(standing({ objection: objects }), accept('person', 2000), moment())).toEqual({
      kind: 'accept',
      isChargedBack: false,
      despite: objects,
    });
  });

  it('of nothing: no sum is told by 0', () => {
    const objects = objection({ amountMinor: 0 });
    expect(verdictOn(standing({ objection: objects }), accept('person', 0), moment()).kind).toBe(
      'hold',
    );
  });

  it('a doubt about the network’s money stops policy and fallback, not a person', () => {
    expect(heard({ networkInDoubtMs: 7 }).accept).toEqual([
      'network_refund_unclear',
      'network_refund_unclear',
      'accept',
    ]);
    expect(heard({ acceptanceInDoubtMs: 7 }).accept).toEqual(all('accept'));
  });

  it('says whether the bank has taken it', () => {
    const taken = moment(found({ disputed: true, isChargedBack: true }));
    expect(verdictOn(standing(), accept('policy'), taken)).toEqual({
      kind: 'accept',
      isChargedBack: true,
      despite: null,
    });
  });
});

describe('a doubt that was known, and a refund', () => {
  it.each(['networkInDoubtMs', 'acceptanceInDoubtMs'] as const)('%s', (doubt) => {
    const reason = doubt === 'networkInDoubtMs' ? 'network_refund_unclear' : 'acceptance_unclear';
    const of = (by: Asker, decidedAtMs?: number) =>
      verdictOn(
        standing({ [doubt]: 1000 }),
        refund(by, decidedAtMs === undefined ? {} : { decidedAtMs }),
        moment(),
      );
    // Only who decided after it was known has looked.
    expect(of('person', 1001)).toEqual(WHOLE);
    expect(of('person', 1000)).toEqual(hold(reason));
    expect(of('person')).toEqual(hold(reason));
    expect(of('policy', 1001)).toEqual(hold(reason));
    expect(of('fallback', 1001)).toEqual(hold(reason));
  });
});

describe('a refund, by everything that speaks against it alone', () => {
  it.each<[Partial<Standing>, string, string, string]>([
    [{ amountMinor: null }, ...three('alert_amount_unreadable')],
    [{ amountMinor: 0 }, ...three('alert_amount_unreadable')],
    [{ currency: null }, ...three('alert_amount_unreadable')],
    [{ currency: 'eur' }, ...three('alert_amount_unreadable')],
    [{ isAccepted: true }, ...three('another_alert_accepted')],
    [{ isRefusedForGood: true }, 'refund_rejected', 'refund_rejected', 'refund'],
    [{ isInFlight: true }, ...three('refund_under_way')],
    [{ isForeign: true }, ...three('network_currency')],
    [{ isThroughAnother: true }, ...three('another_processor')],
    [{ isOlderUnnamed: true }, ...three('refund')],
    [{ outMinor: 2000, missingMinor: 3000 }, 'partly_refunded', 'partly_refunded', 'refund'],
    [{ roomMinor: 0 }, ...three('remainder_too_small')],
    [{ roomMinor: 4999 }, ...three('remainder_too_small')],
    [{ made: 'confirmed' }, ...three('refund')],
  ])('%j', (over, policy, fallback, person) => {
    expect(heard(over).refund).toEqual([policy, fallback, person]);
  });

  it('of an alert in another currency: by a person, or where the whole charge was named', () => {
    const given = standing({ currency: 'GBP', amountMinor: 4400 });
    const by = (intent: Intent) => verdictOn(given, intent, moment());
    expect(by(refund('policy'))).toEqual(hold('currency_differs'));
    expect(by(refund('policy', { named: 'alert_amount' }))).toEqual(hold('currency_differs'));
    expect(by(refund('policy', { named: 'whole_charge' }))).toEqual(WHOLE);
    expect(by(refund('policy', { amountMinor: 5000 }))).toEqual(WHOLE);
    expect(by(refund('policy', { amountMinor: 4999 }))).toEqual(hold('currency_differs'));
    expect(by(refund('policy', { amountMinor: 5000, named: 'full' }))).toEqual(
      hold('currency_differs'),
    );
    expect(by(refund('person'))).toEqual(WHOLE);
  });

  it('an amount that was named in another currency than the charge’s', () => {
    const of = (over: Partial<RefundIntent>) =>
      verdictOn(standing(), refund('person', over), moment());
    expect(of({ amountMinor: 5000, currency: 'GBP' })).toEqual(hold('currency_differs'));
    expect(of({ amountMinor: 5000, currency: 'EUR' })).toEqual(WHOLE);
    expect(of({ amountMinor: 5000, currency: null })).toEqual(WHOLE);
    // Without an amount nothing was named.
    expect(of({ amountMinor: null, currency: 'GBP' })).toEqual(WHOLE);
  });

  it('disputed at the processor: nobody; taken by the bank: accepted', () => {
    expect(heard({}, moment(found({ disputed: true }))).refund).toEqual(all('disputed'));
    const taken = moment(found({ disputed: true, isChargedBack: true }));
    expect(verdictOn(standing(), refund('policy'), taken)).toEqual({
      kind: 'accept',
      isChargedBack: true,
      despite: null,
    });
    // The bank's word without a dispute that stands is none.
    expect(verdictOn(standing(), refund('policy'), moment(found({ isChargedBack: true })))).toEqual(
      WHOLE,
    );
  });

  it.each(['declined', 'voided'] as const)('%s: nothing was taken', (status) => {
    expect(heard({}, moment(found({ status }))).refund).toEqual(all('declined'));
  });

  it('in the last minutes nobody sends', () => {
    expect(heard({}, moment(found(), { isTimeLeft: false })).refund).toEqual(all('too_late'));
  });
});

describe('how much', () => {
  /** An alert of 30.00 EUR about a charge of 50.00 EUR. */
  const part = { amountMinor: 3000, disputeMinor: 3000, missingMinor: 3000 };
  const sent = (over: Partial<Standing>, intent: Intent, now = moment()) =>
    verdictOn(standing({ ...part, ...over }), intent, now);
  const of = (amountMinor: number) => ({ kind: 'refund', amountMinor, disputeId: 'dsp_1' });

  it.each<[RefundIntent['named'], number | null, unknown]>([
    [undefined, null, hold('amount_differs')],
    [undefined, 3000, of(3000)],
    [undefined, 5000, hold('amount_differs')],
    ['alert_amount', 3000, of(3000)],
    ['alert_amount', null, of(3000)],
    ['full', 3000, hold('amount_differs')],
    ['remainder', 3000, hold('amount_differs')],
    ['whole_charge', 5000, hold('amount_differs')],
  ])('a policy that named %s, %s', (named, amountMinor, expected) => {
    const words = named === undefined ? {} : { named };
    expect(sent({}, refund('policy', { amountMinor, ...words }))).toEqual(expected);
  });

  it('a part with older money beside it: a person says what that was for', () => {
    const intent = { amountMinor: 3000, named: 'alert_amount' } as const;
    expect(sent({ isOlderUnnamed: true }, refund('policy', intent))).toEqual(
      hold('partly_refunded'),
    );
    expect(sent({ isOlderUnnamed: true }, refund('person', intent))).toEqual(of(3000));
  });

  it('a part of which something went back already', () => {
    const given = { outMinor: 1000, missingMinor: 2000, roomMinor: 4000 };
    expect(sent(given, refund('policy'))).toEqual(hold('partly_refunded'));
    expect(sent(given, refund('policy', { amountMinor: 3000, named: 'alert_amount' }))).toEqual(
      of(2000),
    );
    expect(sent(given, refund('person'))).toEqual(of(2000));
  });

  it('all of which something went back: the rest, unless the full amount was meant', () => {
    const given = standing({ outMinor: 2000, missingMinor: 3000, roomMinor: 3000 });
    const now = moment(found({ refundableMinor: 3000 }));
    const by = (over: Partial<RefundIntent>) => verdictOn(given, refund('policy', over), now);
    expect(by({ named: 'remainder', amountMinor: 3000 })).toEqual(of(3000));
    expect(by({ named: 'alert_amount', amountMinor: 3000 })).toEqual(of(3000));
    expect(by({ named: 'full', amountMinor: 3000 })).toEqual(hold('partly_refunded'));
    expect(by({ amountMinor: 3000 })).toEqual(of(3000));
    expect(by({ amountMinor: 5000 })).toEqual(hold('partly_refunded'));
    // More was named than is left: not in part.
    expect(by({ named: 'remainder', amountMinor: 3001 })).toEqual(hold('remainder_too_small'));
  });

  it('an alert above the charge: only by name', () => {
    const given = standing({ amountMinor: 5001 });
    const by = (intent: Intent) => verdictOn(given, intent, moment());
    expect(by(refund('policy', { named: 'full' }))).toEqual(hold('amount_differs'));
    expect(by(refund('policy', { named: 'alert_amount' }))).toEqual(hold('amount_differs'));
    expect(by(refund('policy', { named: 'whole_charge' }))).toEqual(WHOLE);
    expect(by(refund('person'))).toEqual(WHOLE);
  });

  it('at most what is missing, what the charge has room for, and what the processor has left', () => {
    const by = (over: Partial<Standing>, refundableMinor: number) =>
      sent(over, refund('person', { amountMinor: 2500 }), moment(found({ refundableMinor })));
    expect(by({}, 5000)).toEqual(of(2500));
    expect(by({ missingMinor: 2400 }, 5000)).toEqual(of(2400));
    expect(by({ roomMinor: 2300 }, 5000)).toEqual(of(2300));
    expect(by({}, 2200)).toEqual(of(2200));
    expect(by({}, 0)).toEqual(hold('remainder_too_small'));
  });

  it('a part at a processor that carries out more than there is: a person', () => {
    const intent = { amountMinor: 3000, named: 'alert_amount' } as const;
    const now = moment(found(), { refusesOverRefund: false });
    expect(sent({}, refund('policy', intent), now)).toEqual(hold('partial_needs_person'));
    expect(sent({}, refund('fallback', intent), now)).toEqual(hold('partial_needs_person'));
    expect(sent({}, refund('person', intent), now)).toEqual(of(3000));
    expect(verdictOn(standing(), refund('policy'), now)).toEqual(WHOLE);
  });

  it('what a person chose is carried out once', () => {
    const chosen = refund('person', { amountMinor: 1000 });
    expect(sent({ made: 'confirmed' }, chosen)).toEqual(hold('not_declarable'));
    expect(sent({ made: 'another_amount' }, chosen)).toEqual(hold('part_went_back'));
    expect(sent({ made: null }, chosen)).toEqual(of(1000));
    const bySum = refund('policy', { amountMinor: 3000, named: 'alert_amount' });
    expect(sent({ made: 'confirmed' }, bySum)).toEqual(of(3000));
    expect(sent({ made: 'confirmed' }, refund('person'))).toEqual(of(3000));
  });
});

describe('an authorisation', () => {
  const now = moment(found({ status: 'authorised' }));
  const of = (over: Partial<Standing>, intent: Intent) =>
    verdictOn(standing({ capturedMinor: 0, ...over }), intent, now);
  const VOID = { kind: 'void', disputeId: 'dsp_1' };

  it('of an alert about less, or of no readable amount', () => {
    expect(of({ amountMinor: 4999 }, refund('policy'))).toEqual(hold('amount_differs'));
    expect(of({ amountMinor: 5000 }, refund('policy'))).toEqual(VOID);
    expect(of({ amountMinor: 5000 }, refund('policy', { amountMinor: 4999 }))).toEqual(
      hold('amount_differs'),
    );
    expect(of({ amountMinor: 5000 }, refund('policy', { amountMinor: 5000 }))).toEqual(VOID);
  });

  it('in another currency', () => {
    expect(of({ currency: 'GBP' }, refund('policy'))).toEqual(hold('currency_differs'));
    expect(of({ currency: 'GBP' }, refund('person'))).toEqual(VOID);
    expect(of({ currency: 'GBP', amountMinor: 1 }, refund('person'))).toEqual(VOID);
    expect(of({ currency: 'GBP' }, refund('policy', { named: 'whole_charge' }))).toEqual(VOID);
  });

  it('is not asked what only a captured charge is asked', () => {
    const given = { pendingMinor: 5000, outMinor: 5000, isForeign: true, roomMinor: 0 };
    expect(of(given, refund('person', { amountMinor: 5000 }))).toEqual(VOID);
    expect(of({ made: 'confirmed' }, refund('person', { amountMinor: 5000 }))).toEqual(VOID);
  });

  it('goes to another processor as little as a refund', () => {
    expect(of({ isThroughAnother: true }, refund('person'))).toEqual(hold('another_processor'));
  });
});

describe('every reason at once', () => {
  it('is told in the order of the table', () => {
    const given = standing({
      isUnclear: true,
      isReversed: true,
      isAccepted: true,
      isInFlight: true,
    });
    expect(reasonsOn(given, refund('policy'), moment(found(), { isTimeLeft: false }))).toEqual([
      'dispute_unclear',
      'refund_reversed',
      'another_alert_accepted',
      'refund_under_way',
      'too_late',
    ]);
    expect(reasonsOn(given, look('policy'), moment())).toEqual([
      'dispute_unclear',
      'refund_reversed',
    ]);
    expect(reasonsOn(standing(), refund('policy'), moment())).toEqual([]);
  });

  it('ends where the bank has taken it: what follows is not looked at', () => {
    const taken = moment(found({ disputed: true, isChargedBack: true }), { isTimeLeft: false });
    expect(reasonsOn(standing({ isAccepted: true }), refund('policy'), taken)).toEqual([
      'another_alert_accepted',
    ]);
  });
});

describe('what the table looks at', () => {
  const claim = { alertId: 'netalrt_1', disputeId: 'dsp_1', amountMinor: 5000, currency: 'EUR' };
  const asked = { pendingCounts: false, samePart: 'REVIEW' } as const;
  const one = disputeOfId('dsp_1', { alerts: [alertOf()] });

  function of(
    movements: readonly Movement[],
    over: Partial<Ledger> = {},
    how: Partial<Parameters<typeof standingOf>[2]> = {},
  ): Standing {
    const ledger = ledgerOf({ movements, disputes: [one], ...over });
    return standingOf(ledger, claim, { ...asked, ...how });
  }

  it('of a charge of which nothing went back', () => {
    expect(of([])).toEqual(standing());
  });

  it('of an alert in no dispute: no sum of one', () => {
    const ledger = ledgerOf({ unplaced: [alertOf()] });
    expect(standingOf(ledger, { ...claim, disputeId: null }, asked)).toEqual(
      standing({ disputeId: null, disputeMinor: 0, missingMinor: 0, isUnclear: false }),
    );
  });

  it('of a part of ours that is confirmed, and somebody else’s that is pending', () => {
    const covers = [{ disputeId: 'dsp_1', amountMinor: 700 }];
    const movements = [
      oursOf('dsp_1', { id: 'mv_own', amountMinor: 2000 }),
      movementOf({ id: 'mv_else', state: 'PENDING', amountMinor: 700, covers }),
    ];
    expect(of(movements)).toEqual(
      standing({
        outMinor: 2700,
        pendingMinor: 700,
        missingMinor: 2300,
        roomMinor: 2300,
        objection: {
          kind: 'others_pending',
          amountMinor: 2700,
          currency: 'EUR',
          movementId: 'mv_else',
        },
      }),
    );
  });

  it.each([
    ['SENT', true],
    ['UNKNOWN', true],
    ['HUMAN', true],
    ['PENDING', false],
  ] as const)('of ours that is %s: under way; in flight: %s', (state, isInFlight) => {
    const found = of([oursOf('dsp_1', { id: 'mv_own', state })]);
    expect(found).toMatchObject({ underWay: { id: 'mv_own', reaches: true }, isInFlight });
  });

  it.each<[string, Partial<Movement>, Partial<Ledger>, boolean]>([
    ['a cent short', { amountMinor: 4999 }, {}, false],
    ['all', { amountMinor: 5000 }, {}, true],
    ['a release, of whatever amount', { kind: 'void', amountMinor: 0, covers: [] }, {}, true],
    ['the charge’s currency is another one', {}, { currency: 'GBP' }, false],
    ['the charge’s currency is not known', {}, { currency: null }, true],
  ])('whether what is under way reaches the alert: %s', (_name, over, ledger, reaches) => {
    const movements = [oursOf('dsp_1', { id: 'mv_own', state: 'SENT', ...over })];
    expect(of(movements, ledger).underWay).toEqual({ id: 'mv_own', reaches });
  });

  it('what is under way for no dispute reaches nothing, nor an alert without an amount', () => {
    const movements = [oursOf('dsp_1', { id: 'mv_own', state: 'SENT', disputeId: null })];
    const ledger = ledgerOf({ movements, disputes: [one] });
    expect(standingOf(ledger, { ...claim, disputeId: null }, asked).underWay).toEqual({
      id: 'mv_own',
      reaches: false,
    });
    const sent = ledgerOf({
      movements: [oursOf('dsp_1', { id: 'mv_own', state: 'SENT' })],
      disputes: [one],
    });
    expect(standingOf(sent, { ...claim, amountMinor: null }, asked).underWay).toEqual({
      id: 'mv_own',
      reaches: false,
    });
  });

  it('the last of ours decides about a reversal, unless all is back; any about a refusal for good', () => {
    const reversed = oursOf('dsp_1', { id: 'mv_a', state: 'REVERSED' });
    const refused = oursOf('dsp_1', { id: 'mv_b', state: 'REJECTED', failureClass: 'final' });
    const later = oursOf('dsp_1', { id: 'mv_c', state: 'REJECTED', failureClass: 'retry' });
    expect(of([reversed]).isReversed).toBe(true);
    expect(of([reversed, refused])).toMatchObject({ isReversed: false, isRefusedForGood: true });
    expect(of([refused, later]).isRefusedForGood).toBe(false);
    expect(of([refused, reversed])).toMatchObject({ isReversed: true, isRefusedForGood: true });
    const back = movementOf({ id: 'mv_d' });
    expect(of([back, reversed])).toMatchObject({ isCovered: true, isReversed: false });
    // Those of another dispute, and somebody else's, say nothing of this one.
    expect(of([oursOf('dsp_0', { state: 'REVERSED' })]).isReversed).toBe(false);
    expect(of([movementOf({ state: 'REVERSED', disputeId: 'dsp_1' })]).isReversed).toBe(false);
  });

  it('which movement the decision in force has made, and how it ended', () => {
    const confirmed = oursOf('dsp_1', { id: 'mv_a', amountMinor: 1000 });
    const other = oursOf('dsp_1', {
      id: 'mv_b',
      state: 'REJECTED',
      failureCode: 'another_amount',
    });
    const sent = oursOf('dsp_1', { id: 'mv_c', state: 'SENT' });
    const movements = [confirmed, other, sent];
    const made = (movementId: string | null) => of(movements, {}, { movementId }).made;
    expect(made('mv_a')).toBe('confirmed');
    expect(made('mv_b')).toBe('another_amount');
    expect(made('mv_c')).toBeNull();
    expect(made('mv_x')).toBeNull();
    expect(made(null)).toBeNull();
    expect(
      of([oursOf('dsp_1', { id: 'mv_d', state: 'REJECTED' })], {}, { movementId: 'mv_d' }).made,
    ).toBeNull();
  });

  it('through which processor money went: only where it is asked, and money may be out', () => {
    const away = [oursOf('dsp_0', { amountMinor: 1000, processor: 'old.example' })];
    expect(of(away, {}, { processor: 'new.example' }).isThroughAnother).toBe(true);
    expect(of(away, {}, { processor: 'old.example' }).isThroughAnother).toBe(false);
    expect(of(away).isThroughAnother).toBe(false);
    const unkept = [oursOf('dsp_0', { amountMinor: 1000, processor: null })];
    expect(of(unkept, {}, { processor: 'new.example' }).isThroughAnother).toBe(false);
    const refused = [oursOf('dsp_0', { state: 'REJECTED', processor: 'old.example' })];
    expect(of(refused, {}, { processor: 'new.example' }).isThroughAnother).toBe(false);
  });

  it('pending is what others have under way for this complaint: not ours, not what is through, not another’s', () => {
    const covered = (id: string, amountMinor: number, over: Partial<Movement>): Movement =>
      movementOf({ id, amountMinor, covers: [{ disputeId: 'dsp_1', amountMinor }], ...over });
    const movements = [
      oursOf('dsp_1', { id: 'mv_a', amountMinor: 1000, state: 'PENDING' }),
      covered('mv_b', 500, {}),
      covered('mv_c', 700, { state: 'PENDING' }),
      movementOf({
        id: 'mv_d',
        state: 'PENDING',
        amountMinor: 300,
        covers: [{ disputeId: 'dsp_0', amountMinor: 300 }],
      }),
    ];
    expect(of(movements)).toMatchObject({ pendingMinor: 700, outMinor: 2200, missingMinor: 2800 });
  });

  it('the same part again on one network: nobody knows which complaint', () => {
    const first = alertOf({ alertId: 'netalrt_0', amountMinor: 2000 });
    const again = alertOf({ alertId: 'netalrt_1', amountMinor: 2000 });
    const ledger = ledgerOf({
      disputes: [disputeOfId('dsp_0', { amountMinor: 2000, alerts: [first] })],
      unplaced: [again],
    });
    const unplaced = { ...claim, disputeId: null, amountMinor: 2000 };
    expect(standingOf(ledger, unplaced, asked).isUnclear).toBe(true);
    const { alertId: _nobody, ...ofNobody } = unplaced;
    expect(standingOf(ledger, ofNobody, asked).isUnclear).toBe(false);
  });

  it('doubts, since when they are known', () => {
    const doubts = {
      networkInDoubt: { alertId: 'netalrt_n', knownAtMs: 3 },
      acceptanceInDoubt: { alertId: 'netalrt_m', knownAtMs: 4 },
    };
    expect(of([], doubts)).toEqual(standing({ networkInDoubtMs: 3, acceptanceInDoubtMs: 4 }));
  });
});

describe('the charge as it is shown', () => {
  it('now', () => {
    expect(shownNow(undefined)).toEqual({ kind: 'absent' });
    expect(shownNow(undefined, true)).toEqual({ kind: 'absent' });
    expect(shownNow(undefined, false)).toEqual({ kind: 'not_offered' });
    expect(shownNow(chargeOf({ refundableMinor: 4000 }))).toEqual(found({ refundableMinor: 4000 }));
    expect(shownNow(chargeOf({ disputed: true, refundableMinor: 0 }))).toEqual(
      found({ disputed: true, refundableMinor: 0, isChargedBack: true }),
    );
  });

  it('last: nothing while its state, amount or currency is not known', () => {
    expect(shownLast(ledgerOf({ status: null }))).toBeUndefined();
    expect(shownLast(ledgerOf({ amountMinor: null }))).toBeUndefined();
    expect(shownLast(ledgerOf({ currency: null }))).toBeUndefined();
  });

  it('last: with the room that is left', () => {
    const movements = [oursOf('dsp_1', { amountMinor: 1200 })];
    expect(shownLast(ledgerOf({ movements }))).toEqual(found({ refundableMinor: 3800 }));
  });

  it('last: taken by the bank only where a dispute stands and its money is through', () => {
    const taken = (state: Movement['state'], isDisputed: boolean | null, kind: Movement['kind']) =>
      shownLast(
        ledgerOf({ isDisputed, movements: [movementOf({ kind, state, amountMinor: 5000 })] }),
      );
    expect(taken('CONFIRMED', true, 'chargeback')).toEqual(
      found({ disputed: true, isChargedBack: true, refundableMinor: 0 }),
    );
    expect(taken('REVERSED', true, 'chargeback')).toMatchObject({ isChargedBack: false });
    expect(taken('CONFIRMED', false, 'chargeback')).toMatchObject({
      disputed: false,
      isChargedBack: false,
    });
    expect(taken('CONFIRMED', null, 'chargeback')).toMatchObject({
      disputed: false,
      isChargedBack: false,
    });
    expect(taken('CONFIRMED', true, 'external')).toMatchObject({ isChargedBack: false });
  });
});

function three(reason: string): [string, string, string] {
  return [reason, reason, reason];
}
