/** Guarantee: rate limits, trailing slashes, envelopes and injected server errors are as specified. */
import { describe, expect } from 'vitest';
import { contract, errorOf, rule, sandboxRule } from './support/contract.ts';
import { alertSimulation, completeOrder, ruleset } from './support/examples.ts';

const t = contract();

describe('what cannot be read', () => {
  sandboxRule('is refused with what to send instead', async () => {
    const refused = async (path: string, init: RequestInit = {}): Promise<unknown[]> => {
      const response = await fetch(t.sandbox.url + path, init);
      const { errors } = (await response.json()) as { errors: { message: string }[] };
      return [response.status, errors[0]?.message];
    };
    expect(await refused('/v1/alerts/%zz')).toEqual([
      400,
      'The path or the body cannot be read. Escape the path (%20), and send the body whole.',
    ]);
    const body = ' '.repeat(10 * 1024 * 1024 + 1);
    expect(await refused('/v1/orders/', { method: 'POST', body })).toEqual([
      413,
      'The body is over 10 MB. Send less in one request.',
    ]);
  });
});

describe('rate limit', () => {
  async function statuses(count: number, key: string, path = '/v1/integrations/') {
    const codes: unknown[] = [];
    for (let index = 0; index < count; index += 1) {
      codes.push((await t.send({ key, method: 'GET', path })).status);
    }
    return codes;
  }

  sandboxRule('the 101st request of a minute is 429 RATE_LIMITED without Retry-After', async () => {
    const answers = await statuses(100, t.organisationKey);
    expect(new Set(answers)).toEqual(new Set([200]));
    const reply = await t.org('GET', '/v1/integrations/');
    expect([reply.status, errorOf(reply).code]).toEqual([429, 'RATE_LIMITED']);
    expect(reply.headers.get('retry-after')).toBeNull();
  });

  sandboxRule('capacity comes back a minute after it was used', async () => {
    await statuses(50, t.organisationKey);
    await t.sandbox.advance(30_000);
    await statuses(50, t.organisationKey);
    await t.sandbox.advance(29_999);
    expect((await t.org('GET', '/v1/integrations/')).status).toBe(429);
    await t.sandbox.advance(1);
    const answers = await statuses(51, t.organisationKey);
    expect(answers.filter((status) => status === 200)).toHaveLength(50);
    expect(answers.at(-1)).toBe(429);
  });

  sandboxRule('each endpoint has an independent pool', async () => {
    await statuses(101, t.organisationKey);
    expect((await t.org('GET', '/v1/lookups/')).status).toBe(200);
    expect((await t.org('GET', '/v1/orders/')).status).toBe(200);
    expect((await t.org('POST', '/v1/orders/', [completeOrder(t)])).status).toBe(200);
  });

  sandboxRule('all keys of an organisation share its pools', async () => {
    const second = (await t.control('POST', '/keys', {})).json.token;
    await statuses(60, t.organisationKey);
    const answers = await statuses(41, second);
    expect([answers[39], answers[40]]).toEqual([200, 429]);
  });

  sandboxRule('another organisation has its own pools', async () => {
    const other = (await t.control('POST', '/organisations', { name: 'Other' })).json.id;
    const key = (await t.control('POST', '/keys', { organisation_id: other })).json.token;
    await statuses(101, t.organisationKey);
    expect(await statuses(1, key)).toEqual([200]);
  });

  /** A second organisation of the partner, with a merchant and an enrolment. */
  async function secondOrganisation() {
    const id = (await t.control('POST', '/organisations', { name: 'Second' })).json.id;
    const merchant = { name: 'M', organisation_id: id };
    const merchantId = (await t.control('POST', '/merchants', merchant)).json.id;
    const enrolment = { type: 'NETB_RDR', merchant_ids: [merchantId], bin: '444444', caid: 'B' };
    const enrolmentId = (await t.control('POST', '/enrolments', enrolment)).json.id;
    return { id, merchantId, enrolmentId };
  }

  sandboxRule('a partner key has a pool for each organisation it asks about', async () => {
    const { id, merchantId, enrolmentId } = await secondOrganisation();
    const pairs = [
      [`/v1/merchants/${t.merchantId}`, `/v1/merchants/${merchantId}`],
      [`/v2/enrolments/${t.rdrEnrolmentId}`, `/v2/enrolments/${enrolmentId}`],
      [`/v1/alerts/?organisation_id=${t.organisationId}`, `/v1/alerts/?organisation_id=${id}`],
      [`/v2/enrolments?merchant_id=${t.merchantId}`, `/v2/enrolments?merchant_id=${merchantId}`],
    ] as const;
    for (const [first, second] of pairs) {
      expect((await statuses(101, t.partnerKey, first)).slice(-2)).toEqual([200, 429]);
      expect((await statuses(101, t.partnerKey, second)).slice(-2)).toEqual([200, 429]);
    }
  });

  sandboxRule('what a body is about decides the pool as well', async () => {
    const { id, enrolmentId } = await secondOrganisation();
    const ask = (organisation_id: string, enrolment: string) =>
      t.partner(
        'POST',
        '/v1/rulesets',
        ruleset(t, { organisation_id, enrolment_ids: [enrolment] }),
      );
    for (let index = 0; index < 100; index += 1) await ask(t.organisationId, t.rdrEnrolmentId);
    expect((await ask(t.organisationId, t.rdrEnrolmentId)).status).toBe(429);
    expect((await ask(id, enrolmentId)).status).toBe(201);
  });

  sandboxRule('partner and organisation keys share the pools of an organisation', async () => {
    const path = `/v1/rulesets?organisation_id=${t.organisationId}`;
    await statuses(60, t.partnerKey, path);
    const answers = await statuses(41, t.organisationKey, path);
    expect([answers[39], answers[40]]).toEqual([200, 429]);
  });

  sandboxRule('what a partner key does not reach uses up no pool of its owner', async () => {
    const group = (await t.control('POST', '/groups', { name: 'Without any' })).json.id;
    const key = (await t.control('POST', '/keys', { group_id: group })).json.token;
    const path = `/v1/rulesets?organisation_id=${t.organisationId}`;
    expect((await statuses(101, key, path)).slice(-2)).toEqual([404, 429]);
    expect((await t.org('GET', path)).status).toBe(200);
  });

  sandboxRule('order creates of a partner key are limited per partner group', async () => {
    for (let index = 0; index < 100; index += 1) await t.partner('POST', '/v1/orders/', []);
    expect((await t.partner('POST', '/v1/orders/', [])).status).toBe(429);
    expect((await t.org('POST', '/v1/orders/', [])).status).toBe(422);
  });

  sandboxRule('requests without a valid key use up no pool', async () => {
    for (let index = 0; index < 101; index += 1) {
      await t.send({ key: 'wrong', method: 'GET', path: '/v1/alerts/' });
    }
    expect((await t.org('GET', '/v1/alerts/')).status).toBe(200);
  });
});

