/** Guarantee: enrolments (v2) behave as section Enrolments v2 and their state tables say. */
import { describe, expect } from 'vitest';
import { contract, errorOf, rule, sandboxRule, unique } from './support/contract.ts';
import { alertEnrolment } from './support/examples.ts';

const t = contract();

function rdr(netbRdr: object | undefined): object {
  return { merchant_ids: [t.merchantId], type: 'NETB_RDR', netb_rdr: netbRdr };
}

async function create(body: object): Promise<{ id: string; [field: string]: unknown }> {
  const reply = await t.partner('POST', '/v2/enrolments', body);
  expect(reply.text).toContain('PENDING');
  return reply.json;
}

async function codeOf(body: object): Promise<string> {
  const reply = await t.partner('POST', '/v2/enrolments', body);
  return `${reply.status} ${errorOf(reply).code}`;
}

function netaAlert(...descriptors: [string, string][]): object {
  return {
    neta_alert: {
      descriptors: descriptors.map(([descriptor, match]) => ({ descriptor, match_type: match })),
    },
  };
}

describe('create', () => {
  rule('an alert enrolment starts PENDING with note null and pending descriptors', async () => {
    const descriptor = unique('ACME');
    const reply = await t.partner(
      'POST',
      '/v2/enrolments',
      alertEnrolment(t, netaAlert([descriptor, 'STARTS_WITH'])),
    );
    expect(reply.status).toBe(201);
    expect(reply.json).toEqual({
      id: expect.stringMatching(/^enrl_/),
      organisation_id: t.organisationId,
      merchant_ids: [t.merchantId],
      type: 'NETA_ALERT',
      status: 'PENDING',
      neta_alert: { descriptors: [{ descriptor, match_type: 'STARTS_WITH', status: 'PENDING' }] },
      note: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      links: [{ rel: 'self', uri: `/v2/enrolments/${reply.json.id}` }],
    });
  });

  sandboxRule('creating an enrolment emits enrolment.created', async () => {
    const { id } = await create(alertEnrolment(t));
    const events = t.sandbox.events().map(({ type, body }) => [type, JSON.parse(`${body}`)]);
    expect(events).toHaveLength(1);
    expect(events[0]?.[0]).toBe('enrolment.created');
    expect(events[0]?.[1].data.object.id).toBe(id);
  });

  rule('an RDR enrolment by BIN and CAID shows arns as null', async () => {
    const caid = unique('A').replaceAll('-', '').slice(-15);
    const { netb_rdr: config } = await create(rdr({ bin: '512345', caid }));
    expect(config).toEqual({ bin: '512345', caid, arns: null });
  });

  rule('an RDR enrolment by ARNs needs at least one', async () => {
    const arns = ['74537604221431003881865'];
    const { netb_rdr: config } = await create(rdr({ arns }));
    expect(config).toEqual({ bin: null, caid: null, arns });
    expect(await codeOf(rdr({ arns: [] }))).toBe('422 INVALID_NETB_RDR_CONFIG');
  });

  for (const [title, config] of [
    ['BIN without CAID', { bin: '512345' }],
    ['CAID without BIN', { caid: 'ACME1' }],
    ['BIN, CAID and ARNs together', { bin: '512345', caid: 'ACME1', arns: ['1'] }],
    ['neither a pair nor ARNs', {}],
    ['a BIN that is none', { bin: 'abc', caid: 'ACME1' }],
  ] as const) {
    rule(`${title} is INVALID_NETB_RDR_CONFIG`, async () => {
      expect(await codeOf(rdr(config))).toBe('422 INVALID_NETB_RDR_CONFIG');
    });
  }

  rule('an alert enrolment without neta_alert is MISSING_NETA_ALERT_CONFIG', async () => {
    const body = alertEnrolment(t, { neta_alert: undefined });
    expect(await codeOf(body)).toBe('422 MISSING_NETA_ALERT_CONFIG');
  });

  rule('an RDR enrolment without netb_rdr is MISSING_NETB_RDR_CONFIG', async () => {
    expect(await codeOf(rdr(undefined))).toBe('422 MISSING_NETB_RDR_CONFIG');
  });

  rule('a descriptor has at least one character and the list at least one entry', async () => {
    const empty = alertEnrolment(t, { neta_alert: { descriptors: [] } });
    const blank = alertEnrolment(t, netaAlert(['', 'STARTS_WITH']));
    const fieldOf = async (body: object): Promise<string | undefined> =>
      errorOf(await t.partner('POST', '/v2/enrolments', body)).field;
    expect(await fieldOf(empty)).toBe('neta_alert.descriptors');
    expect(await fieldOf(blank)).toBe('neta_alert.descriptors.0.descriptor');
  });

  rule('a match type other than the two is INVALID_MATCH_TYPE', async () => {
    const body = alertEnrolment(t, netaAlert([unique('ACME'), 'CONTAINS']));
    expect(await codeOf(body)).toBe('422 INVALID_MATCH_TYPE');
  });

  rule('EXACT_MATCH is accepted for a descriptor', async () => {
    const created = await create(alertEnrolment(t, netaAlert([unique('ACME'), 'EXACT_MATCH'])));
    expect(created).toMatchObject({ neta_alert: { descriptors: [{ match_type: 'EXACT_MATCH' }] } });
  });

  rule('a descriptor that repeats within a new enrolment is DUPLICATE_DESCRIPTOR', async () => {
    const descriptor = unique('ACME');
    const twice = netaAlert([descriptor, 'EXACT_MATCH'], [descriptor, 'EXACT_MATCH']);
    expect(await codeOf(alertEnrolment(t, twice))).toBe('422 DUPLICATE_DESCRIPTOR');
  });

  rule('duplicate merchant ids are DUPLICATE_MERCHANT_IDS', async () => {
    const body = alertEnrolment(t, { merchant_ids: [t.merchantId, t.merchantId] });
    expect(await codeOf(body)).toBe('422 DUPLICATE_MERCHANT_IDS');
  });

  rule('merchant_ids needs at least one', async () => {
    const reply = await t.partner(
      'POST',
      '/v2/enrolments',
      alertEnrolment(t, { merchant_ids: [] }),
    );
    expect([reply.status, errorOf(reply).field]).toEqual([422, 'merchant_ids']);
  });

  sandboxRule('merchants of two organisations are MERCHANTS_DIFFERENT_ORGANISATIONS', async () => {
    const other = (await t.control('POST', '/organisations', { name: 'Other' })).json.id;
    const merchant = { name: 'Theirs', organisation_id: other };
    const { id } = (await t.control('POST', '/merchants', merchant)).json;
    const body = alertEnrolment(t, { merchant_ids: [t.merchantId, id] });
    expect(await codeOf(body)).toBe('422 MERCHANTS_DIFFERENT_ORGANISATIONS');
  });

  rule('a merchant that does not exist is 404', async () => {
    const body = alertEnrolment(t, { merchant_ids: ['mrch_none'] });
    expect(await codeOf(body)).toBe('404 NOT_FOUND');
  });

  rule('only NETA_ALERT and NETB_RDR can be created', async () => {
    const body = alertEnrolment(t, { type: 'NETB_ORDER_INSIGHT' });
    const reply = await t.partner('POST', '/v2/enrolments', body);
    expect([reply.status, errorOf(reply).field]).toEqual([422, 'type']);
  });

  sandboxRule('what the first network refuses is NETA_ALERT_ENROLLMENT_ERROR', async () => {
    const body = alertEnrolment(t, netaAlert(['\u0007BELL', 'STARTS_WITH']));
    expect(await codeOf(body)).toBe('422 NETA_ALERT_ENROLLMENT_ERROR');
  });

  sandboxRule('what the second network refuses is NETB_RDR_ENROLLMENT_ERROR', async () => {
    const body = rdr({ bin: '512345', caid: 'ACME1' });
    await create(body);
    expect(await codeOf(body)).toBe('422 NETB_RDR_ENROLLMENT_ERROR');
  });
});

