/** Guarantee: what the interface refuses is a problem of the plan; dangers need a word; plans hold no secret. */
import { describe, expect, it } from 'vitest';
import type { Estate } from '../../../src/capabilities/estate/plan/estate.ts';
import type { EstatePlan, PlanOptions } from '../../../src/capabilities/estate/plan/plan.ts';
import { planEstate } from '../../../src/capabilities/estate/plan/plan.ts';
import { readSources } from '../../../src/capabilities/estate/plan/read-estate.ts';
import type { RemoteEstate } from '../../../src/capabilities/estate/plan/remote-estate.ts';
import { readPlan, writePlan } from '../../../src/capabilities/estate/plan/saved-plan.ts';
import { forecastOf } from '../../../src/capabilities/estate/plan/step.ts';
import { enrolmentSchema } from '../../../src/service/wire/enrolment.ts';
import { merchantSchema } from '../../../src/service/wire/merchant.ts';
import { rulesetSchema } from '../../../src/service/wire/ruleset.ts';

const DATES = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
const OWN = { organisation_id: 'org_1', ...DATES };
const merchant = (id: string, externalId: string) =>
  merchantSchema.parse({ id, name: 'Europe', type: 'GENERIC', external_id: externalId, ...OWN });
const alerts = (status: string, ...descriptors: string[]) =>
  enrolmentSchema.parse({
    id: 'enrl_a',
    merchant_ids: ['mrch_1'],
    type: 'NETA_ALERT',
    status,
    neta_alert: {
      descriptors: descriptors.map((descriptor) => ({ descriptor, match_type: 'EXACT_MATCH' })),
    },
    ...OWN,
  });
const rdr = (status = 'ENABLED') =>
  enrolmentSchema.parse({
    id: 'enrl_r',
    merchant_ids: ['mrch_1'],
    type: 'NETB_RDR',
    status,
    netb_rdr: { bin: '400000', caid: 'C1', arns: null },
    ...OWN,
  });
const ruleset = (cents = 10_000) =>
  rulesetSchema.parse({
    id: 'rset_1',
    enrolment_ids: ['enrl_r'],
    outcome: 'ACCEPT_DISPUTE',
    join_operator: 'AND',
    rules: [
      {
        id: 'resrule_1',
        type: 'AMOUNT',
        parameters: { operator: 'GREATER_THAN', currency_code: 'USD', amount_in_cents: cents },
      },
    ],
    ...OWN,
  });
const NOTHING: RemoteEstate = { merchants: [], enrolments: [], rulesets: [] };
const ALL: RemoteEstate = {
  merchants: [merchant('mrch_1', 'eu')],
  enrolments: [alerts('ENABLED', 'EXAMPLE'), rdr()],
  rulesets: [ruleset()],
};

const FILE = `
organisation: org_1
unlisted: remove
merchants:
  - { key: eu, name: Europe, type: GENERIC }
enrolments:
  - { key: alerts, type: NETA_ALERT, merchants: [eu], descriptors: [{ descriptor: EXAMPLE, match_type: EXACT_MATCH }] }
  - { key: rdr, type: NETB_RDR, merchants: [eu], bin: '400000', caid: C1 }
rulesets:
  - { key: big, enrolments: [rdr], outcome: ACCEPT_DISPUTE, amount: { operator: GREATER_THAN, value: 100.00 USD } }
`;
const estateOf = (text: string, variables = {}): Estate =>
  readSources({ path: 'estate.yaml', text }, [], variables).estate;
const plan = (text: string, remote = ALL, options: PlanOptions = {}): EstatePlan =>
  planEstate(estateOf(text), remote, options);
const without = (text: string, line: RegExp): string =>
  text
    .split('\n')
    .filter((each) => !line.test(each))
    .join('\n');

