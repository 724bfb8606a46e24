/**
 * Guarantee: what the service says of a refused call, and of the refused parts of one that was taken, holds no card number, no
 * e-mail address and not the key that was sent, before anybody can log or store it; what it is about stays.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isServiceError } from '../../../src/service/client/index.ts';
import type { LocalServer } from './local-server.ts';
import { clientOf, rejectionOf, startLocalServer } from './local-server.ts';

const SAID = 'ada@mail.example paid with 4242 4242 4242 4242 under org-key-0123456789';
const TOLD = '[e-mail address] paid with 424242******4242 under [secret]';
const KEY = 'org-key-0123456789';

let server: LocalServer;
beforeAll(async () => {
  server = await startLocalServer();
});
afterAll(() => server.close());

it.each([400, 401, 404, 422, 500])('a refusal with %i', async (status) => {
  const errors = [{ code: 'X', message: SAID, field: 'reference_id' }];
  server.answer(() => ({ status, json: { errors } }));
  const client = clientOf(server, { apiKey: KEY });
  const error = await rejectionOf(client.alerts.get('netalrt_1'));
  expect(isServiceError(error) ? error.errors[0]?.message : error).toBe(TOLD);
  expect(isServiceError(error) ? error.message : '').not.toContain('mail.example');
});

it('the text of what is missing', async () => {
  server.answer(() => ({ status: 404, json: { detail: SAID } }));
  const client = clientOf(server, { apiKey: KEY });
  const error = await rejectionOf(client.alerts.get('netalrt_1'));
  expect(isServiceError(error) ? error.detail : error).toBe(TOLD);
});

it.each([200, 400])('the refused parts of an order create, answered with %i', async (status) => {
  const entry = {
    index: 0,
    code: 'X',
    message: SAID.replace(KEY, 'nothing'),
    reference_id: 'a@b.example',
  };
  server.answer(() => ({ status, json: { created: 0, failed: 1, results: [], errors: [entry] } }));
  const order = {
    type: 'COMPLETE',
    organisation_id: 'org_1',
    integration_id: 'int_1',
    reference_id: 'a@b.example',
    order_datetime: '2026-03-01T10:00:00Z',
    order_number: 'A1',
    order_subtotal_amount_in_cents: 1000,
    order_currency: 'USD',
    order_total_amount_in_cents: 1200,
    order_status: 'CLOSED_COMPLETE',
  } as const;
  const result = await clientOf(server, { apiKey: KEY }).orders.create([order]);
  expect(result.errors).toEqual([
    { ...entry, message: '[e-mail address] paid with 424242******4242 under nothing' },
  ]);
});
