/** Guarantee: the deprecated v1 enrolment paths show the same enrolments in the v1 form. */
import { expect } from 'vitest';
import { contract, errorOf, rule, sandboxRule, unique } from './support/contract.ts';

const t = contract();

function body(changes: object = {}): object {
  return {
    merchant_id: t.merchantId,
    type: 'NETA_ALERT',
    neta_alert: { descriptors: [{ descriptor: unique('ACME'), match_type: 'STARTS_WITH' }] },
    ...changes,
  };
}

rule('v1 takes and shows one merchant_id and no descriptor status', async () => {
  const sent = body();
  const reply = await t.partner('POST', '/v1/enrolments', sent);
  expect(reply.status).toBe(201);
  expect(reply.json).toEqual({
    ...sent,
    id: expect.stringMatching(/^enrl_/),
    organisation_id: t.organisationId,
    status: 'PENDING',
    note: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
    links: [{ rel: 'self', uri: `/v1/enrolments/${reply.json.id}` }],
  });
});

rule('v1 and v2 show the same enrolment', async () => {
  const { id } = (await t.partner('POST', '/v1/enrolments', body())).json;
  const v2 = (await t.partner('GET', `/v2/enrolments/${id}`)).json;
  expect(v2).toMatchObject({ id, merchant_ids: [t.merchantId], status: 'PENDING' });
  const v1 = (await t.partner('GET', `/v1/enrolments/${id}`)).json;
  expect(v1).toMatchObject({ id, merchant_id: t.merchantId, status: 'PENDING' });
});

rule('v1 lists with the same filters', async () => {
  const { id } = (await t.partner('POST', '/v1/enrolments', body())).json;
  const path = `/v1/enrolments?merchant_id=${t.merchantId}&status=PENDING&type=NETA_ALERT`;
  const { items } = (await t.partner('GET', path)).json;
  expect(items.map((item: { id: string }) => item.id)).toContain(id);
});

rule('v1 cancels PENDING enrolments only', async () => {
  const { id } = (await t.partner('POST', '/v1/enrolments', body())).json;
  const first = await t.partner('DELETE', `/v1/enrolments/${id}`);
  expect(first.json).toMatchObject({
    status: 'CANCELLED',
    note: 'Enrolment cancelled via API request',
  });
  const second = await t.partner('DELETE', `/v1/enrolments/${id}`);
  expect([second.status, errorOf(second).code]).toEqual([422, 'ENROLMENT_NOT_PENDING']);
});

rule('PATCH exists only in v2', async () => {
  const { id } = (await t.partner('POST', '/v1/enrolments', body())).json;
  const reply = await t.partner('PATCH', `/v1/enrolments/${id}`, {});
  expect(reply.status).toBe(404);
});

sandboxRule('v1 needs the abilities enrolments:read and enrolments:write', async () => {
  const { partnerGroupId: groupId } = t.sandbox.accounts;
  const abilities = ['enrolments_v2:read', 'enrolments_v2:write'];
  const key = (await t.control('POST', '/keys', { group_id: groupId, abilities })).json.token;
  const read = await t.send({ key, method: 'GET', path: '/v1/enrolments' });
  const write = await t.send({ key, method: 'POST', path: '/v1/enrolments', body: body() });
  expect([read.status, write.status]).toEqual([403, 403]);
});
