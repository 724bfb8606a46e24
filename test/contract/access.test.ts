/** Guarantee: keys, abilities and scopes are answered 401, 403 and 404 as Authentication says. */
import { describe, expect } from 'vitest';
import { contract, errorOf, rule, sandboxRule } from './support/contract.ts';
import { alertEnrolment, alertSimulation, completeOrder, ruleset } from './support/examples.ts';

const t = contract();

describe('keys', () => {
  rule('a request without a key is 401 UNAUTHORISED', async () => {
    const reply = await t.send({ method: 'GET', path: '/v1/alerts/' });
    expect([reply.status, errorOf(reply).code]).toEqual([401, 'UNAUTHORISED']);
  });

  rule('an invalid key is 401 UNAUTHORISED', async () => {
    const reply = await t.send({ key: 'no-such-key', method: 'GET', path: '/v1/alerts/' });
    expect([reply.status, errorOf(reply).code]).toEqual([401, 'UNAUTHORISED']);
  });

  sandboxRule('an expired key is 401 UNAUTHORISED', async () => {
    const body = { expires_at: '2026-11-20T00:00:10Z' };
    const key = (await t.control('POST', '/keys', body)).json.token;
    const request = { key, method: 'GET', path: '/v1/alerts/' };
    expect((await t.send(request)).status).toBe(200);
    await t.sandbox.advance(10_000);
    const reply = await t.send(request);
    expect([reply.status, errorOf(reply).code]).toEqual([401, 'UNAUTHORISED']);
  });

  sandboxRule('a key that was withdrawn is 401 UNAUTHORISED', async () => {
    const { id, token: key } = (await t.control('POST', '/keys', {})).json;
    await t.control('DELETE', `/keys/${id}`);
    expect((await t.send({ key, method: 'GET', path: '/v1/alerts/' })).status).toBe(401);
  });

  rule('a scheme other than Bearer is 401', async () => {
    const headers = { Authorization: `Basic ${t.organisationKey}` };
    const reply = await t.send({ method: 'GET', path: '/v1/alerts/', headers });
    expect(reply.status).toBe(401);
  });
});

describe('abilities', () => {
  /** One call per ability: what it grants. */
  const calls: [string, 'org' | 'partner', string, string, () => unknown][] = [
    ['rulesets:read', 'org', 'GET', '/v1/rulesets', () => undefined],
    ['rulesets:write', 'org', 'POST', '/v1/rulesets', () => ruleset(t)],
    ['merchants:read', 'partner', 'GET', '/v1/merchants', () => undefined],
    [
      'merchants:write',
      'partner',
      'POST',
      '/v1/merchants',
      () => ({ organisation_id: t.organisationId, name: 'M', type: 'GENERIC' }),
    ],
    ['enrolments_v2:read', 'partner', 'GET', '/v2/enrolments', () => undefined],
    ['enrolments_v2:write', 'partner', 'POST', '/v2/enrolments', () => alertEnrolment(t)],
    ['enrolments:read', 'partner', 'GET', '/v1/enrolments', () => undefined],
    [
      'enrolments:write',
      'partner',
      'POST',
      '/v1/enrolments',
      () => ({ ...alertEnrolment(t), merchant_id: t.merchantId }),
    ],
    ['orders:read', 'org', 'GET', '/v1/orders/', () => undefined],
    ['orders:write', 'org', 'POST', '/v1/orders/', () => [completeOrder(t)]],
    ['orders:update', 'org', 'PATCH', '/v1/orders/ord_none', () => ({ order_status: 'OTHER' })],
    ['alerts:read', 'org', 'GET', '/v1/alerts/', () => undefined],
    ['alerts:write', 'org', 'PATCH', '/v1/alerts/netalrt_none', () => ({ action: 'REFUND' })],
    ['lookups:read', 'org', 'GET', '/v1/lookups/', () => undefined],
    ['integrations:read', 'org', 'GET', '/v1/integrations/', () => undefined],
    ['simulations:alerts', 'org', 'POST', '/v1/simulate/alerts', () => alertSimulation(t)],
    [
      'simulations:enrollments',
      'org',
      'PATCH',
      '/v1/simulate/enrolments/enrl_none',
      () => ({ status: 'ENABLED' }),
    ],
    [
      'simulations:lookups',
      'org',
      'POST',
      '/v1/simulate/lookups',
      () => ({ organisation_id: t.organisationId, type: 'NETB_ORDER_INSIGHT' }),
    ],
    [
      'simulations:scheme_notices',
      'org',
      'POST',
      '/v1/simulate/scheme-notices',
      () => ({ organisation_id: t.organisationId }),
    ],
  ];
  const every = calls.map(([ability]) => ability);

  for (const [ability, level, method, path, body] of calls) {
    sandboxRule(`${ability} is needed and enough for ${method} ${path}`, async () => {
      const owner = level === 'org' ? {} : { group_id: t.sandbox.accounts.partnerGroupId };
      const others = every.filter((each) => each !== ability);
      const without = (await t.control('POST', '/keys', { ...owner, abilities: others })).json
        .token;
      const only = (await t.control('POST', '/keys', { ...owner, abilities: [ability] })).json
        .token;
      const refused = await t.send({ key: without, method, path, body: body() });
      expect([refused.status, errorOf(refused).code]).toEqual([403, 'FORBIDDEN']);
      const allowed = await t.send({ key: only, method, path, body: body() });
      expect([401, 403]).not.toContain(allowed.status);
    });
  }

  sandboxRule('integrations:write can be granted although nothing uses it', async () => {
    const reply = await t.control('POST', '/keys', { abilities: ['integrations:write'] });
    expect(reply.json.abilities).toEqual(['integrations:write']);
  });

  sandboxRule('new keys have the v2 enrolment abilities and not those of v1', async () => {
    const { abilities } = (await t.control('POST', '/keys', {})).json;
    expect(abilities).toContain('enrolments_v2:write');
    expect(abilities).not.toContain('enrolments:write');
  });
});

