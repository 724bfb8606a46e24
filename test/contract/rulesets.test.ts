/** Guarantee: rulesets and their rules behave as section Rulesets of the specification says. */
import { describe, expect } from 'vitest';
import { contract, errorOf, rule, START, sandboxRule } from './support/contract.ts';
import { amountRule, DESCRIPTOR_RULE, ruleset } from './support/examples.ts';

const t = contract();

describe('create', () => {
  sandboxRule('a fault names its place in the whole body', async () => {
    const wrong = ruleset(t, { rules: [DESCRIPTOR_RULE, amountRule({ operator: 'ABOVE' })] });
    expect(errorOf(await t.org('POST', '/v1/rulesets', wrong)).field).toBe(
      'rules.1.parameters.operator',
    );
    const reply = await t.org('POST', '/v1/rulesets', ruleset(t, { rules: [] }));
    const alone = amountRule({ amount_in_cents: -1 });
    const path = `/v1/rulesets/${reply.json.id}/rules`;
    expect(errorOf(await t.org('POST', path, alone)).field).toBe('parameters.amount_in_cents');
  });

  rule('a ruleset is created with its rules and answered whole', async () => {
    const reply = await t.org('POST', '/v1/rulesets', ruleset(t));
    expect(reply.status).toBe(201);
    expect(reply.json).toEqual({
      id: expect.stringMatching(/^rset_/),
      organisation_id: t.organisationId,
      enrolment_ids: [t.rdrEnrolmentId],
      outcome: 'ACCEPT_DISPUTE',
      join_operator: 'AND',
      rules: [
        {
          id: expect.stringMatching(/^resrule_/),
          type: 'AMOUNT',
          parameters: { operator: 'GREATER_THAN', currency_code: 'USD', amount_in_cents: 10_000 },
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      ],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  rule('rules are optional on create', async () => {
    const { rules: _rules, ...body } = ruleset(t);
    const reply = await t.org('POST', '/v1/rulesets', body);
    expect(reply.json.rules).toEqual([]);
  });

  for (const outcome of ['REFUND', 'CANCEL', 'REFUND_AND_CANCEL', 'ACCEPT_DISPUTE']) {
    rule(`outcome ${outcome} is accepted`, async () => {
      const reply = await t.org('POST', '/v1/rulesets', ruleset(t, { outcome }));
      expect(reply.json.outcome).toBe(outcome);
    });
  }

  rule('any other outcome is refused', async () => {
    const reply = await t.org('POST', '/v1/rulesets', ruleset(t, { outcome: 'IGNORE' }));
    expect(reply.status).toBe(422);
    expect(errorOf(reply).field).toBe('outcome');
  });

  for (const joinOperator of ['AND', 'OR']) {
    rule(`join operator ${joinOperator} is accepted`, async () => {
      const reply = await t.org(
        'POST',
        '/v1/rulesets',
        ruleset(t, { join_operator: joinOperator }),
      );
      expect(reply.json.join_operator).toBe(joinOperator);
    });
  }

  rule('any other join operator is refused', async () => {
    const reply = await t.org('POST', '/v1/rulesets', ruleset(t, { join_operator: 'XOR' }));
    expect(reply.status).toBe(422);
  });

  rule('enrolment_ids needs one or more', async () => {
    const reply = await t.org('POST', '/v1/rulesets', ruleset(t, { enrolment_ids: [] }));
    expect(reply.status).toBe(422);
    expect(errorOf(reply).field).toBe('enrolment_ids');
  });

  rule('enrolments of a ruleset must share one type', async () => {
    const mixed = { enrolment_ids: [t.rdrEnrolmentId, t.alertEnrolmentId] };
    const reply = await t.org('POST', '/v1/rulesets', ruleset(t, mixed));
    expect(reply.status).toBe(422);
    expect(errorOf(reply).field).toBe('enrolment_ids');
  });

  rule('an enrolment that is not accessible is 404', async () => {
    const reply = await t.org('POST', '/v1/rulesets', ruleset(t, { enrolment_ids: ['enrl_none'] }));
    expect(reply.status).toBe(404);
    expect(errorOf(reply).code).toBe('NOT_FOUND');
  });

  rule('a bad embedded rule rolls the whole ruleset back', async () => {
    const before = await t.org('GET', '/v1/rulesets');
    const rules = [DESCRIPTOR_RULE, amountRule({ currency_code: 'EUR' })];
    const reply = await t.org('POST', '/v1/rulesets', ruleset(t, { rules }));
    expect(reply.status).toBe(422);
    const after = await t.org('GET', '/v1/rulesets');
    expect(after.json.count).toBe(before.json.count);
  });

  rule('an amount rule in another currency is INVALID_CURRENCY_CODE', async () => {
    const rules = [amountRule({ currency_code: 'EUR' })];
    const reply = await t.org('POST', '/v1/rulesets', ruleset(t, { rules }));
    expect(errorOf(reply)).toEqual({ code: 'INVALID_CURRENCY_CODE', field: 'currency_code' });
  });

  rule('two rules of one type in a new ruleset are refused', async () => {
    const reply = await t.org(
      'POST',
      '/v1/rulesets',
      ruleset(t, { rules: [amountRule(), amountRule()] }),
    );
    expect(reply.status).toBe(422);
  });
});

describe('rules', () => {
  async function rulesetId(): Promise<string> {
    const reply = await t.org('POST', '/v1/rulesets', ruleset(t));
    return reply.json.id;
  }

  const operators = [
    'GREATER_THAN',
    'GREATER_THAN_OR_EQUAL',
    'LESS_THAN',
    'LESS_THAN_OR_EQUAL',
    'EQUAL',
    'NOT_EQUAL',
  ];
  for (const operator of operators) {
    rule(`amount operator ${operator} is accepted`, async () => {
      const reply = await t.org(
        'POST',
        '/v1/rulesets',
        ruleset(t, { rules: [amountRule({ operator })] }),
      );
      expect(reply.json.rules[0].parameters.operator).toBe(operator);
    });
  }

  rule('an amount of zero is accepted and a negative one refused', async () => {
    const id = await rulesetId();
    const { rules } = (await t.org('GET', `/v1/rulesets/${id}`)).json;
    const path = `/v1/rulesets/${id}/rules/${rules[0].id}`;
    const zero = await t.org('PATCH', path, amountRule({ amount_in_cents: 0 }));
    const negative = await t.org('PATCH', path, amountRule({ amount_in_cents: -1 }));
    const fraction = await t.org('PATCH', path, amountRule({ amount_in_cents: 0.5 }));
    expect([zero.status, negative.status, fraction.status]).toEqual([200, 422, 422]);
  });

  rule('a rule is added to a ruleset', async () => {
    const id = await rulesetId();
    const added = await t.org('POST', `/v1/rulesets/${id}/rules`, DESCRIPTOR_RULE);
    expect(added.status).toBe(201);
    expect(added.json).toMatchObject({
      id: expect.stringMatching(/^resrule_/),
      ...DESCRIPTOR_RULE,
    });
    const whole = await t.org('GET', `/v1/rulesets/${id}`);
    expect(whole.json.rules.map((rule: { type: string }) => rule.type)).toEqual([
      'AMOUNT',
      'DESCRIPTOR',
    ]);
  });

  rule('a second rule of a type is refused', async () => {
    const id = await rulesetId();
    const reply = await t.org('POST', `/v1/rulesets/${id}/rules`, amountRule());
    expect(reply.status).toBe(422);
    const whole = await t.org('GET', `/v1/rulesets/${id}`);
    expect(whole.json.rules).toHaveLength(1);
  });

  for (const matchType of ['STARTS_WITH', 'EXACT_MATCH']) {
    rule(`a descriptor rule matches by ${matchType}`, async () => {
      const parameters = { descriptors: [{ value: 'ACME', match_type: matchType }] };
      const rules = [{ type: 'DESCRIPTOR', parameters }];
      const reply = await t.org('POST', '/v1/rulesets', ruleset(t, { rules }));
      expect(reply.json.rules[0].parameters).toEqual(parameters);
    });
  }

  rule('a descriptor rule needs one or more descriptors with a valid match type', async () => {
    const id = await rulesetId();
    const path = `/v1/rulesets/${id}/rules`;
    const none = { type: 'DESCRIPTOR', parameters: { descriptors: [] } };
    const odd = {
      type: 'DESCRIPTOR',
      parameters: { descriptors: [{ value: 'ACME', match_type: 'CONTAINS' }] },
    };
    expect((await t.org('POST', path, none)).status).toBe(422);
    const refused = await t.org('POST', path, odd);
    expect(refused.status).toBe(422);
    expect(errorOf(refused)).toMatchObject({
      code: 'INVALID_MATCH_TYPE',
      field: 'parameters.descriptors.0.match_type',
    });
  });

  rule('the type of a rule cannot be changed', async () => {
    const id = await rulesetId();
    const { rules } = (await t.org('GET', `/v1/rulesets/${id}`)).json;
    const path = `/v1/rulesets/${id}/rules/${rules[0].id}`;
    const reply = await t.org('PATCH', path, DESCRIPTOR_RULE);
    expect(reply.status).toBe(422);
    expect((await t.org('GET', path)).json.type).toBe('AMOUNT');
  });

  rule('a rule is changed through its own endpoint', async () => {
    const id = await rulesetId();
    const { rules } = (await t.org('GET', `/v1/rulesets/${id}`)).json;
    const path = `/v1/rulesets/${id}/rules/${rules[0].id}`;
    const reply = await t.org('PATCH', path, amountRule({ amount_in_cents: 777 }));
    expect(reply.status).toBe(200);
    expect(reply.json.id).toBe(rules[0].id);
    expect((await t.org('GET', path)).json.parameters.amount_in_cents).toBe(777);
  });

  rule('deleting a rule answers 204 with an empty body', async () => {
    const id = await rulesetId();
    const { rules } = (await t.org('GET', `/v1/rulesets/${id}`)).json;
    const path = `/v1/rulesets/${id}/rules/${rules[0].id}`;
    const reply = await t.org('DELETE', path);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect((await t.org('GET', path)).status).toBe(404);
    expect((await t.org('GET', `/v1/rulesets/${id}`)).json.rules).toEqual([]);
  });
});

describe('read, update, delete', () => {
  rule('omitted fields of a ruleset keep their values', async () => {
    const { id } = (await t.org('POST', '/v1/rulesets', ruleset(t))).json;
    const reply = await t.org('PATCH', `/v1/rulesets/${id}`, { outcome: 'REFUND' });
    expect(reply.json).toMatchObject({
      outcome: 'REFUND',
      join_operator: 'AND',
      enrolment_ids: [t.rdrEnrolmentId],
    });
    expect(reply.json.rules).toHaveLength(1);
  });

  rule('rules on a ruleset update are RULES_NOT_ALLOWED_ON_RULESET_UPDATE', async () => {
    const { id } = (await t.org('POST', '/v1/rulesets', ruleset(t))).json;
    const reply = await t.org('PATCH', `/v1/rulesets/${id}`, { outcome: 'REFUND', rules: [] });
    expect(errorOf(reply)).toEqual({ code: 'RULES_NOT_ALLOWED_ON_RULESET_UPDATE', field: 'rules' });
    expect((await t.org('GET', `/v1/rulesets/${id}`)).json.outcome).toBe('ACCEPT_DISPUTE');
  });

  rule('deleting a ruleset answers 204 and takes its rules along', async () => {
    const { id, rules } = (await t.org('POST', '/v1/rulesets', ruleset(t))).json;
    const reply = await t.org('DELETE', `/v1/rulesets/${id}`);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect((await t.org('GET', `/v1/rulesets/${id}`)).status).toBe(404);
    expect((await t.org('GET', `/v1/rulesets/${id}/rules/${rules[0].id}`)).status).toBe(404);
  });

  sandboxRule('rulesets are listed newest first unless sorted otherwise', async () => {
    const first = (await t.org('POST', '/v1/rulesets', ruleset(t))).json.id;
    await t.sandbox.advance(1000);
    const second = (await t.org('POST', '/v1/rulesets', ruleset(t))).json.id;
    await t.sandbox.advance(1000);
    await t.org('PATCH', `/v1/rulesets/${first}`, { outcome: 'REFUND' });
    const ids = async (query: string): Promise<string[]> =>
      (await t.org('GET', `/v1/rulesets${query}`)).json.items.map(
        (ruleset: { id: string }) => ruleset.id,
      );
    expect(await ids('')).toEqual([second, first]);
    expect(await ids('?sort=-created_at')).toEqual([second, first]);
    expect(await ids('?sort=created_at')).toEqual([first, second]);
    expect(await ids('?sort=-updated_at')).toEqual([first, second]);
    expect(await ids('?sort=updated_at')).toEqual([second, first]);
  });

  sandboxRule('limit and offset page through rulesets while count stays the whole', async () => {
    for (let index = 0; index < 3; index += 1) await t.org('POST', '/v1/rulesets', ruleset(t));
    const all = (await t.org('GET', '/v1/rulesets')).json;
    const page = (await t.org('GET', '/v1/rulesets?limit=1&offset=1')).json;
    expect(page).toEqual({ items: [all.items[1]], count: 3 });
  });

  sandboxRule('a ruleset of another organisation is 404 for an organisation key', async () => {
    const other = (await t.control('POST', '/organisations', { name: 'Other' })).json.id;
    const key = (await t.control('POST', '/keys', { organisation_id: other })).json.token;
    const { id } = (await t.org('POST', '/v1/rulesets', ruleset(t))).json;
    const reply = await t.send({ key, method: 'GET', path: `/v1/rulesets/${id}` });
    expect(reply.status).toBe(404);
    const list = await t.send({ key, method: 'GET', path: '/v1/rulesets' });
    expect(list.json).toEqual({ items: [], count: 0 });
    const filtered = await t.send({
      key,
      method: 'GET',
      path: `/v1/rulesets?organisation_id=${t.organisationId}`,
    });
    expect(filtered.status).toBe(404);
  });
});

describe('evaluation of RDR disputes', () => {
  async function outcomeOf(fields: object): Promise<string> {
    const reply = await t.control('POST', '/alerts', {
      enrolment_id: t.rdrEnrolmentId,
      currency_code: 'USD',
      ...fields,
    });
    expect(reply.json.status).toBe('RESOLVED');
    return reply.json.transaction_refund_outcome;
  }

  sandboxRule('without a ruleset every eligible dispute is refunded', async () => {
    expect(await outcomeOf({ amount_in_cents: 99_999 })).toBe('REFUNDED');
  });

  const table = [
    ['GREATER_THAN', ['REFUNDED', 'REFUNDED', 'NOT_REFUNDED']],
    ['GREATER_THAN_OR_EQUAL', ['REFUNDED', 'NOT_REFUNDED', 'NOT_REFUNDED']],
    ['LESS_THAN', ['NOT_REFUNDED', 'REFUNDED', 'REFUNDED']],
    ['LESS_THAN_OR_EQUAL', ['NOT_REFUNDED', 'NOT_REFUNDED', 'REFUNDED']],
    ['EQUAL', ['REFUNDED', 'NOT_REFUNDED', 'REFUNDED']],
    ['NOT_EQUAL', ['NOT_REFUNDED', 'REFUNDED', 'NOT_REFUNDED']],
  ] as const;
  for (const [operator, expected] of table) {
    sandboxRule(`${operator} decides below, at and above the amount`, async () => {
      await t.org('POST', '/v1/rulesets', ruleset(t, { rules: [amountRule({ operator })] }));
      const outcomes: string[] = [];
      for (const amount of [9_999, 10_000, 10_001]) {
        outcomes.push(await outcomeOf({ amount_in_cents: amount }));
      }
      expect(outcomes).toEqual(expected);
    });
  }

  sandboxRule('another currency is converted to USD before an amount rule', async () => {
    // The sandbox's rate is 80 euro cents for one dollar: 80.00 EUR are 100.00 USD.
    await t.org('POST', '/v1/rulesets', ruleset(t));
    expect(await outcomeOf({ amount_in_cents: 8_000, currency_code: 'EUR' })).toBe('REFUNDED');
    expect(await outcomeOf({ amount_in_cents: 8_001, currency_code: 'EUR' })).toBe('NOT_REFUNDED');
    // 125 yen for one dollar, and yen have no minor unit: 12,500 JPY are 100.00 USD.
    expect(await outcomeOf({ amount_in_cents: 12_500, currency_code: 'JPY' })).toBe('REFUNDED');
    expect(await outcomeOf({ amount_in_cents: 12_502, currency_code: 'JPY' })).toBe('NOT_REFUNDED');
  });

  sandboxRule('STARTS_WITH and EXACT_MATCH decide on the descriptor', async () => {
    const parameters = {
      descriptors: [
        { value: 'ACME', match_type: 'STARTS_WITH' },
        { value: 'OTHER', match_type: 'EXACT_MATCH' },
      ],
    };
    await t.org(
      'POST',
      '/v1/rulesets',
      ruleset(t, { rules: [{ type: 'DESCRIPTOR', parameters }] }),
    );
    const outcomes: string[] = [];
    for (const descriptor of ['ACME*1', 'NOT ACME', 'OTHER', 'OTHER 1']) {
      outcomes.push(await outcomeOf({ statement_descriptor: descriptor }));
    }
    expect(outcomes).toEqual(['NOT_REFUNDED', 'REFUNDED', 'NOT_REFUNDED', 'REFUNDED']);
  });

  for (const [joinOperator, expected] of [
    ['AND', ['NOT_REFUNDED', 'REFUNDED', 'REFUNDED', 'REFUNDED']],
    ['OR', ['NOT_REFUNDED', 'NOT_REFUNDED', 'NOT_REFUNDED', 'REFUNDED']],
  ] as const) {
    sandboxRule(`${joinOperator} joins an amount and a descriptor rule`, async () => {
      const rules = [amountRule(), DESCRIPTOR_RULE];
      await t.org('POST', '/v1/rulesets', ruleset(t, { rules, join_operator: joinOperator }));
      const outcomes: string[] = [];
      for (const [amount, descriptor] of [
        [20_000, 'ACME'],
        [20_000, 'BETA'],
        [5_000, 'ACME'],
        [5_000, 'BETA'],
      ] as const) {
        outcomes.push(
          await outcomeOf({ amount_in_cents: amount, statement_descriptor: descriptor }),
        );
      }
      expect(outcomes).toEqual(expected);
    });
  }

  sandboxRule('CANCEL and REFUND_AND_CANCEL set the subscription outcome', async () => {
    const { id } = (await t.org('POST', '/v1/rulesets', ruleset(t, { rules: [] }))).json;
    const ids: unknown[] = [];
    for (const outcome of ['REFUND', 'CANCEL', 'REFUND_AND_CANCEL', 'ACCEPT_DISPUTE']) {
      await t.org('PATCH', `/v1/rulesets/${id}`, { outcome });
      const { json } = await t.control('POST', '/alerts', { enrolment_id: t.rdrEnrolmentId });
      ids.push([json.transaction_refund_outcome, json.subscription_cancel_outcome]);
    }
    expect(ids).toEqual([
      ['REFUNDED', null],
      ['NOT_REFUNDED', 'CANCELLED'],
      ['REFUNDED', 'CANCELLED'],
      ['NOT_REFUNDED', null],
    ]);
  });

  sandboxRule('timestamps are ISO 8601 UTC', async () => {
    const { json } = await t.org('POST', '/v1/rulesets', ruleset(t));
    expect([json.created_at, json.updated_at]).toEqual([START, START]);
  });
});
