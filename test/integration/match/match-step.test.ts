/** Guarantee: a new alert is matched from our orders and the processor's search, RDR is only booked, and a late order wakes what waits for it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { moveCase, replanCase } from '../../../src/alerts/cases/case.store.ts';
import type { CaseStep } from '../../../src/alerts/cases/case-runner.ts';
import type { AlertFacts } from '../../../src/alerts/match/alert-facts.ts';
import {
  findCandidateCharges,
  findWeakCandidates,
} from '../../../src/alerts/match/candidate.store.ts';
import { findMatch } from '../../../src/alerts/match/match.store.ts';
import { DEFAULT_MATCH_SETTINGS } from '../../../src/alerts/match/match-settings.ts';
import { findCharge, recordCharges } from '../../../src/orders/charge.store.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ARN, alertFacts, chargeRecord } from '../../unit/match/fixtures.ts';
import type { World } from './world.ts';
import { createWorld, DEADLINE, NOW, ORG } from './world.ts';

let database: TestDatabase;
let world: World;

beforeAll(async () => {
  database = await createTestDatabase();
  world = createWorld(database);
});
beforeEach(() => world.clear());
afterAll(() => database.drop());

/** Runs the match step only; other states stay as they are. */
async function match(alertId: string) {
  const claim = await world.caseOf(alertId);
  await world.matchStep(claim, AbortSignal.timeout(5_000));
  const row = await world.caseOf(alertId);
  const stored =
    row.match_id === null
      ? undefined
      : await findMatch(world.db, row.organisation_id, row.match_id);
  return { row, stored };
}