describe('a plan', () => {
  it('is empty for what is there', () => {
    expect(plan(FILE)).toMatchObject({ steps: [], problems: [], notes: [] });
  });

  it('creates in the order in which RDR is covered soonest, and marks what widens it', () => {
    const { steps } = plan(FILE, NOTHING);
    expect(steps.map(({ step, mark }) => `${step.kind} ${mark}`)).toEqual([
      'create_merchant safe',
      'create_enrolment widens RDR',
      'create_ruleset safe',
      'create_enrolment irreversible',
    ]);
  });

  it('shows with an example which dispute a change lets RDR refund', () => {
    const { steps } = plan(FILE.replace('100.00 USD', '200.00 USD'));
    expect(steps).toMatchObject([{ mark: 'widens RDR', step: { kind: 'update_rule' } }]);
    expect(steps[0]?.sentence).toMatch(
      /RDR may then refund a dispute of (100\.01|200\.00|199\.99) USD/,
    );
    expect(plan(FILE.replace('100.00 USD', '50.00 USD')).steps[0]?.mark).toBe('safe');
  });

  it.each([
    [
      'removing a descriptor',
      FILE,
      { ...ALL, enrolments: [alerts('ENABLED', 'EXAMPLE', 'OLD'), rdr()] },
      'only ever adds descriptors',
    ],
    [
      'another BIN for an RDR enrolment',
      FILE.replace('key: rdr,', 'key: rdr, id: enrl_r,').replace('400000', '400009'),
      ALL,
      'cannot change',
    ],
    [
      'ending an enrolment that is enabled',
      without(FILE, /key: alerts/),
      ALL,
      'Only PENDING enrolments can be cancelled',
    ],
    [
      'another type for a merchant with enrolments',
      FILE.replace('GENERIC', 'CUSTOM'),
      ALL,
      'MERCHANT_TYPE_CHANGE_RESTRICTED',
    ],
    [
      'deleting a merchant with enrolments',
      FILE.replace('key: eu,', 'key: eu, external_id: other,'),
      ALL,
      'MERCHANT_DELETION_RESTRICTED',
    ],
    [
      'an id that the key does not see',
      FILE.replace('key: eu,', 'key: eu, id: mrch_9,'),
      ALL,
      'does not show it to this key',
    ],
    [
      'removing the last ruleset',
      without(FILE, /key: big/).replace('rulesets:', ''),
      ALL,
      '--allow-refund-everything',
    ],
  ])('refuses %s', (_what, text, remote, words) => {
    const { problems, steps } = plan(text, remote);
    expect(problems.map(({ message }) => message).join('\n')).toContain(words);
    expect(steps).toEqual([]);
  });

  it('lets the last ruleset go when that is allowed by name', () => {
    const text = without(FILE, /key: big/).replace('rulesets:', '');
    const { steps } = plan(text, ALL, { allowRefundEverything: true });
    expect(steps).toMatchObject([{ mark: 'widens RDR', step: { kind: 'delete_ruleset' } }]);
  });

  it('cancels a pending enrolment, and keeps what is unlisted when told so', () => {
    const pending = { ...ALL, enrolments: [alerts('PENDING', 'EXAMPLE'), rdr()] };
    const text = without(FILE, /key: alerts/);
    expect(plan(text, pending).steps).toMatchObject([{ step: { kind: 'cancel_enrolment' } }]);
    const kept = plan(text.replace('unlisted: remove', 'unlisted: keep'), pending);
    expect(kept.steps).toEqual([]);
    expect(kept.notes).toEqual(['Left alone: 1 enrolment at the service that no file names.']);
  });

  it('refuses to change more than 30 % of what exists, unless told so', () => {
    const merchants = Array.from({ length: 20 }, (_, index) =>
      merchant(`mrch_${index}`, `m${index}`),
    );
    const remote = { ...NOTHING, merchants };
    const text = `organisation: org_1\nmerchants:\n${merchants.map((_, index) => `  - { key: m${index}, name: ${index < 7 ? 'New' : 'Europe'}, type: GENERIC }`).join('\n')}\n`;
    expect(plan(text, remote).problems[0]?.message).toContain('7 of the 20');
    expect(plan(text, remote, { allowMany: true }).steps).toHaveLength(7);
  });
});

