/**
 * `/sandbox/*` for alerts, lookups, representments and scheme notices.
 */
import { z } from 'zod';
import { ALERT_ACTIONS } from '../../service/wire/alert.ts';
import { DEFLECTION_STATUSES, LOOKUP_STATUSES } from '../../service/wire/lookup.ts';
import type { Endpoint, Incoming } from '../http/endpoint.ts';
import { created, ok, param } from '../http/route.ts';
import { CASE_NOTICES, newLookupInput } from '../resources/lookup-rules.ts';
import { alertChanges, newAlertInput } from '../resources/new-alert.ts';
import { newRepresentmentInput, representmentChanges } from '../resources/representment-rules.ts';
import { newSchemeNoticeInput, schemeNoticeChanges } from '../resources/scheme-notice-rules.ts';
import type { World } from '../world.ts';
import { control, readControl } from './control-endpoint.ts';
import {
  askLookup,
  openRepresentment,
  raiseAlert,
  raiseAlertFor,
  reportSchemeNotice,
  resolveInDashboard,
  sendCaseNotice,
  updateAlert,
  updateLookup,
  updateRepresentment,
  updateSchemeNotice,
  withdrawAlert,
} from './network.ts';

const resolution = z.strictObject({
  action: z.enum(ALERT_ACTIONS),
  note: z.string().optional(),
});
const withdrawal = z.strictObject({ note: z.string().optional() });
const alertForCharge = newAlertInput.extend({ charge_reference: z.string().optional() });
const lookupChanges = z.strictObject({
  lookup_status: z.enum(LOOKUP_STATUSES).optional(),
  deflection_status: z.enum(DEFLECTION_STATUSES).optional(),
});
const caseNotice = z.strictObject({ notice: z.enum(CASE_NOTICES) });

/** The endpoints. */
export function networkEndpoints(world: World): readonly Endpoint[] {
  return [...alertEndpoints(world), ...lookupEndpoints(world), ...disputeEndpoints(world)];
}

function alertEndpoints(world: World): readonly Endpoint[] {
  return [
    control('POST', '/sandbox/alerts', (incoming) => {
      const { charge_reference: charge, ...fields } = readControl(incoming, alertForCharge);
      return created(
        charge === undefined ? raiseAlert(world, fields) : raiseAlertFor(world, charge, fields),
      );
    }),
    control('PATCH', '/sandbox/alerts/{alert_id}', (incoming) =>
      ok(updateAlert(world, param(incoming, 'alert_id'), readControl(incoming, alertChanges))),
    ),
    control('POST', '/sandbox/alerts/{alert_id}/resolve', (incoming) =>
      ok(resolveInDashboard(world, param(incoming, 'alert_id'), readControl(incoming, resolution))),
    ),
    control('POST', '/sandbox/alerts/{alert_id}/invalidate', (incoming) => {
      const { note } = readControl(incoming, withdrawal);
      return ok(withdrawAlert(world, param(incoming, 'alert_id'), note));
    }),
    control('GET', '/sandbox/patches', () => ok({ items: world.state.patchLog })),
  ];
}

function lookupEndpoints(world: World): readonly Endpoint[] {
  return [
    control('POST', '/sandbox/lookups', (incoming) =>
      created(askLookup(world, readControl(incoming, newLookupInput))),
    ),
    control('PATCH', '/sandbox/lookups/{lookup_id}', (incoming) => {
      const changes = withoutAbsent(readControl(incoming, lookupChanges));
      return ok(updateLookup(world, param(incoming, 'lookup_id'), changes));
    }),
    control('POST', '/sandbox/lookups/{lookup_id}/case-notice', (incoming) => {
      const { notice } = readControl(incoming, caseNotice);
      return ok(sendCaseNotice(world, param(incoming, 'lookup_id'), notice));
    }),
  ];
}

function disputeEndpoints(world: World): readonly Endpoint[] {
  const idOf = (incoming: Incoming): string => param(incoming, 'id');
  return [
    control('GET', '/sandbox/representments', () =>
      ok({ items: [...world.state.representments.values()] }),
    ),
    control('GET', '/sandbox/scheme-notices', () =>
      ok({ items: [...world.state.schemeNotices.values()] }),
    ),
    control('POST', '/sandbox/representments', (incoming) =>
      created(openRepresentment(world, readControl(incoming, newRepresentmentInput))),
    ),
    control('PATCH', '/sandbox/representments/{id}', (incoming) =>
      ok(updateRepresentment(world, idOf(incoming), readControl(incoming, representmentChanges))),
    ),
    control('POST', '/sandbox/scheme-notices', (incoming) =>
      created(reportSchemeNotice(world, readControl(incoming, newSchemeNoticeInput))),
    ),
    control('PATCH', '/sandbox/scheme-notices/{id}', (incoming) =>
      ok(updateSchemeNotice(world, idOf(incoming), readControl(incoming, schemeNoticeChanges))),
    ),
  ];
}

/** Absent is not the same as undefined for `Object.assign`. */
function withoutAbsent<Shape extends object>(
  shape: Shape,
): { [Key in keyof Shape]?: Exclude<Shape[Key], undefined> } {
  const result: { [Key in keyof Shape]?: Exclude<Shape[Key], undefined> } = {};
  return Object.assign(
    result,
    Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)),
  );
}