describe('partner-only endpoints', () => {
  for (const [method, path] of [
    ['GET', '/v1/merchants'],
    ['POST', '/v1/merchants'],
    ['GET', '/v1/merchants/mrch_any'],
    ['PATCH', '/v1/merchants/mrch_any'],
    ['DELETE', '/v1/merchants/mrch_any'],
    ['GET', '/v2/enrolments'],
    ['POST', '/v2/enrolments'],
    ['GET', '/v2/enrolments/enrl_any'],
    ['PATCH', '/v2/enrolments/enrl_any'],
    ['DELETE', '/v2/enrolments/enrl_any'],
  ] as const) {
    rule(`an organisation key gets 401 from ${method} ${path}`, async () => {
      const reply = await t.org(method, path, method === 'GET' ? undefined : {});
      expect([reply.status, errorOf(reply).code]).toEqual([401, 'UNAUTHORISED']);
    });
  }

  rule('rulesets and orders take organisation and partner keys', async () => {
    for (const path of ['/v1/rulesets', '/v1/orders/']) {
      expect((await t.org('GET', path)).status).toBe(200);
      expect((await t.partner('GET', path)).status).toBe(200);
    }
  });
});

describe('scopes', () => {
  /** A second organisation of the partner, a group that is assigned to it, and a stranger. */
  async function accounts() {
    const { partnerId } = t.sandbox.accounts;
    const sister = (await t.control('POST', '/organisations', { name: 'Sister' })).json.id;
    const group = { partner_id: partnerId, admin: false, organisation_ids: [sister] };
    const groupId = (await t.control('POST', '/groups', group)).json.id;
    const groupKey = (await t.control('POST', '/keys', { group_id: groupId })).json.token;
    const sisterKey = (await t.control('POST', '/keys', { organisation_id: sister })).json.token;
    const merchant = { name: 'Sister shop', organisation_id: sister };
    const merchantId = (await t.control('POST', '/merchants', merchant)).json.id;
    const enrolment = { type: 'NETA_ALERT', merchant_ids: [merchantId] };
    const enrolmentId = (await t.control('POST', '/enrolments', enrolment)).json.id;
    const alertId = (await t.control('POST', '/alerts', { enrolment_id: enrolmentId })).json.id;
    return { sister, sisterKey, groupKey, merchantId, enrolmentId, alertId };
  }

  async function status(key: string, path: string): Promise<number> {
    return (await t.send({ key, method: 'GET', path })).status;
  }

  sandboxRule('an organisation key reaches its own organisation only', async () => {
    const { alertId, sisterKey } = await accounts();
    expect(await status(t.organisationKey, `/v1/alerts/${alertId}`)).toBe(404);
    expect(await status(sisterKey, `/v1/alerts/${alertId}`)).toBe(200);
  });

  sandboxRule('an admin partner group reaches all organisations of its partner', async () => {
    const { alertId, merchantId, enrolmentId } = await accounts();
    for (const path of [
      `/v1/alerts/${alertId}`,
      `/v1/merchants/${merchantId}`,
      `/v1/merchants/${t.merchantId}`,
      `/v2/enrolments/${enrolmentId}`,
    ]) {
      expect(await status(t.partnerKey, path)).toBe(200);
    }
  });

  sandboxRule('another partner group reaches only the organisations assigned to it', async () => {
    const { alertId, merchantId, enrolmentId, groupKey } = await accounts();
    const assigned = [
      `/v1/alerts/${alertId}`,
      `/v1/merchants/${merchantId}`,
      `/v2/enrolments/${enrolmentId}`,
    ];
    for (const path of assigned) expect(await status(groupKey, path)).toBe(200);
    const own = await t.control('POST', '/alerts', {});
    const outside = [
      `/v1/alerts/${own.json.id}`,
      `/v1/merchants/${t.merchantId}`,
      `/v2/enrolments/${t.alertEnrolmentId}`,
    ];
    for (const path of outside) expect(await status(groupKey, path)).toBe(404);
    const { items } = (await t.send({ key: groupKey, method: 'GET', path: '/v1/merchants' })).json;
    expect(items.map((item: { id: string }) => item.id)).toEqual([merchantId]);
  });

  sandboxRule('a partner group does not reach organisations of another partner', async () => {
    const partnerId = t.sandbox.state.partners.set('prtn_x', { id: 'prtn_x', name: 'X' }).size;
    expect(partnerId).toBe(2);
    const stranger = { name: 'Stranger', partner_id: 'prtn_x' };
    const { id } = (await t.control('POST', '/organisations', stranger)).json;
    const merchant = { name: 'Their shop', organisation_id: id };
    const merchantId = (await t.control('POST', '/merchants', merchant)).json.id;
    expect(await status(t.partnerKey, `/v1/merchants/${merchantId}`)).toBe(404);
    expect(await status(t.partnerKey, `/v1/rulesets?organisation_id=${id}`)).toBe(404);
  });
});