describe('the step of RECEIVED', () => {
  test('one charge of our own orders: MATCHED, due at once, with evidence', async () => {
    await world.learn({});
    await world.openAlert('netalrt_1');
    const { row, stored } = await match('netalrt_1');
    expect(row).toMatchObject({
      state: 'MATCHED',
      charge_reference: 'ch_1',
      next_action_at: new Date(NOW),
    });
    expect(stored).toMatchObject({
      outcome: 'single',
      charge_reference: 'ch_1',
      tier: 'card_and_amount',
      matched_by: 'matcher',
    });
    expect(stored?.evidence).toMatchObject({
      search: 'memory was asked and showed 0 charges',
      margin: null,
    });
    expect(world.processor.effects).toEqual([]);
  });

  test('a charge only the processor knows is found and remembered', async () => {
    world.processor.add({ acquirerReferenceNumber: ARN });
    await world.openAlert('netalrt_1', { acquirer_reference_number: ARN });
    const { row, stored } = await match('netalrt_1');
    expect(row).toMatchObject({ state: 'MATCHED', charge_reference: 'ch_1' });
    expect(stored?.tier).toBe('arn');
    expect(await findCharge(world.db, ORG, 'ch_1')).toMatchObject({
      source: 'processor',
      orderReference: 'order-1',
    });
    // Beyond doubt: no other key is asked by.
    expect(world.processor.searches).toEqual([{ acquirerReferenceNumber: ARN }]);
  });

  const BY_CARD = {
    cardBin: '411111',
    cardLast4: '1111',
    amountMinor: 2990,
    currency: 'USD',
    authorisedFrom: '2026-03-07T00:00:00.000Z',
    authorisedTo: '2026-03-13T23:59:59.999Z',
  };

  test.each([
    ['finds none', []],
    ['finds one of another amount', [{ acquirerReferenceNumber: ARN, amountMinor: 1_000 }]],
    ['finds one of another card', [{ acquirerReferenceNumber: ARN, cardLast4: '2222' }]],
    [
      'finds two',
      [{ acquirerReferenceNumber: ARN }, { reference: 'ch_2', acquirerReferenceNumber: ARN }],
    ],
  ])('where the ARN %s, the card is asked by as well', async (_title, charges) => {
    for (const charge of charges) world.processor.add(charge);
    await world.openAlert('netalrt_1', { acquirer_reference_number: ARN });
    await match('netalrt_1');
    expect(world.processor.searches).toContainEqual({ acquirerReferenceNumber: ARN });
    expect(world.processor.searches).toContainEqual(BY_CARD);
  });

  test('where the card shows a charge that the ARN did not, both are seen', async () => {
    world.processor.add({ reference: 'ch_2' });
    await world.openAlert('netalrt_1', { acquirer_reference_number: ARN });
    const { row, stored } = await match('netalrt_1');
    expect(row).toMatchObject({ state: 'MATCHED', charge_reference: 'ch_2' });
    expect(stored?.tier).toBe('card_and_amount');
  });

  test('the same charge from both is one; a second one at the processor makes it several', async () => {
    await world.learn({});
    world.processor.add();
    await world.openAlert('netalrt_1');
    expect((await match('netalrt_1')).row.state).toBe('MATCHED');
    world.processor.add({ reference: 'ch_2' });
    await world.openAlert('netalrt_2');
    const { row, stored } = await match('netalrt_2');
    expect(row).toMatchObject({ state: 'AMBIGUOUS', charge_reference: null });
    expect(stored?.candidates).toMatchObject([
      { reference: 'ch_1', sources: ['order', 'processor'] },
      { reference: 'ch_2', sources: ['processor'] },
    ]);
  });

  test("the service's own reference needs no search", async () => {
    await world.learn({}, { reference: 'ch_2' });
    await world.openAlert('netalrt_1', { integration_transaction_id: 'ch_2' });
    expect((await match('netalrt_1')).row).toMatchObject({
      state: 'MATCHED',
      charge_reference: 'ch_2',
    });
    expect(world.processor.searches).toEqual([]);
  });

  test.each([
    ['not_offered' as const, {}, 'memory offers no search'],
    // Stronger keys than card and amount do not need the search's word.
    ['down' as const, { authorisation_code: 'A1B2C3' }, 'memory could not be asked: timeout'],
  ])('a search that is %s is tolerated and said', async (search, over, text) => {
    world.processor.search = search;
    await world.learn({ authorisationCode: 'A1B2C3' });
    await world.openAlert('netalrt_1', over);
    const { row, stored } = await match('netalrt_1');
    expect(row.state).toBe('MATCHED');
    expect(stored?.evidence).toMatchObject({ search: text });
  });

  test('card and amount alone name nothing while the search is down: a twin may lie there', async () => {
    await world.learn({});
    world.processor.add();
    world.processor.add({ reference: 'ch_twin' });
    world.processor.search = 'down';
    await world.openAlert('netalrt_1');
    // It waits a little, six times, before it is called unmatched.
    for (let attempt = 1; attempt <= 6; attempt++) {
      const { row } = await match('netalrt_1');
      expect(row).toMatchObject({ state: 'RECEIVED', attempts: attempt, match_id: null });
      const waitMs = (row.next_action_at?.getTime() ?? 0) - world.clock.nowMs();
      expect(waitMs).toBeLessThanOrEqual(60_000);
    }
    const { row, stored } = await match('netalrt_1');
    expect(row).toMatchObject({ state: 'UNMATCHED', charge_reference: null });
    expect(stored).toMatchObject({
      outcome: 'none',
      tier: null,
      candidates: [{ reference: 'ch_1' }],
      evidence: {
        sentence:
          'Charge ch_1 agrees in card and amount, but the processor could not be asked whether another does.',
        search: 'memory could not be asked: timeout',
      },
    });
  });

  test('and when the search is back in time, its twin is seen', async () => {
    await world.learn({});
    world.processor.add();
    world.processor.add({ reference: 'ch_twin' });
    world.processor.search = 'down';
    await world.openAlert('netalrt_1');
    expect((await match('netalrt_1')).row.state).toBe('RECEIVED');
    world.processor.search = 'offered';
    expect((await match('netalrt_1')).row.state).toBe('AMBIGUOUS');
  });

  test('no identifiers at all: UNMATCHED, and nobody is asked (F24)', async () => {
    await world.learn({});
    await world.openAlert('netalrt_1', {
      card_bin: null,
      card_last4: null,
      card_scheme: null,
      amount_minor: null,
      authorised_at: null,
    });
    const { row, stored } = await match('netalrt_1');
    expect(row).toMatchObject({ state: 'UNMATCHED', charge_reference: null });
    expect(stored).toMatchObject({ outcome: 'none', evidence: { search: 'nothing to search by' } });
    expect(world.processor.searches).toEqual([]);
  });

  test.each([
    ['RESOLVED', 'CLOSED_REMOTE'],
    ['INVALID', 'CLOSED_INVALID'],
  ])('an alert that is %s ends as %s, unmatched and unasked', async (status, state) => {
    await world.openAlert('netalrt_1', { status });
    const { row } = await match('netalrt_1');
    expect(row).toMatchObject({ state, match_id: null, next_action_at: null });
    expect(world.processor.searches).toEqual([]);
  });

  test('an unknown status goes to a person with an alarm (F22)', async () => {
    await world.learn({});
    await world.openAlert('netalrt_1', { status: 'ESCALATED' });
    const { row } = await match('netalrt_1');
    expect(row).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'alert_status_unknown',
      fallback_action: null,
      next_action_at: new Date(DEADLINE),
    });
    const [message] = await world.db.selectFrom('notification').selectAll().execute();
    expect(message).toMatchObject({ severity: 'error', alert_id: 'netalrt_1' });
  });
});

