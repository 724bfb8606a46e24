/** Guarantee: merchants behave as section Merchants of the specification says. */
import { describe, expect } from 'vitest';
import { contract, errorOf, rule, sandboxRule, unique } from './support/contract.ts';

const t = contract();

function merchant(changes: object = {}): object {
  return { organisation_id: t.organisationId, name: unique('Shop'), type: 'GENERIC', ...changes };
}

async function createMerchant(changes: object = {}): Promise<{ id: string; name: string }> {
  const reply = await t.partner('POST', '/v1/merchants', merchant(changes));
  expect(reply.status).toBe(201);
  return reply.json;
}

describe('create', () => {
  rule('a merchant is created and answered with its self link', async () => {
    const body = merchant({
      external_id: 'mid-1',
      default_representment_service_type: 'PHYSICAL_GOODS',
    });
    const reply = await t.partner('POST', '/v1/merchants', body);
    expect(reply.json).toEqual({
      ...body,
      id: expect.stringMatching(/^mrch_/),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      links: [{ rel: 'self', uri: `/v1/merchants/${reply.json.id}` }],
    });
  });

  rule('external_id and service type are optional and null then', async () => {
    const created = await createMerchant();
    expect(created).toMatchObject({ external_id: null, default_representment_service_type: null });
  });

  for (const [field, code] of [
    ['external_id', 'VALIDATION_INVALID_TYPE'],
    ['default_representment_service_type', 'INVALID_REPRESENTMENT_SERVICE_TYPE'],
  ]) {
    rule(`a new merchant takes no null for ${field}, which only an update clears`, async () => {
      const reply = await t.partner('POST', '/v1/merchants', merchant({ [`${field}`]: null }));
      expect([reply.status, errorOf(reply).code, errorOf(reply).field]).toEqual([422, code, field]);
    });
  }

  for (const field of ['organisation_id', 'name', 'type']) {
    rule(`a merchant without ${field} is refused`, async () => {
      const reply = await t.partner('POST', '/v1/merchants', merchant({ [field]: undefined }));
      expect(reply.status).toBe(422);
      expect(errorOf(reply).field).toBe(field);
    });
  }

  rule('a merchant name has at least one character', async () => {
    expect((await t.partner('POST', '/v1/merchants', merchant({ name: '' }))).status).toBe(422);
    expect((await t.partner('POST', '/v1/merchants', merchant({ name: 'A' }))).status).toBe(201);
  });

  rule('external_id has at most 250 characters', async () => {
    const longest = await t.partner(
      'POST',
      '/v1/merchants',
      merchant({ external_id: 'x'.repeat(250) }),
    );
    const tooLong = await t.partner(
      'POST',
      '/v1/merchants',
      merchant({ external_id: 'x'.repeat(251) }),
    );
    expect([longest.status, tooLong.status]).toEqual([201, 422]);
    expect(errorOf(tooLong).field).toBe('external_id');
  });

  rule('an unsupported merchant type is INVALID_MERCHANT_TYPE', async () => {
    const reply = await t.partner('POST', '/v1/merchants', merchant({ type: 'NO_SUCH_TYPE' }));
    expect([reply.status, errorOf(reply).code]).toEqual([422, 'INVALID_MERCHANT_TYPE']);
  });

  for (const type of ['PHYSICAL_GOODS', 'ONLINE_SERVICES', 'OFFLINE_SERVICES']) {
    rule(`service type ${type} is accepted`, async () => {
      const created = await createMerchant({ default_representment_service_type: type });
      expect(created).toMatchObject({ default_representment_service_type: type });
    });
  }

  rule('any other service type is INVALID_REPRESENTMENT_SERVICE_TYPE', async () => {
    const body = merchant({ default_representment_service_type: 'SOMETHING' });
    const reply = await t.partner('POST', '/v1/merchants', body);
    expect([reply.status, errorOf(reply).code]).toEqual([
      422,
      'INVALID_REPRESENTMENT_SERVICE_TYPE',
    ]);
  });

  rule('an organisation that is not accessible is 404', async () => {
    const reply = await t.partner(
      'POST',
      '/v1/merchants',
      merchant({ organisation_id: 'org_none' }),
    );
    expect([reply.status, errorOf(reply).code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('update', () => {
  rule('a merchant update takes any of its four fields', async () => {
    const { id } = await createMerchant();
    const reply = await t.partner('PATCH', `/v1/merchants/${id}`, {
      name: 'Renamed',
      type: 'CUSTOM',
      external_id: 'new',
      default_representment_service_type: 'ONLINE_SERVICES',
    });
    expect(reply.json).toMatchObject({
      name: 'Renamed',
      type: 'CUSTOM',
      external_id: 'new',
      default_representment_service_type: 'ONLINE_SERVICES',
    });
  });

  rule('a merchant update needs at least one field', async () => {
    const { id } = await createMerchant();
    expect((await t.partner('PATCH', `/v1/merchants/${id}`, {})).status).toBe(422);
  });

  rule('null clears external_id and the service type', async () => {
    const { id } = await createMerchant({
      external_id: 'mid',
      default_representment_service_type: 'PHYSICAL_GOODS',
    });
    const reply = await t.partner('PATCH', `/v1/merchants/${id}`, {
      external_id: null,
      default_representment_service_type: null,
    });
    expect(reply.json).toMatchObject({
      external_id: null,
      default_representment_service_type: null,
    });
  });

  rule('a type change with related records is MERCHANT_TYPE_CHANGE_RESTRICTED', async () => {
    const reply = await t.partner('PATCH', `/v1/merchants/${t.merchantId}`, { type: 'CUSTOM' });
    expect([reply.status, errorOf(reply).code]).toEqual([422, 'MERCHANT_TYPE_CHANGE_RESTRICTED']);
  });

  sandboxRule('an integration alone blocks a type change', async () => {
    const { id } = await createMerchant();
    await t.control('POST', '/integrations', { merchant_ids: [id] });
    const reply = await t.partner('PATCH', `/v1/merchants/${id}`, { type: 'CUSTOM' });
    expect(errorOf(reply).code).toBe('MERCHANT_TYPE_CHANGE_RESTRICTED');
  });

  sandboxRule('a data provider alone blocks a type change', async () => {
    const body = { name: 'Shop', data_providers: ['provider'] };
    const { id } = (await t.control('POST', '/merchants', body)).json;
    const reply = await t.partner('PATCH', `/v1/merchants/${id}`, { type: 'CUSTOM' });
    expect(errorOf(reply).code).toBe('MERCHANT_TYPE_CHANGE_RESTRICTED');
  });

  rule('other fields can still change when the type cannot', async () => {
    const before = (await t.partner('GET', `/v1/merchants/${t.merchantId}`)).json;
    const body = { name: before.name, external_id: 'still' };
    const reply = await t.partner('PATCH', `/v1/merchants/${t.merchantId}`, body);
    expect([reply.status, reply.json.external_id]).toEqual([200, 'still']);
  });
});

describe('read and delete', () => {
  rule('a merchant is read by id', async () => {
    const created = await createMerchant();
    const reply = await t.partner('GET', `/v1/merchants/${created.id}`);
    expect(reply.json).toEqual(created);
  });

  rule('deleting a merchant answers 204 with an empty body', async () => {
    const { id } = await createMerchant();
    const reply = await t.partner('DELETE', `/v1/merchants/${id}`);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect((await t.partner('GET', `/v1/merchants/${id}`)).status).toBe(404);
  });

  rule('deleting a merchant with enrolments is MERCHANT_DELETION_RESTRICTED', async () => {
    const reply = await t.partner('DELETE', `/v1/merchants/${t.merchantId}`);
    expect([reply.status, errorOf(reply).code]).toEqual([422, 'MERCHANT_DELETION_RESTRICTED']);
  });

  sandboxRule('deleting a merchant with alerts alone is restricted as well', async () => {
    const { id } = await createMerchant();
    const enrolment = { type: 'NETA_ALERT', merchant_ids: [id], descriptors: [] };
    const { id: enrolmentId } = (await t.control('POST', '/enrolments', enrolment)).json;
    await t.control('POST', '/alerts', { enrolment_id: enrolmentId });
    t.sandbox.state.enrolments.delete(enrolmentId);
    const reply = await t.partner('DELETE', `/v1/merchants/${id}`);
    expect(errorOf(reply).code).toBe('MERCHANT_DELETION_RESTRICTED');
  });
});

describe('list', () => {
  async function names(query: string): Promise<string[]> {
    const reply = await t.partner('GET', `/v1/merchants?${query}`);
    expect(reply.status).toBe(200);
    return reply.json.items.map((item: { name: string }) => item.name);
  }

  rule('merchants are listed as items and count', async () => {
    const reply = await t.partner('GET', '/v1/merchants');
    expect(reply.json).toEqual({ items: expect.any(Array), count: expect.any(Number) });
  });

  rule('the name filter is a case-insensitive partial match', async () => {
    const { name } = await createMerchant();
    expect(await names(`name=${name.slice(1).toUpperCase()}`)).toEqual([name]);
  });

  rule('the external_id filter is exact', async () => {
    const external = unique('mid');
    const { name } = await createMerchant({ external_id: external });
    expect(await names(`external_id=${external}`)).toEqual([name]);
    expect(await names(`external_id=${external.slice(0, -1)}`)).toEqual([]);
  });

  sandboxRule('type and organisation filter merchants', async () => {
    const custom = await createMerchant({ type: 'CUSTOM' });
    expect(await names('type=CUSTOM')).toEqual([custom.name]);
    const other = (await t.control('POST', '/organisations', { name: 'Other' })).json.id;
    const theirs = await createMerchant({ organisation_id: other });
    expect(await names(`organisation_id=${other}`)).toEqual([theirs.name]);
  });

  rule('an organisation filter out of scope is 404', async () => {
    const reply = await t.partner('GET', '/v1/merchants?organisation_id=org_none');
    expect(reply.status).toBe(404);
  });

  sandboxRule('merchants sort by name, type and times, newest first by default', async () => {
    await t.sandbox.advance(1000);
    const b = await createMerchant({ name: 'B', type: 'PROCESSOR' });
    await t.sandbox.advance(1000);
    const a = await createMerchant({ name: 'A', type: 'CUSTOM' });
    await t.sandbox.advance(1000);
    await t.partner('PATCH', `/v1/merchants/${b.id}`, { external_id: 'touched' });
    const demo = 'Demo store';
    expect(await names('')).toEqual([a.name, b.name, demo]);
    expect(await names('sort=-created_at')).toEqual([a.name, b.name, demo]);
    expect(await names('sort=created_at')).toEqual([demo, b.name, a.name]);
    expect(await names('sort=name')).toEqual(['A', 'B', demo]);
    expect(await names('sort=-name')).toEqual([demo, 'B', 'A']);
    expect(await names('sort=type')).toEqual([a.name, demo, b.name]);
    expect(await names('sort=-type')).toEqual([b.name, demo, a.name]);
    expect(await names('sort=-updated_at')).toEqual([b.name, a.name, demo]);
    expect(await names('sort=updated_at')).toEqual([demo, a.name, b.name]);
  });

  sandboxRule('limit and offset page through merchants', async () => {
    await createMerchant({ name: 'A' });
    await createMerchant({ name: 'B' });
    const reply = await t.partner('GET', '/v1/merchants?sort=name&limit=1&offset=1');
    expect(reply.json).toMatchObject({ items: [{ name: 'B' }], count: 3 });
  });
});
