/**
 * What each operation of the JSON API asks: the role, the verb of a program, and whether a person must have proved who they are. The router reads
 * this table. An operation that does not stand here is for administrators who have just proved who they are.
 */
import { pathOfOrganisation } from '../web/addresses.ts';
import type { Needs } from './needs.ts';
import type { Verb } from './role.ts';

/** What a call asks of people, and which verb of programs: one of them suffices. */
export interface CallNeeds extends Needs {
  readonly verbs: readonly Verb[] | 'any';
}

const reads = (...verbs: Verb[]): CallNeeds => ({ role: 'viewer', proof: 'never', verbs });
const changes = (...verbs: Verb[]): CallNeeds => ({ role: 'reviewer', proof: 'never', verbs });
const movesMoney = (...verbs: Verb[]): CallNeeds => ({
  role: 'reviewer',
  proof: 'by what is asked',
  verbs,
});
const FOR_PEOPLE: CallNeeds = { role: 'administrator', proof: 'always', verbs: [] };

/** By method and path, as the OpenAPI document names them. */
export const API_NEEDS: Readonly<Record<string, CallNeeds>> = {
  'GET /api/openapi.json': { ...reads(), verbs: 'any' },
  'GET /api/organisations': reads('alerts:read', 'metrics:read'),
  'GET /metrics': reads('metrics:read'),
  'GET /api/alerts': reads('alerts:read'),
  'GET /api/alerts/{id}': reads('alerts:read'),
  // Which of the two is asked for by what is decided.
  'POST /api/alerts/{id}/decision': movesMoney('alerts:decide', 'alerts:refund'),
  'POST /api/alerts/{id}/match': movesMoney('alerts:refund'),
  // The second person is a person.
  'POST /api/alerts/{id}/approve': movesMoney(),
  'GET /api/alerts/{id}/side-actions': reads('alerts:read'),
  'GET /api/charges/{reference}/history': reads('alerts:read'),
  'POST /api/refund-claims': movesMoney('claims:write'),
  'GET /api/refund-claims/{id}': reads('claims:read'),
  'GET /api/reviews': reads('alerts:read'),
  'GET /api/reviews/{id}': reads('alerts:read'),
  'POST /api/reviews/{id}/claim': changes('reviews:write'),
  'POST /api/reviews/{id}/hand-back': changes('reviews:write'),
  'POST /api/reviews/{id}/hand-over': changes('reviews:write'),
  'POST /api/reviews/{id}/comments': changes('reviews:write'),
  'GET /api/pause': reads('refunds:stop'),
  'POST /api/pause': changes('refunds:stop'),
  'POST /api/resume': FOR_PEOPLE,
  'GET /api/findings': reads('events:read'),
  'GET /api/events': reads('events:read'),
  'POST /api/events/{id}/replay': changes('events:replay'),
  'POST /api/orders': changes('orders:write'),
  'PATCH /api/orders/{reference_id}': changes('orders:write'),
  'GET /api/orders/{reference_id}': reads('orders:read'),
};

interface Known {
  readonly method: string;
  readonly pattern: RegExp;
  readonly needs: CallNeeds;
}

const KNOWN: readonly Known[] = Object.entries(API_NEEDS).map(([call, needs]) => {
  const [method = '', path = ''] = call.split(' ');
  // As the router reads paths: in any capitals, with or without a slash at the end.
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`, 'i');
  return { method, pattern, needs };
});

/** What a request to the API asks; `path` may begin with its organisation. */
export function needsOfCall(method: string, path: string): CallNeeds {
  const isRead = method === 'GET' || method === 'HEAD';
  const asked = isRead ? 'GET' : method;
  const here = pathOfOrganisation(path);
  const known = KNOWN.find((each) => each.method === asked && each.pattern.test(here));
  if (known !== undefined) return known.needs;
  return isRead ? reads() : FOR_PEOPLE;
}
