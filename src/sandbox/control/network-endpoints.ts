/** `/sandbox/*` for alerts, lookups, representments and scheme notices. */
import { z } from 'zod';
import { ALERT_ACTIONS } from '../../service/wire/alert.ts';
import { DEFLECTION_STATUSES, LOOKUP_STATUSES } from '../../service/wire/lookup.ts';
import type { Endpoint, Incoming } from '../http/endpoint.ts';
import { created, ok, param } from '../http/route.ts';
import { CASE_NOTICES, newLookupInput } from '../resources/lookup-rules.ts';
import { alertChanges, newAlertInput } from '../resources/new-alert.ts';
import { newRepresentmentInput, representmentChanges } from '../resources/representment-rules.ts';
import { newSchemeNoticeInput, schemeNoticeChanges } from '../resources/scheme-notice-rules.ts';
import type { SandboxContext } from '../sandbox-context.ts';
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

export const resolution = z.strictObject({
  action: z.enum(ALERT_ACTIONS),
  note: z.string().optional(),
});
export const withdrawal = z.strictObject({ note: z.string().optional() });
export const alertForCharge = newAlertInput.extend({ charge_reference: z.string().optional() });
export const lookupChanges = z.strictObject({
  lookup_status: z.enum(LOOKUP_STATUSES).optional(),
  deflection_status: z.enum(DEFLECTION_STATUSES).optional(),
});
export const caseNotice = z.strictObject({ notice: z.enum(CASE_NOTICES) });

export function networkEndpoints(context: SandboxContext): readonly Endpoint[] {
  return [...alertEndpoints(context), ...lookupEndpoints(context), ...disputeEndpoints(context)];
}

function alertEndpoints(context: SandboxContext): readonly Endpoint[] {
  return [
    control('POST', '/sandbox/alerts', (incoming) => {
      const { charge_reference: charge, ...fields } = readControl(incoming, alertForCharge);
      return created(
        charge === undefined ? raiseAlert(context, fields) : raiseAlertFor(context, charge, fields),
      );
    }),
    control('PATCH', '/sandbox/alerts/{alert_id}', (incoming) =>
      ok(updateAlert(context, param(incoming, 'alert_id'), readControl(incoming, alertChanges))),
    ),
    control('POST', '/sandbox/alerts/{alert_id}/resolve', (incoming) =>
      ok(
        resolveInDashboard(context, param(incoming, 'alert_id'), readControl(incoming, resolution)),
      ),
    ),
    control('POST', '/sandbox/alerts/{alert_id}/invalidate', (incoming) => {
      const { note } = readControl(incoming, withdrawal);
      return ok(withdrawAlert(context, param(incoming, 'alert_id'), note));
    }),
    control('GET', '/sandbox/patches', () => ok({ items: context.state.patchLog })),
  ];
}

function lookupEndpoints(context: SandboxContext): readonly Endpoint[] {
  return [
    control('POST', '/sandbox/lookups', (incoming) =>
      created(askLookup(context, readControl(incoming, newLookupInput))),
    ),
    control('PATCH', '/sandbox/lookups/{lookup_id}', (incoming) => {
      const changes = withoutAbsent(readControl(incoming, lookupChanges));
      return ok(updateLookup(context, param(incoming, 'lookup_id'), changes));
    }),
    control('POST', '/sandbox/lookups/{lookup_id}/case-notice', (incoming) => {
      const { notice } = readControl(incoming, caseNotice);
      return ok(sendCaseNotice(context, param(incoming, 'lookup_id'), notice));
    }),
  ];
}

function disputeEndpoints(context: SandboxContext): readonly Endpoint[] {
  const idOf = (incoming: Incoming): string => param(incoming, 'id');
  return [
    control('GET', '/sandbox/representments', () =>
      ok({ items: [...context.state.representments.values()] }),
    ),
    control('GET', '/sandbox/scheme-notices', () =>
      ok({ items: [...context.state.schemeNotices.values()] }),
    ),
    control('POST', '/sandbox/representments', (incoming) =>
      created(openRepresentment(context, readControl(incoming, newRepresentmentInput))),
    ),
    control('PATCH', '/sandbox/representments/{id}', (incoming) =>
      ok(updateRepresentment(context, idOf(incoming), readControl(incoming, representmentChanges))),
    ),
    control('POST', '/sandbox/scheme-notices', (incoming) =>
      created(reportSchemeNotice(context, readControl(incoming, newSchemeNoticeInput))),
    ),
    control('PATCH', '/sandbox/scheme-notices/{id}', (incoming) =>
      ok(updateSchemeNotice(context, idOf(incoming), readControl(incoming, schemeNoticeChanges))),
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
