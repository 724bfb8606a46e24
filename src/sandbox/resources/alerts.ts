/** Endpoints of alerts: list, read, act. Section Endpoints, Alerts. */
import { z } from 'zod';
import { ALERT_ACTIONS } from '../../service/wire/alert.ts';
import { alertFilter } from '../../service/wire/list.ts';
import { reachResource } from '../access.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { ok, param } from '../http/route.ts';
import type { ListRule } from '../listing.ts';
import { list } from '../listing.ts';
import { Refusal, readInput } from '../refusal.ts';
import { nowIso } from '../sandbox-context.ts';
import type { AlertRecord } from '../state/resources.ts';
import { resolveAlert } from './alert-rules.ts';

export const alertRoutes: readonly Route[] = [
  { method: 'GET', path: '/v1/alerts/', ability: 'alerts:read', handle: listAlerts },
  { method: 'GET', path: '/v1/alerts/{alert_id}', ability: 'alerts:read', handle: getAlert },
  { method: 'PATCH', path: '/v1/alerts/{alert_id}', ability: 'alerts:write', handle: patchAlert },
];

const LIST: ListRule<AlertRecord> = {
  filter: alertFilter,
  matches: { merchant_id: (alert, merchantId) => alert.merchant_ids.includes(merchantId) },
  sortBy: (alert) => alert.action_required_deadline,
};

function listAlerts(call: Call): Answer {
  return ok(list(call, call.context.state.alerts.values(), LIST));
}

function getAlert(call: Call): Answer {
  return ok(reachAlert(call));
}

function reachAlert(call: Call): AlertRecord {
  const alert = call.context.state.alerts.get(param(call, 'alert_id'));
  return reachResource(call, alert, 'The alert');
}

const actionInput = z.looseObject({ action: z.enum(ALERT_ACTIONS), note: z.string().optional() });

function patchAlert(call: Call): Answer {
  const { context } = call;
  const alert = reachAlert(call);
  const { action, note } = readInput(actionInput, call.body);
  const log = (httpStatus: number): void => {
    context.state.patchLog.push({
      at: nowIso(context),
      alert_id: alert.id,
      action,
      note: note ?? null,
      http_status: httpStatus,
    });
  };
  try {
    resolveAlert(context, alert, { action, note });
  } catch (error) {
    if (error instanceof Refusal) log(error.httpStatus);
    throw error;
  }
  log(200);
  return ok(alert);
}
