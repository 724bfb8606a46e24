/**
 * What each operation of the JSON API asks: the role, and whether a person must have proved who they are. The router reads
 * this table. An operation that does not stand here is for administrators who have just proved who they are.
 */
import { pathOfOrganisation } from '../web/addresses.ts';
import type { Needs } from './needs.ts';

const READS: Needs = { role: 'viewer', proof: 'never' };
const CHANGES: Needs = { role: 'reviewer', proof: 'never' };
const MOVES_MONEY: Needs = { role: 'reviewer', proof: 'by what is asked' };
const FOR_PEOPLE: Needs = { role: 'administrator', proof: 'always' };

/** By method and path, as the OpenAPI document names them. */
export const API_NEEDS: Readonly<Record<string, Needs>> = {
  'GET /api/openapi.json': READS,
  'GET /api/organisations': READS,
  'GET /metrics': READS,
  'GET /api/alerts': READS,
  'GET /api/alerts/{id}': READS,
  'POST /api/alerts/{id}/decision': MOVES_MONEY,
  'POST /api/alerts/{id}/match': MOVES_MONEY,
  // The second person is a person.
  'POST /api/alerts/{id}/approve': MOVES_MONEY,
  'GET /api/alerts/{id}/side-actions': READS,
  'GET /api/charges/{reference}/history': READS,
  'POST /api/refund-claims': MOVES_MONEY,
  'GET /api/refund-claims/{id}': READS,
  'GET /api/reviews': READS,
  'GET /api/reviews/{id}': READS,
  'POST /api/reviews/{id}/claim': CHANGES,
  'POST /api/reviews/{id}/hand-back': CHANGES,
  'POST /api/reviews/{id}/hand-over': CHANGES,
  'POST /api/reviews/{id}/comments': CHANGES,
  'GET /api/pause': READS,
  'POST /api/pause': CHANGES,
  'POST /api/resume': FOR_PEOPLE,
  'GET /api/findings': READS,
  'GET /api/events': READS,
  'POST /api/events/{id}/replay': CHANGES,
  'POST /api/orders': CHANGES,
  'PATCH /api/orders/{reference_id}': CHANGES,
  'GET /api/orders/{reference_id}': READS,
};

interface Known {
  readonly method: string;
  readonly pattern: RegExp;
  readonly needs: Needs;
}

const KNOWN: readonly Known[] = Object.entries(API_NEEDS).map(([call, needs]) => {
  const [method = '', path = ''] = call.split(' ');
  // As the router reads paths: in any capitals, with or without a slash at the end.
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`, 'i');
  return { method, pattern, needs };
});

/** What a request to the API asks; `path` may begin with its organisation. */
export function needsOfCall(method: string, path: string): Needs {
  const isRead = method === 'GET' || method === 'HEAD';
  const asked = isRead ? 'GET' : method;
  const here = pathOfOrganisation(path);
  const known = KNOWN.find((each) => each.method === asked && each.pattern.test(here));
  if (known !== undefined) return known.needs;
  return isRead ? READS : FOR_PEOPLE;
}
