/**
 * Endpoints of alerts: list, read, act. Section Endpoints, Alerts.
 */
import { z } from 'zod';
import { ALERT_ACTIONS, ALERT_ENROLMENT_TYPES, ALERT_STATUSES } from '../../service/wire/alert.ts';
import { reaches, reachOrganisation, reachResource } from '../access.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { ok, param } from '../http/route.ts';
import { readInput } from '../input.ts';
import type { SortRule } from '../listing.ts';
import { page, readChoice, sorted } from '../listing.ts';
import { Refusal } from '../refusal.ts';
import type { AlertRecord } from '../state/resources.ts';
import { nowIso } from '../world.ts';
import { resolveAlert } from './alert-rules.ts';

export const alertRoutes: readonly Route[] = [
  { method: 'GET', path: '/v1/alerts/', ability: 'alerts:read', handle: listAlerts },
  { method: 'GET', path: '/v1/alerts/{alert_id}', ability: 'alerts:read', handle: getAlert },
  { method: 'PATCH', path: '/v1/alerts/{alert_id}', ability: 'alerts:write', handle: patchAlert },
];

const SORT: SortRule<AlertRecord> = {
  allowed: ['-created_at', 'created_at', 'action_required_deadline', '-action_required_deadline'],
  valueOf: (alert, field) =>
    field === 'created_at' ? alert.created_at : alert.action_required_deadline,
};

function listAlerts(call: Call): Answer {
  const { world, key, query } = call;
  const status = readChoice(query, 'status', ALERT_STATUSES);
  const type = readChoice(query, 'enrolment_type', ALERT_ENROLMENT_TYPES);
  const organisationId = query['organisation_id'];
  if (organisationId !== undefined) reachOrganisation(world, key, organisationId);
  const found = [...world.state.alerts.values()].filter(
    (alert) =>
      reaches(world, key, alert.organisation_id) &&
      isWanted(organisationId, alert.organisation_id) &&
      isWanted(status, alert.status) &&
      isWanted(type, alert.enrolment_type) &&
      isWanted(query['enrolment_id'], alert.enrolment_id),
  );
  return ok(page(sorted(found, query, SORT), query));
}

function isWanted(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === value;
}

function getAlert(call: Call): Answer {
  return ok(reachAlert(call));
}

function reachAlert(call: Call): AlertRecord {
  const alert = call.world.state.alerts.get(param(call, 'alert_id'));
  return reachResource(call, alert, 'The alert');
}

const actionInput = z.looseObject({ action: z.enum(ALERT_ACTIONS), note: z.string().optional() });

function patchAlert(call: Call): Answer {
  const { world } = call;
  const alert = reachAlert(call);
  const { action, note } = readInput(actionInput, call.body);
  const log = (httpStatus: number): void => {
    world.state.patchLog.push({
      at: nowIso(world),
      alert_id: alert.id,
      action,
      note: note ?? null,
      http_status: httpStatus,
    });
  };
  try {
    resolveAlert(world, alert, { action, note });
  } catch (error) {
    if (error instanceof Refusal) log(error.httpStatus);
    throw error;
  }
  log(200);
  return ok(alert);
}
