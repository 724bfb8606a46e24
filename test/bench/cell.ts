/** One cell in a process of its own: it takes deliveries in, and works where it is told how. Sends its port to the parent. */

import { sourceOfUrl } from '../../src/base/db/source.ts';
import { listen } from '../../src/base/http/listen.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { openParts } from '../../src/running/roles/parts.ts';
import { openPolicy } from '../../src/running/roles/policy-source.ts';
import { createServeRole } from '../../src/running/roles/serve.ts';
import { startWorkRole } from '../../src/running/roles/workers.ts';
import { createHttpProcessor } from '../../src/service/processor/http-processor.ts';
import { IDENTITY_BRAND_TOKENS } from '../../src/service/wire/brand-tokens.ts';

/** What a cell is told. */
export interface CellOrder {
  readonly connectionString: string;
  readonly organisationId: string;
  readonly webhookSecrets: readonly string[];
  readonly serviceUrl: string;
  readonly apiKey: string;
  /** Undefined: it takes in, and does not work. */
  readonly processor?: { readonly baseUrl: string; readonly secret: string };
}

const order = JSON.parse(process.argv[2] ?? '{}') as CellOrder;
const { connectionString, organisationId, webhookSecrets, serviceUrl, apiKey } = order;
const log = createLog({ level: process.env['FORESTALL_TEST_LOG'] ?? 'silent' });
const parts = await openParts(
  {
    database: sourceOfUrl(connectionString, { organisation: organisationId }),
    organisationId,
    integrationId: undefined,
    serviceUrl,
    apiKey,
    partnerApiKey: undefined,
    brandTokens: IDENTITY_BRAND_TOKENS,
  },
  log,
);
const serve = createServeRole(parts, { webhookSecrets, tls: undefined });
if (order.processor !== undefined) {
  await startWorkRole(parts, {
    processor: createHttpProcessor({ ...order.processor, clock: parts.clock }),
    policy: openPolicy({
      path: undefined,
      demonstration: true,
      brands: IDENTITY_BRAND_TOKENS,
      log,
    }),
    mode: 'live',
    reconcileSeconds: 30,
  });
}
process.send?.(await listen(serve.server, { port: 0, host: '127.0.0.1', setting: 'PORT' }));
