/**
 * What each operation of the JSON API asks: those of the console itself, and those that capabilities describe. The door reads
 * this table. An operation that is not here is for administrators who have just proved who they are.
 */
import { CAPABILITY_API } from '../../capabilities/pages.ts';
import type { CallNeeds } from '../../surface/access/call-needs.ts';
import {
  changes,
  FOR_PEOPLE,
  findNeedsIn,
  movesMoney,
  reads,
} from '../../surface/access/call-needs.ts';

/** By method and path, as the OpenAPI document names them. */
const OWN: Readonly<Record<string, CallNeeds>> = {
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
  'GET /api/reviews': reads('alerts:read'),
  'GET /api/reviews/{id}': reads('alerts:read'),
  'POST /api/reviews/{id}/claim': changes('reviews:write'),
  'POST /api/reviews/{id}/hand-back': changes('reviews:write'),
  'POST /api/reviews/{id}/hand-over': changes('reviews:write'),
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

export const API_NEEDS: Readonly<Record<string, CallNeeds>> = {
  ...OWN,
  ...Object.fromEntries(CAPABILITY_API.map(({ call, needs }) => [call, needs])),
};

export const needsOfCall = findNeedsIn(API_NEEDS);