describe('RDR (F72): matched and booked, never refunded, never asked for more than a search', () => {
  test('on its charge, so that no other alert refunds it', async () => {
    world.processor.add();
    await world.openAlert('netalrt_1', {
      enrolment_type: 'NETB_RDR',
      status: 'RESOLVED',
      refund_outcome: 'REFUNDED',
    });
    const { row, stored } = await match('netalrt_1');
    expect(row).toMatchObject({ state: 'RECONCILED_RDR', charge_reference: 'ch_1' });
    expect(stored?.outcome).toBe('single');
    const movements = await world.db.selectFrom('movement').selectAll().execute();
    expect(movements).toMatchObject([
      {
        charge_reference: 'ch_1',
        kind: 'network',
        state: 'CONFIRMED',
        amount_minor: 2990,
        currency: 'USD',
        observed_from: 'netalrt_1',
        next_action_at: null,
      },
    ]);
    expect([world.processor.effects, world.processor.reads]).toEqual([[], []]);
  });

  test('without a charge it is reconciled all the same, and its money waits for one (L8)', async () => {
    await world.openAlert('netalrt_1', {
      enrolment_type: 'NETB_RDR',
      status: 'RESOLVED',
      refund_outcome: 'REFUNDED',
    });
    expect((await match('netalrt_1')).row).toMatchObject({
      state: 'RECONCILED_RDR',
      charge_reference: null,
    });
    const movements = await world.db.selectFrom('movement').selectAll().execute();
    expect(movements).toMatchObject([
      {
        charge_reference: null,
        kind: 'network',
        state: 'CONFIRMED',
        amount_minor: 2990,
        // Looked for again every hour.
        next_action_at: new Date('2026-03-11T13:00:00Z'),
      },
    ]);
  });

  test('INVALID outranks the outcome: nothing is booked', async () => {
    world.processor.add();
    await world.openAlert('netalrt_1', {
      enrolment_type: 'NETB_RDR',
      status: 'INVALID',
      refund_outcome: 'REFUNDED',
    });
    expect((await match('netalrt_1')).row.state).toBe('CLOSED_INVALID');
    expect(await world.db.selectFrom('movement').selectAll().execute()).toEqual([]);
  });
});