describe('append', () => {
  sandboxRule('appended descriptors start PENDING, the rest and the status stay', async () => {
    const { id } = await create(alertEnrolment(t, netaAlert(['ACME ONE', 'STARTS_WITH'])));
    await t.partner('PATCH', `/v1/simulate/enrolments/${id}`, { status: 'ENABLED' });
    const path = `/v2/enrolments/${id}`;
    const reply = await t.partner('PATCH', path, netaAlert(['ACME TWO', 'EXACT_MATCH']));
    expect(reply.json).toMatchObject({
      status: 'ENABLED',
      neta_alert: {
        descriptors: [
          { descriptor: 'ACME ONE', match_type: 'STARTS_WITH', status: 'PENDING' },
          { descriptor: 'ACME TWO', match_type: 'EXACT_MATCH', status: 'PENDING' },
        ],
      },
    });
  });

  sandboxRule('appending emits enrolment.updated with the old descriptors', async () => {
    const { id } = await create(alertEnrolment(t, netaAlert(['ACME ONE', 'STARTS_WITH'])));
    await t.partner('PATCH', `/v2/enrolments/${id}`, netaAlert(['ACME TWO', 'EXACT_MATCH']));
    const last = t.sandbox.events().at(-1);
    expect(last?.type).toBe('enrolment.updated');
    expect(JSON.parse(`${last?.body}`).data.previous_attributes).toEqual({
      neta_alert: {
        descriptors: [{ descriptor: 'ACME ONE', match_type: 'STARTS_WITH', status: 'PENDING' }],
      },
    });
  });

  rule('the same text with another match type is another descriptor', async () => {
    const descriptor = unique('ACME');
    const { id } = await create(alertEnrolment(t, netaAlert([descriptor, 'STARTS_WITH'])));
    const again = netaAlert([descriptor, 'EXACT_MATCH']);
    expect((await t.partner('PATCH', `/v2/enrolments/${id}`, again)).status).toBe(200);
  });

  rule('a descriptor and match type that exist are DUPLICATE_DESCRIPTOR', async () => {
    const descriptor = unique('ACME');
    const { id } = await create(alertEnrolment(t, netaAlert([descriptor, 'STARTS_WITH'])));
    const again = netaAlert([unique('NEW'), 'STARTS_WITH'], [descriptor, 'STARTS_WITH']);
    const reply = await t.partner('PATCH', `/v2/enrolments/${id}`, again);
    expect([reply.status, errorOf(reply).code]).toEqual([422, 'DUPLICATE_DESCRIPTOR']);
    const { neta_alert: neta } = (await t.partner('GET', `/v2/enrolments/${id}`)).json;
    expect(neta.descriptors).toHaveLength(1);
  });

  rule('a descriptor that repeats within the request is DUPLICATE_DESCRIPTOR', async () => {
    const { id } = await create(alertEnrolment(t));
    const twice = netaAlert(['ACME TWICE', 'EXACT_MATCH'], ['ACME TWICE', 'EXACT_MATCH']);
    const reply = await t.partner('PATCH', `/v2/enrolments/${id}`, twice);
    expect([reply.status, errorOf(reply).code]).toEqual([422, 'DUPLICATE_DESCRIPTOR']);
  });

  rule('appending to an RDR enrolment is ENROLMENT_TYPE_NOT_SUPPORTED', async () => {
    const path = `/v2/enrolments/${t.rdrEnrolmentId}`;
    const reply = await t.partner('PATCH', path, netaAlert(['ACME TWO', 'EXACT_MATCH']));
    expect([reply.status, errorOf(reply).code]).toEqual([422, 'ENROLMENT_TYPE_NOT_SUPPORTED']);
  });

  for (const status of ['PENDING', 'IN_PROGRESS', 'ACTION_REQUIRED', 'ENABLED']) {
    sandboxRule(`descriptors can be appended while ${status}`, async () => {
      const { id } = await create(alertEnrolment(t));
      await t.partner('PATCH', `/v1/simulate/enrolments/${id}`, { status });
      const reply = await t.partner(
        'PATCH',
        `/v2/enrolments/${id}`,
        netaAlert(['ACME TWO', 'EXACT_MATCH']),
      );
      expect([reply.status, reply.json.status]).toEqual([200, status]);
    });
  }

  rule('appending to a cancelled enrolment is ENROLMENT_STATUS_NOT_APPENDABLE', async () => {
    const { id } = await create(alertEnrolment(t));
    await t.partner('DELETE', `/v2/enrolments/${id}`);
    const reply = await t.partner(
      'PATCH',
      `/v2/enrolments/${id}`,
      netaAlert(['ACME', 'EXACT_MATCH']),
    );
    expect([reply.status, errorOf(reply).code]).toEqual([422, 'ENROLMENT_STATUS_NOT_APPENDABLE']);
  });
});