describe('a ruleset that this version cannot read', () => {
  const own = ruleset();
  const rule = {
    id: 'resrule_9',
    type: 'AMOUNT',
    parameters: { operator: 'GREATER_THAN', currency_code: 'USD', amount_in_cents: 5_000 },
  };
  const unread = (change: object) => rulesetSchema.parse({ ...own, id: 'rset_9', ...change });
  const CASES = [
    [
      'a rule of another type',
      { rules: [{ ...rule, type: 'COUNTRY', parameters: { is: 'FR' } }] },
      'COUNTRY',
    ],
    [
      'a rule with a field more',
      { rules: [{ ...rule, parameters: { ...rule.parameters, per: 'DAY' } }] },
      'AMOUNT',
    ],
    [
      'a rule with another operator',
      { rules: [{ ...rule, parameters: { ...rule.parameters, operator: 'NEAR' } }] },
      'AMOUNT',
    ],
    ['another outcome', { outcome: 'REFUND_PARTLY' }, 'REFUND_PARTLY'],
    ['another join', { join_operator: 'XOR' }, 'XOR'],
    ['two rules of one type', { rules: [rule, { ...rule, id: 'resrule_8' }] }, 'two AMOUNT rules'],
  ] as const;

  it.each(CASES)('%s: nothing is planned on its enrolments', (_what, change, word) => {
    const remote = { ...ALL, rulesets: [own, unread(change)] };
    for (const unlisted of ['keep', 'remove']) {
      const text = FILE.replace('unlisted: remove', `unlisted: ${unlisted}`);
      const { problems, steps } = plan(text.replace('100.00', '200.00'), remote);
      expect(steps).toEqual([]);
      expect(problems.map(({ message }) => message).join()).toContain(word);
      expect(problems.map(({ message }) => message).join()).toContain('this version does not know');
    }
  });

  it.each(CASES)('%s: alone on its enrolment, named by the file', (_what, change, word) => {
    const text = FILE.replace('key: big,', 'key: big, id: rset_9,');
    const { problems } = plan(text, { ...ALL, rulesets: [unread(change)] });
    expect(problems.map(({ message }) => message).join()).toContain(word);
  });

  it.each(CASES)('%s: does not keep the rest from being planned', (_what, change) => {
    const text = FILE.replace('unlisted: remove', 'unlisted: keep').replace('Europe', 'EU');
    const { problems, steps, notes } = plan(text, { ...ALL, rulesets: [own, unread(change)] });
    expect(problems).toEqual([]);
    expect(steps.map(({ step }) => step.kind)).toEqual(['update_merchant']);
    expect(notes.join()).toContain('rset_9');
  });
});

describe('a saved plan', () => {
  const variable = (name: string): string => `'\${${name}}'`;
  const text = FILE.replace('name: Europe', `name: ${variable('NAME')}`).replace(
    'org_1',
    variable('ORG'),
  );
  const variables = { NAME: 'Geheim', ORG: 'org_1' };
  const write = (): string => {
    const read = readSources({ path: 'estate.yaml', text }, [], variables);
    return writePlan({
      plan: planEstate(read.estate, NOTHING),
      organisations: ['org_1'],
      variables: read.variables,
      createdAt: '2026-11-22T00:00:00.000Z',
    });
  };

  it('holds no value of a variable, and gives it back', () => {
    expect(write()).not.toContain('Geheim');
    expect(write()).not.toContain('org_1');
    const { steps, organisations } = readPlan(write(), variables);
    expect(organisations).toEqual(['org_1']);
    expect(steps).toEqual(planEstate(estateOf(text, variables), NOTHING).steps);
  });

  it('is refused with another value, without one, and when it is no plan', () => {
    expect(() => readPlan(write(), { ...variables, NAME: 'Other' })).toThrow('has another value');
    expect(() => readPlan(write(), { ORG: 'org_1' })).toThrow('is not set');
    expect(() => readPlan('{}', {})).toThrow('This is no plan');
  });
});

describe('50,000 merchants', () => {
  it('are planned within a minute, and their calls counted at the limit', () => {
    const lines = Array.from(
      { length: 50_000 },
      (_, index) => `  - { key: m${index}, name: M, type: GENERIC }`,
    );
    const started = performance.now();
    const { steps } = plan(`organisation: org_1\nmerchants:\n${lines.join('\n')}\n`, NOTHING);
    const forecast = forecastOf(steps);
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(steps).toHaveLength(50_000);
    // 98 in 61 s, on each of two endpoints side by side.
    expect(forecast).toEqual({ calls: 100_000, durationMs: Math.floor(49_999 / 98) * 61_000 });
  });
});