describe('late orders', () => {
  const hold = (hold_reason: string) =>
    world.db
      .updateTable('alert_case')
      .set({ state: 'HUMAN', hold_reason, next_action_at: DEADLINE })
      .execute();

  test.each<[string, Parameters<World['openAlert']>[1], Parameters<World['learn']>[0], number]>([
    ['the reference', { integration_transaction_id: 'ch_1', card_last4: null }, {}, 1],
    [
      'the ARN',
      { acquirer_reference_number: ARN, card_last4: null },
      { acquirerReferenceNumber: ARN },
      1,
    ],
    [
      'code and last 4',
      { authorisation_code: 'ab12cd', amount_minor: 1 },
      { authorisationCode: 'AB12CD' },
      1,
    ],
    ['last 4, amount and currency', {}, {}, 1],
    ['a part of the charge, on the same card', {}, { amountMinor: 5000 }, 1],
    ['more than the charge', {}, { amountMinor: 1 }, 0],
    ['another currency, on the same card', {}, { currency: 'EUR', amountMinor: 1 }, 1],
    ['the same amount on other card digits', {}, { cardLast4: '2222' }, 1],
    ['another amount on other card digits', {}, { cardLast4: '2222', amountMinor: 5000 }, 0],
    [
      'a part of a charge nine days later',
      {},
      { amountMinor: 5000, authorisedAt: '2026-03-19T00:00:00Z' },
      0,
    ],
    [
      'an ARN that is none',
      { acquirer_reference_number: 'X', card_last4: null },
      { acquirerReferenceNumber: 'X', amountMinor: 1 },
      0,
    ],
  ])('%s', async (_name, alert, charge, woken) => {
    await world.openAlert('netalrt_1', alert);
    await hold('no_charge');
    expect(await world.learn(charge)).toBe(woken);
    const { next_action_at } = await world.caseOf('netalrt_1');
    expect(next_action_at).toEqual(new Date(woken === 1 ? NOW : DEADLINE));
  });

  test('only those that wait for a charge are woken', async () => {
    await world.openAlert('netalrt_1');
    await hold('disputed');
    expect(await world.learn({})).toBe(0);
  });

  test('a case that is due already stays in its place', async () => {
    await world.openAlert('netalrt_1');
    await hold('no_charge');
    expect(await world.learn({})).toBe(1);
    world.clock.advanceMs(1_000);
    expect(await world.learn({ reference: 'ch_2' })).toBe(0);
    expect((await world.caseOf('netalrt_1')).next_action_at).toEqual(new Date(NOW));
  });

  describe('where charges of one price come in all the time', () => {
    /** A case held a minute after it was opened. */
    const heldAt = async (hold_reason: string, after: string) => {
      await world.openAlert('netalrt_1', { acquirer_reference_number: ARN });
      await hold(hold_reason);
      await world.db.updateTable('alert_case').set({ opened_at: NOW, changed_at: after }).execute();
      world.clock.setMs(Date.parse(after) + 1_000);
    };
    const nextLook = async () => (await world.caseOf('netalrt_1')).next_action_at?.toISOString();

    test.each<[string, string, Parameters<World['learn']>[0], string]>([
      // Looked at when it was a minute old: four minutes later.
      ['no_charge', '12:01:00', { cardLast4: '2222' }, '12:05:00'],
      ['no_charge', '12:01:00', { amountMinor: 5000 }, '12:05:00'],
      // Ten minutes at most.
      ['no_charge', '15:00:00', { cardLast4: '2222' }, '15:10:00'],
      // One more of the same card and amount settles nothing where there are several.
      ['several_charges', '12:01:00', {}, '12:05:00'],
      ['search_unanswered', '12:01:00', { cardLast4: '2222' }, '12:05:00'],
      // What could be the one charge is looked at at once.
      ['no_charge', '12:01:00', {}, '12:01:01'],
      ['no_charge', '12:01:00', { cardLast4: '2222', acquirerReferenceNumber: ARN }, '12:01:01'],
      ['several_charges', '12:01:00', { acquirerReferenceNumber: ARN }, '12:01:01'],
    ])('a case held for %s, looked at %s, and a charge of %j: at %s', async (...given) => {
      const [reason, after, charge, next] = given;
      await heldAt(reason, `2026-03-11T${after}.000Z`);
      await world.learn(charge);
      expect(await nextLook()).toBe(`2026-03-11T${next}.000Z`);
    });

    test('the look that is planned anyway comes no later', async () => {
      await heldAt('no_charge', '2026-03-11T15:00:00.000Z');
      const planned = '2026-03-11T15:00:30.000Z';
      await world.db.updateTable('alert_case').set({ next_action_at: planned }).execute();
      expect(await world.learn({ cardLast4: '2222' })).toBe(0);
      expect(await nextLook()).toBe(planned);
    });

    test('looks do not grow with the charges', async () => {
      for (let place = 0; place < 10; place++) await world.openAlert(`netalrt_${place}`);
      let looks = 0;
      const look: CaseStep = async (claim) => {
        looks += 1;
        const nextActionAt = new Date(DEADLINE);
        await moveCase(world.db, claim, {
          to: 'HUMAN',
          now: world.now(),
          nextActionAt,
          what: 'held',
          set: { hold_reason: 'no_charge' },
        });
      };
      await world.run({ RECEIVED: look });
      for (let second = 0; second < 60; second++) {
        world.clock.advanceMs(1_000);
        await world.learn({ reference: `ch_${second}`, cardLast4: '2222' });
        await world.run({ HUMAN: look });
      }
      // When they are opened, a second old, five seconds, and twenty-five: not sixty times.
      expect(looks).toBe(10 * 4);
    });
  });

  test('what was known already wakes nobody', async () => {
    await world.learn({});
    await world.openAlert('netalrt_1');
    await hold('no_charge');
    expect(await world.learn({})).toBe(0);
    expect(await world.learn({ authorisationCode: 'AB12CD' })).toBe(1);
  });

  test('a charge that the processor shows for one alert wakes another that waits for it', async () => {
    await world.openAlert('netalrt_1', { authorisation_code: 'AB12CD', amount_minor: 2900 });
    await hold('no_charge');
    world.processor.add({ acquirerReferenceNumber: ARN, authorisationCode: 'AB12CD' });
    await world.openAlert('netalrt_2', { acquirer_reference_number: ARN });
    expect((await match('netalrt_2')).row.state).toBe('MATCHED');
    expect((await world.caseOf('netalrt_1')).next_action_at).toEqual(new Date(NOW));
  });

  test('other candidates of the same outcome are kept for a person, and the claim continues', async () => {
    await world.openAlert('netalrt_1');
    await match('netalrt_1');
    await hold('no_charge');
    await world.learn({ amountMinor: 5000 });
    const claim = await world.caseOf('netalrt_1');
    const look = () => world.rematch(claim, AbortSignal.timeout(5_000));
    expect((await look()).claim).toBe(claim);
    const shown = await world.caseOf('netalrt_1');
    expect(shown).toMatchObject({ state: 'HUMAN', version: claim.version });
    expect(await findMatch(world.db, shown.organisation_id, shown.match_id ?? 0)).toMatchObject({
      outcome: 'none',
      weak_sign: 'partial_amount',
      candidates: [expect.objectContaining({ reference: 'ch_1' })],
    });
    // Looked at again with nothing new: no further row.
    await world.rematch(shown, AbortSignal.timeout(5_000));
    expect(await world.db.selectFrom('match').select('id').execute()).toHaveLength(2);
  });

  test('a charge that comes while a case is looked at is not missed', async () => {
    await world.openAlert('netalrt_1');
    await match('netalrt_1');
    await hold('no_charge');
    const later = new Date(Date.parse(NOW) + 3_600_000);
    const due = { next_action_at: NOW };
    await world.db.updateTable('alert_case').set(due).execute();
    const [claim] = await world.claim();
    expect(await world.learn({})).toBe(1);
    await replanCase(world.db, claim!, { now: new Date(NOW), nextActionAt: later });
    expect(await world.claim()).toHaveLength(1);
  });

  test('a look does not begin while the charges that concern it are being stored', async () => {
    await world.openAlert('netalrt_1');
    await match('netalrt_1');
    await hold('no_charge');
    await world.db.updateTable('alert_case').set({ next_action_at: NOW }).execute();
    const during = await world.learnWhile(() => world.claim(), {});
    expect(during).toEqual([]);
    expect(await world.claim()).toHaveLength(1);
  });

  test('a second look moves the case to MATCHED and takes its fallback away', async () => {
    await world.openAlert('netalrt_1');
    await match('netalrt_1');
    await world.db
      .updateTable('alert_case')
      .set({
        state: 'HUMAN',
        hold_reason: 'no_charge',
        fallback_action: 'ACCEPT_DISPUTE',
        fallback_at: DEADLINE,
      })
      .execute();
    const look = async () =>
      world.rematch(await world.caseOf('netalrt_1'), AbortSignal.timeout(5_000));
    expect(await look()).toMatchObject({ moved: false, outcome: 'none' });
    await world.learn({});
    expect(await look()).toMatchObject({ moved: true, outcome: 'single' });
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'MATCHED',
      charge_reference: 'ch_1',
      hold_reason: null,
      fallback_action: null,
      fallback_at: null,
    });
    // The first match and the one in force; the look that changed nothing left none.
    expect(await world.db.selectFrom('match').select('outcome').orderBy('id').execute()).toEqual([
      { outcome: 'none' },
      { outcome: 'single' },
    ]);
  });

  test('another outcome is stored while the case stays', async () => {
    await world.openAlert('netalrt_1');
    await match('netalrt_1');
    await hold('no_charge');
    await world.learn({}, { reference: 'ch_2' });
    const claim = await world.caseOf('netalrt_1');
    const looked = await world.rematch(claim, AbortSignal.timeout(5_000));
    expect(looked).toMatchObject({ moved: false, outcome: 'several', claim: { state: 'HUMAN' } });
    expect(looked.claim.match_id).not.toBe(claim.match_id);
  });
});