describe('cancel', () => {
  rule('a PENDING enrolment is cancelled with the constant note', async () => {
    const { id } = await create(alertEnrolment(t));
    const reply = await t.partner('DELETE', `/v2/enrolments/${id}`);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      id,
      status: 'CANCELLED',
      note: 'Enrolment cancelled via API request',
    });
  });

  for (const status of ['IN_PROGRESS', 'ACTION_REQUIRED', 'ENABLED', 'CANCELLED']) {
    sandboxRule(`cancelling while ${status} is ENROLMENT_NOT_PENDING`, async () => {
      const { id } = await create(alertEnrolment(t));
      await t.partner('PATCH', `/v1/simulate/enrolments/${id}`, { status });
      const reply = await t.partner('DELETE', `/v2/enrolments/${id}`);
      expect([reply.status, errorOf(reply).code]).toEqual([422, 'ENROLMENT_NOT_PENDING']);
    });
  }
});

describe('list and read', () => {
  rule('an enrolment is read by id', async () => {
    const created = await create(alertEnrolment(t));
    expect((await t.partner('GET', `/v2/enrolments/${created.id}`)).json).toEqual(created);
  });

  rule('enrolments are filtered by merchant, organisation, type and status', async () => {
    const { id } = await create(alertEnrolment(t));
    for (const [filter, hit] of [
      [`merchant_id=${t.merchantId}`, true],
      [`organisation_id=${t.organisationId}`, true],
      ['type=NETA_ALERT', true],
      ['type=NETB_RDR', false],
      ['status=PENDING', true],
      ['status=CANCELLED', false],
    ] as const) {
      const { items } = (await t.partner('GET', `/v2/enrolments?limit=100&${filter}`)).json;
      expect([filter, items.some((item: { id: string }) => item.id === id)]).toEqual([filter, hit]);
    }
  });

  rule('filters that name what does not exist are 404', async () => {
    const merchant = await t.partner('GET', '/v2/enrolments?merchant_id=mrch_none');
    const organisation = await t.partner('GET', '/v2/enrolments?organisation_id=org_none');
    expect([merchant.status, organisation.status]).toEqual([404, 404]);
  });

  rule('limit and offset page through enrolments', async () => {
    await create(alertEnrolment(t));
    const all = (await t.partner('GET', '/v2/enrolments')).json;
    const page = (await t.partner('GET', '/v2/enrolments?limit=1&offset=1')).json;
    expect(page).toEqual({ items: [all.items[1]], count: all.count });
  });
});

