/**
 * What each operation of the JSON API asks: the role of a person, the right of a program, and whether a person must have
 * proved who they are. The router, the OpenAPI document and the page of reference read this table. An operation that does
 * not stand here is for administrators who have just proved who they are, and for no program.
 */
import { pathOfOrganisation } from '../addresses.ts';
import type { Needs } from './needs.ts';

/** What a program may be allowed, and what the words mean. */
export const RIGHTS = {
  'alerts:read': 'read alerts, charges, reviews and claims for a refund',
  'alerts:decide': 'answer alerts without moving money, choose charges, work on reviews',
  'refunds:decide': 'also let a refund go, where it may decide about the alert',
  'refunds:claim': 'ask for refunds that are owed without an alert',
  'orders:read': 'read where orders stand',
  'orders:write': 'hand in orders and change them',
  'operation:read': 'read findings, webhooks, what is stopped, and the metrics',
  'events:replay': 'apply a stored webhook once more',
  'refunds:stop': 'stop every refund',
} as const;
export type Right = keyof typeof RIGHTS;

export interface ApiNeeds extends Needs {
  /** Undefined: no program may do it, whatever its rights. */
  readonly right: Right | undefined;
}

const reads = (right: Right): ApiNeeds => ({ role: 'viewer', proof: 'never', right });
const changes = (right: Right): ApiNeeds => ({ role: 'reviewer', proof: 'never', right });
const movesMoney = (right: Right | undefined): ApiNeeds => ({
  role: 'reviewer',
  proof: 'by what is asked',
  right,
});
const forPeople = { role: 'administrator', proof: 'always', right: undefined } as const;

/** By method and path, as the OpenAPI document names them. */
export const API_NEEDS: Readonly<Record<string, ApiNeeds>> = {
  'GET /api/openapi.json': reads('alerts:read'),
  'GET /api/organisations': reads('operation:read'),
  'GET /metrics': reads('operation:read'),
  'GET /api/alerts': reads('alerts:read'),
  'GET /api/alerts/{id}': reads('alerts:read'),
  'POST /api/alerts/{id}/decision': movesMoney('alerts:decide'),
  'POST /api/alerts/{id}/match': movesMoney('alerts:decide'),
  // The second person is a person.
  'POST /api/alerts/{id}/approve': movesMoney(undefined),
  'GET /api/alerts/{id}/side-actions': reads('alerts:read'),
  'GET /api/charges/{reference}/history': reads('alerts:read'),
  'POST /api/refund-claims': movesMoney('refunds:claim'),
  'GET /api/refund-claims/{id}': reads('alerts:read'),
  'GET /api/reviews': reads('alerts:read'),
  'GET /api/reviews/{id}': reads('alerts:read'),
  'POST /api/reviews/{id}/claim': changes('alerts:decide'),
  'POST /api/reviews/{id}/hand-back': changes('alerts:decide'),
  'POST /api/reviews/{id}/hand-over': changes('alerts:decide'),
  'POST /api/reviews/{id}/comments': changes('alerts:decide'),
  'GET /api/pause': reads('operation:read'),
  'POST /api/pause': changes('refunds:stop'),
  'POST /api/resume': forPeople,
  'GET /api/findings': reads('operation:read'),
  'GET /api/events': reads('operation:read'),
  'POST /api/events/{id}/replay': changes('events:replay'),
  'POST /api/orders': changes('orders:write'),
  'PATCH /api/orders/{reference_id}': changes('orders:write'),
  'GET /api/orders/{reference_id}': reads('orders:read'),
};

interface Known {
  readonly method: string;
  readonly pattern: RegExp;
  readonly needs: ApiNeeds;
}

const KNOWN: readonly Known[] = Object.entries(API_NEEDS).map(([call, needs]) => {
  const [method = '', path = ''] = call.split(' ');
  // As the router reads paths: in any capitals, with or without a slash at the end.
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`, 'i');
  return { method, pattern, needs };
});

/** What a request to the API asks; `path` may begin with its organisation. */
export function needsOfCall(method: string, path: string): ApiNeeds {
  const isRead = method === 'GET' || method === 'HEAD';
  const asked = isRead ? 'GET' : method;
  const here = pathOfOrganisation(path);
  const known = KNOWN.find((each) => each.method === asked && each.pattern.test(here));
  if (known !== undefined) return known.needs;
  return isRead ? { role: 'viewer', proof: 'never', right: undefined } : forPeople;
}
