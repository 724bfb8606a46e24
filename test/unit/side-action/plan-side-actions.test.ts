/**
 * Guarantee: a subscription is cancelled on fraud and cancellation alerts whatever is decided, and what a
 * rule wants besides its answer happens when it should and not before.
 */
import { describe, expect, it } from 'vitest';
import type {
  DecidedSideActions,
  SideActionFacts,
} from '../../../src/alerts/side-action/plan-side-actions.ts';
import { planSideActions } from '../../../src/alerts/side-action/plan-side-actions.ts';

const FACTS: SideActionFacts = {
  alertId: 'netalrt_1',
  enrolmentType: 'NETA_ALERT',
  reasonCode: '10.4',
  decisions: [],
  charge: 'ch_1',
  subscribed: false,
  subscription: null,
  order: 'order-1',
  customer: ['account_x', 'email_y'],
  cancelSubscriptions: 'fraud_and_cancellation',
};

const ALL = [
  { kind: 'cancel_subscription' },
  { kind: 'stop_fulfilment' },
  { kind: 'block_customer' },
  { kind: 'notify', text: 'Look at this.' },
] as const;

function decided(decision: Partial<DecidedSideActions> = {}): DecidedSideActions {
  return {
    action: 'REFUND',
    byOperator: false,
    guarded: false,
    sentence: 'Refund.',
    wanted: ALL,
    ...decision,
  };
}

function kinds(facts: Partial<SideActionFacts>): string[] {
  return planSideActions({ ...FACTS, ...facts }).map(({ kind, cause }) => `${kind} ${cause}`);
}

describe('beside a claim of our own', () => {
  it.each(['FRAUD_WARNING', 'WITHDRAWAL', 'SUPPORT'])(
    '%s: what the policy names, and no more',
    (enrolmentType) => {
      const claim = { enrolmentType, reasonCode: null, subscribed: true };
      expect(kinds(claim)).toEqual([]);
      expect(
        kinds({ ...claim, decisions: [decided({ wanted: [{ kind: 'stop_fulfilment' }] })] }),
      ).toEqual(['stop_fulfilment policy']);
    },
  );
});

describe('what is done by itself', () => {
  it.each([
    ['Visa fraud', '10.4', true],
    ['Mastercard fraud', '4837', true],
    ['Visa cancelled recurring', '13.2', true],
    ['Visa cancelled merchandise', '13.7', true],
    ['Mastercard recurring', '4841', true],
    ['no code', null, true],
    ['a code nobody knows', 'ZZ', true],
    ['Visa not received', '13.1', false],
    ['Visa processing', '12.5', false],
    ['Mastercard duplicate', '4834', false],
  ])('%s', (_name, reasonCode, cancels) => {
    const planned = kinds({ subscribed: true, reasonCode });
    expect(planned).toEqual(cancels ? ['cancel_subscription alert'] : []);
  });

  it('follows the setting, and needs a subscription', () => {
    const subscribed = true;
    expect(kinds({ subscribed, reasonCode: '13.1', cancelSubscriptions: 'always' })).toEqual([
      'cancel_subscription alert',
    ]);
    expect(kinds({ subscribed, cancelSubscriptions: 'never' })).toEqual([]);
    expect(kinds({})).toEqual([]);
  });

  it('also when the network resolved the alert, without any decision', () => {
    expect(kinds({ subscribed: true, enrolmentType: 'NETB_RDR' })).toEqual([
      'cancel_subscription network',
    ]);
  });
});

describe('what a rule wants besides its answer', () => {
  const none = { reasonCode: '13.1', subscribed: true };

  it.each<[string, DecidedSideActions[], string[]]>([
    [
      'with a refund: all of it',
      [decided()],
      ['cancel_subscription', 'stop_fulfilment', 'block_customer', 'notify'],
    ],
    [
      'with an acceptance: all of it',
      [decided({ action: 'ACCEPT_DISPUTE' })],
      ['cancel_subscription', 'stop_fulfilment', 'block_customer', 'notify'],
    ],
    [
      'while a person decides: what cannot wait',
      [decided({ action: 'REVIEW' })],
      ['stop_fulfilment', 'notify'],
    ],
    [
      'when a guard held it: only the message',
      [decided({ action: 'REVIEW', guarded: true })],
      ['notify'],
    ],
    [
      'once a person answered: the rest',
      [decided({ action: 'REVIEW' }), decided({ byOperator: true, wanted: [] })],
      ['cancel_subscription', 'stop_fulfilment', 'block_customer', 'notify'],
    ],
    ['nothing wanted', [decided({ wanted: [] })], []],
  ])('%s', (_name, decisions, expected) => {
    expect(planSideActions({ ...FACTS, ...none, decisions }).map(({ kind }) => kind)).toEqual(
      expected,
    );
  });

  it('is done to nothing that is not known', () => {
    const facts = {
      ...none,
      subscribed: false,
      order: null,
      customer: [],
      decisions: [decided()],
    };
    expect(kinds(facts)).toEqual(['notify policy']);
  });

  it('is planned once, the rule named before what happens by itself', () => {
    const facts = { subscribed: true, decisions: [decided(), decided()] };
    expect(kinds(facts)).toEqual([
      'cancel_subscription policy',
      'stop_fulfilment policy',
      'block_customer policy',
      'notify policy',
    ]);
  });

  it('tells the decision’s sentence when the rule has no words of its own', () => {
    const wanted = [{ kind: 'notify', text: null }] as const;
    const [planned] = planSideActions({ ...FACTS, decisions: [decided({ wanted })] });
    expect(planned).toMatchObject({ subject: 'netalrt_1', detail: { text: 'Refund.' } });
  });
});