describe('over time', () => {
  const HOUR_MS = 3_600_000;

  async function statusOf(id: string): Promise<string> {
    return (await t.partner('GET', `/v2/enrolments/${id}`)).json.status;
  }

  async function descriptorsOf(id: string): Promise<[string, string][]> {
    const { neta_alert: neta } = (await t.partner('GET', `/v2/enrolments/${id}`)).json;
    return neta.descriptors.map((descriptor: { descriptor: string; status: string }) => [
      descriptor.descriptor,
      descriptor.status,
    ]);
  }

  sandboxRule(
    'descriptors become ACTIVE and the enrolment ENABLED when the network agrees',
    async () => {
      const { id } = await create(alertEnrolment(t, netaAlert(['ACME ONE', 'STARTS_WITH'])));
      await t.sandbox.advance(2 * HOUR_MS);
      expect(await statusOf(id)).toBe('IN_PROGRESS');
      expect(await descriptorsOf(id)).toEqual([['ACME ONE', 'PENDING']]);
      await t.sandbox.advance(24 * HOUR_MS);
      expect(await statusOf(id)).toBe('ENABLED');
      expect(await descriptorsOf(id)).toEqual([['ACME ONE', 'ACTIVE']]);
    },
  );

  sandboxRule(
    'moving from IN_PROGRESS to ENABLED emits enrolment.updated with both changes',
    async () => {
      await create(alertEnrolment(t, netaAlert(['ACME ONE', 'STARTS_WITH'])));
      await t.sandbox.advance(48 * HOUR_MS);
      const events = t.sandbox.events().map(({ body }) => JSON.parse(`${body}`));
      expect(events.map(({ type }) => type)).toEqual([
        'enrolment.created',
        'enrolment.updated',
        'enrolment.updated',
      ]);
      expect(events[1].data.previous_attributes).toEqual({ status: 'PENDING' });
      expect(events[2].data.previous_attributes).toEqual({
        status: 'IN_PROGRESS',
        neta_alert: {
          descriptors: [{ descriptor: 'ACME ONE', match_type: 'STARTS_WITH', status: 'PENDING' }],
        },
      });
      expect(events[2].data.object).toMatchObject({
        status: 'ENABLED',
        neta_alert: { descriptors: [{ status: 'ACTIVE' }] },
      });
    },
  );

  sandboxRule('a descriptor that is too generic leads to ACTION_REQUIRED', async () => {
    const { id } = await create(alertEnrolment(t, netaAlert(['WEB', 'STARTS_WITH'])));
    await t.sandbox.advance(48 * HOUR_MS);
    expect(await statusOf(id)).toBe('ACTION_REQUIRED');
    expect(await descriptorsOf(id)).toEqual([['WEB', 'PENDING']]);
  });

  sandboxRule('a descriptor enrolled elsewhere leads to ACTION_REQUIRED', async () => {
    const { id } = await create(alertEnrolment(t, netaAlert(['DEMO STORE', 'STARTS_WITH'])));
    await t.sandbox.advance(48 * HOUR_MS);
    expect(await statusOf(id)).toBe('ACTION_REQUIRED');
  });

  sandboxRule('the one that was enrolled first keeps a descriptor', async () => {
    const same = netaAlert(['ACME ONE', 'STARTS_WITH']);
    const first = (await create(alertEnrolment(t, same))).id;
    const second = (await create(alertEnrolment(t, same))).id;
    await t.sandbox.advance(48 * HOUR_MS);
    expect([await statusOf(first), await statusOf(second)]).toEqual(['ENABLED', 'ACTION_REQUIRED']);
  });

  sandboxRule('a descriptor appended later is validated a day later', async () => {
    const { id } = await create(alertEnrolment(t, netaAlert(['ACME ONE', 'STARTS_WITH'])));
    await t.sandbox.advance(12 * HOUR_MS);
    await t.partner('PATCH', `/v2/enrolments/${id}`, netaAlert(['ACME TWO', 'EXACT_MATCH']));
    await t.sandbox.advance(12 * HOUR_MS);
    expect(await descriptorsOf(id)).toEqual([
      ['ACME ONE', 'ACTIVE'],
      ['ACME TWO', 'PENDING'],
    ]);
    expect(await statusOf(id)).toBe('IN_PROGRESS');
    await t.sandbox.advance(12 * HOUR_MS);
    expect(await descriptorsOf(id)).toEqual([
      ['ACME ONE', 'ACTIVE'],
      ['ACME TWO', 'ACTIVE'],
    ]);
    expect(await statusOf(id)).toBe('ENABLED');
  });

  sandboxRule('support agrees another descriptor and the enrolment continues', async () => {
    const { id } = await create(alertEnrolment(t, netaAlert(['WEB', 'STARTS_WITH'])));
    await t.sandbox.advance(48 * HOUR_MS);
    const descriptors = [{ descriptor: 'ACME WEB', match_type: 'STARTS_WITH', status: 'ACTIVE' }];
    await t.control('PATCH', `/enrolments/${id}`, { status: 'ENABLED', descriptors, note: null });
    const last = JSON.parse(`${t.sandbox.events().at(-1)?.body}`);
    expect(last.data.previous_attributes).toEqual({
      status: 'ACTION_REQUIRED',
      neta_alert: {
        descriptors: [{ descriptor: 'WEB', match_type: 'STARTS_WITH', status: 'PENDING' }],
      },
    });
  });

  sandboxRule('a descriptor that is SUPPRESSED emits enrolment.updated', async () => {
    const descriptors = [
      { descriptor: 'DEMO STORE', match_type: 'STARTS_WITH', status: 'SUPPRESSED' },
    ];
    await t.control('PATCH', `/enrolments/${t.alertEnrolmentId}`, { descriptors });
    const last = JSON.parse(`${t.sandbox.events().at(-1)?.body}`);
    expect(last.type).toBe('enrolment.updated');
    expect(last.data.previous_attributes.neta_alert.descriptors[0].status).toBe('ACTIVE');
    expect(await descriptorsOf(t.alertEnrolmentId)).toEqual([['DEMO STORE', 'SUPPRESSED']]);
  });

  sandboxRule('an RDR enrolment moves over IN_PROGRESS to ENABLED', async () => {
    const { id } = await create(rdr({ bin: '512345', caid: 'ACME1' }));
    await t.sandbox.advance(2 * HOUR_MS);
    expect(await statusOf(id)).toBe('IN_PROGRESS');
    await t.sandbox.advance(48 * HOUR_MS);
    expect(await statusOf(id)).toBe('ENABLED');
  });

  sandboxRule('a cancelled enrolment does not move any more', async () => {
    const { id } = await create(alertEnrolment(t));
    await t.partner('DELETE', `/v2/enrolments/${id}`);
    await t.sandbox.advance(72 * HOUR_MS);
    expect(await statusOf(id)).toBe('CANCELLED');
  });
});
