/**
 * Questions to the service that tell what a key may do, and have no effect whatever the answer is: reads
 * of one item, and writes about things that do not exist or hold nothing.
 */
import { z } from 'zod';
import type { Endpoint } from '../../service/client/call.ts';
import type { Sender } from '../../service/client/sender.ts';
import { isServiceError } from '../../service/client/service-error.ts';
import type { Ability } from '../../service/wire/abilities.ts';

/** What a probe tells. `no_answer`: nothing, because the service was not reached or did not answer. */
export type ProbeAnswer =
  | { readonly kind: 'may' }
  | { readonly kind: 'may_not' }
  | { readonly kind: 'key_refused' }
  | { readonly kind: 'no_answer'; readonly code: string };

export interface AbilityProbe {
  readonly ability: Ability;
  /** What does not work without it. */
  readonly use: string;
  /** Whether alerts cannot be answered without it. */
  readonly needed?: true;
  readonly endpoint: Endpoint;
  readonly ids?: readonly string[];
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}

/** No alert and no order has these ids, so an action on them acts on nothing. */
const NO_ALERT = 'netalrt_00000000000000000000000000';
const NO_ORDER = 'ord_00000000000000000000000000';

const one = { limit: 1 };

function read(template: string, key: Endpoint['key'] = 'organisation'): Endpoint {
  return { method: 'GET', template, key };
}

/** Every ability that Forestall uses. */
export const ABILITY_PROBES: readonly AbilityProbe[] = [
  {
    ability: 'alerts:read',
    use: 'reading alerts before money moves, and polling',
    needed: true,
    endpoint: read('/v1/alerts/'),
    query: one,
  },
  {
    ability: 'alerts:write',
    use: 'answering alerts',
    needed: true,
    endpoint: {
      method: 'PATCH',
      template: '/v1/alerts/{alert_id}',
      key: 'organisation',
      ids: ['alert'],
      writer: z.unknown(),
    },
    ids: [NO_ALERT],
    body: { action: 'ACCEPT_DISPUTE', note: 'may this key answer?' },
  },
  {
    ability: 'orders:read',
    use: 'comparing orders',
    endpoint: read('/v1/orders/'),
    query: { reference_id: 'forestall-doctor' },
  },
  {
    ability: 'orders:write',
    use: 'sending orders',
    endpoint: {
      method: 'POST',
      template: '/v1/orders/',
      key: 'organisation',
      writer: z.unknown(),
      alsoAnswers: [400],
    },
    // No orders at all: there is nothing to create.
    body: [],
  },
  {
    ability: 'orders:update',
    use: 'updating orders, and telling of refunds',
    endpoint: {
      method: 'PATCH',
      template: '/v1/orders/{order_id}',
      key: 'organisation',
      ids: ['order'],
      writer: z.unknown(),
    },
    ids: [NO_ORDER],
    body: {},
  },
  { ability: 'lookups:read', use: 'polling lookups', endpoint: read('/v1/lookups/'), query: one },
  {
    ability: 'integrations:read',
    use: 'checking the integration',
    endpoint: read('/v1/integrations/'),
    query: one,
  },
  {
    ability: 'enrolments_v2:read',
    use: 'polling enrolments',
    endpoint: read('/v2/enrolments', 'partner'),
    query: one,
  },
  {
    ability: 'merchants:read',
    use: 'showing merchants',
    endpoint: read('/v1/merchants', 'partner'),
    query: one,
  },
];

/** Asks. A clear refusal other than of the key or the ability shows that both are there. */
export async function probeAbility(sender: Sender, probe: AbilityProbe): Promise<ProbeAnswer> {
  const { endpoint, ids, query, body } = probe;
  try {
    await sender.raw(endpoint, { ids, query, body, options: { attemptsMax: 1 } });
    return { kind: 'may' };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (error.code === 'FORBIDDEN') return { kind: 'may_not' };
    if (error.code === 'UNAUTHORISED') return { kind: 'key_refused' };
    return error.kind === 'refused' ? { kind: 'may' } : { kind: 'no_answer', code: error.code };
  }
}