describe('the index', () => {
  const query = (alert: AlertFacts) => ({ alert, settings: DEFAULT_MATCH_SETTINGS });
  const store = (...charges: Parameters<typeof chargeRecord>[0][]) =>
    world.db
      .transaction()
      .execute((trx) =>
        recordCharges(trx, ORG, { charges: charges.map(chargeRecord), now: new Date(NOW) }),
      );

  test("fills gaps, prefers the processor's word, and forgets nothing", async () => {
    await store({ acquirerReferenceNumber: null, descriptor: 'SHOP' });
    await store({
      source: 'processor',
      acquirerReferenceNumber: ARN,
      amountMinor: 3000,
      orderReference: null,
    });
    expect(await findCharge(world.db, ORG, 'ch_1')).toMatchObject({
      source: 'processor',
      acquirerReferenceNumber: ARN,
      amountMinor: 3000,
      orderReference: 'order-1',
      descriptor: 'SHOP',
    });
    await store({ amountMinor: 2990, descriptor: 'OTHER', settledAt: '2026-03-12T00:00:00.000Z' });
    expect(await findCharge(world.db, ORG, 'ch_1')).toMatchObject({
      source: 'processor',
      amountMinor: 3000,
      descriptor: 'SHOP',
      settledAt: '2026-03-12T00:00:00.000Z',
    });
  });

  test('says what changed, once, also within one batch', async () => {
    const first = await store(
      { reference: 'b' },
      { reference: 'a' },
      { reference: 'a', amountMinor: 1 },
    );
    expect(first.map(({ reference, amountMinor }) => [reference, amountMinor]).sort()).toEqual([
      ['a', 1],
      ['b', 2990],
    ]);
    expect(await store({ reference: 'b' })).toEqual([]);
    expect((await store({ reference: 'b', cardBrand: 'SCHEME_B' })).length).toBe(1);
    expect(await store()).toEqual([]);
  });

  test('keeps organisations apart', async () => {
    await store({});
    const about = query(alertFacts({ reference: 'ch_1' }));
    expect((await findCandidateCharges(world.db, ORG, about)).charges).toHaveLength(1);
    expect((await findCandidateCharges(world.db, 'org_2', about)).charges).toEqual([]);
  });

  test('offers a charge of another amount only by a key of its own, and one without a date', async () => {
    await store(
      { reference: 'near', authorisedAt: '2026-03-13T23:59:59.999Z' },
      { reference: 'far', authorisedAt: '2026-03-14T00:00:00.000Z' },
      { reference: 'dateless', authorisedAt: null },
      { reference: 'other', amountMinor: 1 },
      { reference: 'coded', amountMinor: 1, authorisationCode: 'ab12cd' },
    );
    const about = query(alertFacts({ authorisationCode: 'AB12CD' }));
    const { charges, complete } = await findCandidateCharges(world.db, ORG, about);
    expect(charges.map(({ reference }) => reference).sort()).toEqual(['coded', 'dateless', 'near']);
    expect(complete).toBe(true);
  });

  test('looks for weak signs near the moment, first what is nearest', async () => {
    const crowd = Array.from({ length: 60 }, (_, index) => ({
      reference: `ch_${String(index).padStart(2, '0')}`,
      cardLast4: '2222',
      // From noon on, a minute apart; noon is the alert's moment.
      authorisedAt: new Date(Date.UTC(2026, 2, 10, 12, index)).toISOString(),
    }));
    await store(
      ...crowd,
      { reference: 'part', amountMinor: 5000, authorisedAt: '2026-03-13T23:00:00Z' },
      { reference: 'foreign', currency: 'EUR' },
      { reference: 'far', amountMinor: 5000, authorisedAt: '2026-03-14T00:00:00Z' },
      { reference: 'other', amountMinor: 5000, cardLast4: '3333' },
    );
    const about = { ...query(alertFacts()), choices: [] };
    const { charges, complete } = await findWeakCandidates(world.db, ORG, about);
    const found = charges.map(({ reference }) => reference);
    expect(found).toEqual(expect.arrayContaining(['part', 'foreign', 'ch_00', 'ch_50']));
    expect(found).toHaveLength(2 + 51);
    expect(complete).toBe(false);
    const dateless = { ...query(alertFacts({ day: null })), choices: [] };
    expect((await findWeakCandidates(world.db, ORG, dateless)).charges).toEqual([]);
  });

  /** Fifty-one charges of one card, amount and day, as a busy price point has them. */
  const LOOK_ALIKES = Array.from({ length: 51 }, (_, index) => ({
    reference: `ch_${String(index).padStart(2, '0')}`,
  }));
  const ARN = '7'.repeat(23);

  test('an ARN is not outvoted by more look-alikes than are looked at', async () => {
    await store(...LOOK_ALIKES, { reference: 'own', acquirerReferenceNumber: ARN });
    await world.openAlert('netalrt_1', { acquirer_reference_number: ARN });
    expect((await match('netalrt_1')).row).toMatchObject({
      state: 'MATCHED',
      charge_reference: 'own',
    });
  });

  test('nor is one that the processor alone knows, or a code, among look-alikes there', async () => {
    for (const { reference } of LOOK_ALIKES) world.processor.add({ reference });
    world.processor.add({ reference: 'own', acquirerReferenceNumber: ARN });
    world.processor.add({ reference: 'coded', authorisationCode: 'AB12CD' });
    await world.openAlert('netalrt_1', { acquirer_reference_number: ARN });
    expect((await match('netalrt_1')).row).toMatchObject({ charge_reference: 'own' });
    await world.openAlert('netalrt_2', { authorisation_code: 'AB12CD' });
    expect((await match('netalrt_2')).row).toMatchObject({ charge_reference: 'coded' });
  });

  test('an ARN that too many charges carry names none, and neither does one with another amount', async () => {
    await store(
      ...LOOK_ALIKES.map((each) => ({ ...each, acquirerReferenceNumber: ARN, cardBin: '522222' })),
      { reference: 'own', acquirerReferenceNumber: ARN },
    );
    await world.openAlert('netalrt_1', { acquirer_reference_number: ARN });
    expect((await match('netalrt_1')).row.charge_reference).toBeNull();
    await world.db.deleteFrom('charge').execute();
    // Among those that are not seen there may be one with the right amount.
    await store(...LOOK_ALIKES.map((each) => ({ ...each, cardBin: '522222' })), {
      reference: 'own',
      acquirerReferenceNumber: ARN,
      amountMinor: 9_000,
    });
    await world.openAlert('netalrt_2', { acquirer_reference_number: ARN });
    expect((await match('netalrt_2')).row.charge_reference).toBeNull();
  });

  test('with more candidates than are looked at nothing is chosen', async () => {
    const crowd = Array.from({ length: 51 }, (_, index) => ({
      reference: `ch_${String(index).padStart(2, '0')}`,
      // All but the first contradict the alert, so that only the count can stop the match.
      cardBin: index === 0 ? '411111' : '522222',
    }));
    await store(...crowd);
    await world.openAlert('netalrt_1');
    expect((await match('netalrt_1')).row.state).toBe('AMBIGUOUS');
    await world.db.deleteFrom('charge').where('reference', '=', 'ch_50').execute();
    await world.openAlert('netalrt_2');
    expect((await match('netalrt_2')).row).toMatchObject({
      state: 'MATCHED',
      charge_reference: 'ch_00',
    });
  });
});