describe('paths', () => {
  for (const path of [
    '/v1/rulesets',
    '/v1/orders',
    '/v1/alerts',
    '/v1/integrations',
    '/v1/lookups',
  ]) {
    rule(`GET ${path} answers with and without trailing slash`, async () => {
      expect((await t.org('GET', path)).status).toBe(200);
      expect((await t.org('GET', `${path}/`)).status).toBe(200);
    });
  }

  for (const path of ['/v1/merchants', '/v2/enrolments', '/v1/enrolments']) {
    rule(`partner GET ${path} answers with and without trailing slash`, async () => {
      expect((await t.partner('GET', path)).status).toBe(200);
      expect((await t.partner('GET', `${path}/`)).status).toBe(200);
    });
  }

  rule('writes answer with and without trailing slash', async () => {
    expect((await t.org('POST', '/v1/orders', [completeOrder(t)])).status).toBe(200);
    expect((await t.org('POST', '/v1/rulesets/', ruleset(t))).status).toBe(201);
    const { id } = (await t.org('POST', '/v1/simulate/alerts/', alertSimulation(t))).json;
    expect((await t.org('PATCH', `/v1/alerts/${id}/`, { action: 'REFUND' })).status).toBe(200);
  });

  sandboxRule('a path and its slash share one rate pool', async () => {
    for (let index = 0; index < 50; index += 1) {
      await t.org('GET', '/v1/alerts');
      await t.org('GET', '/v1/alerts/');
    }
    expect((await t.org('GET', '/v1/alerts')).status).toBe(429);
  });

  rule('what does not exist is 404 in JSON', async () => {
    const reply = await t.org('GET', '/v1/nothing-here');
    expect(reply.status).toBe(404);
  });
});

describe('errors', () => {
  rule('a refusal is an envelope of errors with code and message', async () => {
    const reply = await t.org('GET', '/v1/alerts/netalrt_none');
    expect(reply.json).toEqual({ errors: [{ code: 'NOT_FOUND', message: expect.any(String) }] });
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  });

  rule('a refusal of a field names the field', async () => {
    const reply = await t.org('POST', '/v1/rulesets', ruleset(t, { outcome: 'X' }));
    expect(reply.json.errors[0]).toEqual({
      code: expect.any(String),
      message: expect.any(String),
      field: 'outcome',
    });
  });

  sandboxRule('server errors can occur without any effect', async () => {
    t.sandbox.addFault({ on: 'POST /v1/orders/', kind: 'status', status: 503 });
    const order = completeOrder(t);
    expect((await t.org('POST', '/v1/orders/', [order])).status).toBe(503);
    expect((await t.org('POST', '/v1/orders/', [order])).status).toBe(200);
  });
});
