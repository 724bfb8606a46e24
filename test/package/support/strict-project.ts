/**
 * A merchant's own vitest project, outside this repository and with every check of the compiler on
 * (`skipLibCheck: false`), which tests against the packed client and sandbox.
 */
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackedKit, Ran } from './packed-kit.ts';

/** Writes the project beside that of the kit, whose packages it uses; vitest must be among them. */
async function makeStrictProject({ root }: PackedKit): Promise<string> {
  const project = join(root, '../strict');
  await mkdir(project);
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  await writeFile(join(project, 'merchant.test.ts'), MERCHANT_TEST);
  await writeFile(join(project, 'required.cts'), REQUIRED);
  await copyFile(new URL('editor.ts', import.meta.url), join(project, 'editor.ts'));
  const include = ['merchant.test.ts', 'required.cts', 'editor.ts'];
  const config = { compilerOptions: STRICT, include };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
  return project;
}

/** Checks its types, and runs its tests. */
export async function checkStrictProject(kit: PackedKit): Promise<{ types: Ran; tests: Ran }> {
  const project = await makeStrictProject(kit);
  const [types, tests] = await Promise.all([
    kit.compile(project),
    kit.node(['node_modules/vitest/vitest.mjs', 'run', '--root', '.'], project),
  ]);
  return { types, tests };
}

/** What a merchant would write. */
const MERCHANT_TEST = `
import { afterEach, beforeEach, expect, test } from 'vitest';
import type {
  Alert, AlertFilter, AlertsResource, OrderUpdate, RequestWarning, SchemeNotice, ServiceClient,
} from 'forestall/client';
import { createServiceClient, isServiceError } from 'forestall/client';
import type { AlertRecord, FaultRule, Sandbox, SandboxOptions } from 'forestall/sandbox';
import { createSandbox } from 'forestall/sandbox';
import { createFixedClock } from 'forestall/testing';

const options: SandboxOptions = {
  clock: createFixedClock('2026-11-20T00:00:00Z'),
  signatureTime: 'real',
  deliveriesAtOnce: 4,
};
let sandbox: Sandbox;
let client: ServiceClient;
const warnings: RequestWarning[] = [];
beforeEach(async () => {
  sandbox = await createSandbox(options);
  client = createServiceClient({
    baseUrl: sandbox.url,
    apiKey: sandbox.accounts.organisationKey,
    hooks: { onWarning: (warning) => warnings.push(warning) },
  });
});
afterEach(() => sandbox.close());

test('filters, resource types and open enumerations have names', async () => {
  const alerts: AlertsResource = client.alerts;
  const filter: AlertFilter = { status: 'ACTION_REQUIRED', merchant_id: sandbox.accounts.merchantId };
  const { id }: AlertRecord = sandbox.createAlert();
  const found: Alert[] = [];
  for await (const alert of alerts.list(filter)) found.push(alert);
  expect(found.map((alert) => alert.id)).toEqual([id]);
  const known: Extract<Alert['status'], 'RESOLVED'> = 'RESOLVED';
  const unknown: Alert['status'] = 'PAUSED';
  expect([known, unknown]).toEqual(['RESOLVED', 'PAUSED']);
  // @ts-expect-error the service takes four actions
  await expect(alerts.act(id, { action: 'REFUNDED' })).rejects.toThrow('Did you mean REFUND?');
});

test('an order is updated in part, and a slip is told', async () => {
  const order = sandbox.createOrder({
    reference_id: 'o-1',
    deliveries: [{ reference_id: 'd-1', type: 'PHYSICAL', physical_shipping_status: 'SHIPPED' }],
  });
  const update: OrderUpdate = {
    deliveries: [{ reference_id: 'd-1', physical_shipping_status: 'DELIVERED', door_code: true }],
  };
  await client.orders.update(order.id, update);
  expect(warnings).toMatchObject([{ type: 'UNLISTED_FIELD', field: 'deliveries.door_code' }]);
  // @ts-expect-error sent at creation
  await expect(client.orders.update(order.id, { customer_email: 'a@b' })).rejects.toThrow('customer_email');
});

test('lookups, notices and outcomes', async () => {
  const lookup = await client.simulate.lookup({
    organisation_id: sandbox.accounts.organisationId,
    type: 'NETB_ORDER_INSIGHT',
    transaction_arn: null,
  });
  expect(lookup?.transaction_arn).toBeNull();
  expect(lookup?.transaction_auth_code).toHaveLength(6);
  const notice: SchemeNotice | undefined = await client.simulate.schemeNotice({
    organisation_id: sandbox.accounts.organisationId,
    scheme_notice_type: 'TC40',
  });
  expect(notice?.scheme_notice_type).toBe('TC40');
  const alert = sandbox.createAlert({ enrolment_id: sandbox.accounts.rdrEnrolmentId });
  sandbox.updateAlert(alert.id, { transaction_refund_outcome: 'NOT_REFUNDED' });
  expect(alert).toMatchObject({ status: 'RESOLVED', transaction_refund_outcome: 'NOT_REFUNDED' });
});

test('a fault that could never strike is refused in a sentence', async () => {
  const slip: FaultRule = { on: 'PATCH /v1/alert/{alert_id}', kind: 'hang' };
  expect(() => sandbox.addFault(slip)).toThrow('Did you mean "PATCH /v1/alerts/{alert_id}"?');
  const gone = await client.alerts.get('netalrt_none').catch((error: unknown) => error);
  expect(isServiceError(gone) && gone.code).toBe('NOT_FOUND');
});
`;

/** The declarations for CommonJS, of each entry. */
const REQUIRED = `
import * as forestall from 'forestall';
import * as client from 'forestall/client';
import * as sandbox from 'forestall/sandbox';
import * as signature from 'forestall/signature';
import * as testing from 'forestall/testing';
import * as adapter from 'forestall/adapter';
export const opened: Promise<forestall.Forestall>[] = [];
export const made: client.ServiceClient[] = [client.createServiceClient({ baseUrl: 'http://a', apiKey: 'k' })];
export const others = [sandbox.createSandbox, signature.createVerifier, testing.createTestWorld, adapter.outcomeOf];
`;

const STRICT = {
  ...{ target: 'es2023', lib: ['es2024', 'dom'], module: 'nodenext', types: ['node'] },
  ...{ strict: true, noEmit: true, skipLibCheck: false, erasableSyntaxOnly: true },
  ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
};
