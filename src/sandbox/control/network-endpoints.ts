/** `/sandbox/*` for alerts, lookups, representments and scheme notices. */
import { z } from 'zod';
import { ALERT_ACTIONS } from '../../service/wire/alert.ts';
import { DEFLECTION_STATUSES, LOOKUP_STATUSES } from '../../service/wire/lookup.ts';
import type { Endpoint, Incoming } from '../http/endpoint.ts';
import { created, ok, param } from '../http/route.ts';
import { changeAlert, invalidateAlert, resolveAlert } from '../resources/alert-rules.ts';
import { CASE_NOTICES, changeLookup, newLookupInput, noteCase } from '../resources/lookup-rules.ts';
import { alertChanges, newAlertInput } from '../resources/new-alert.ts';
import {
  changeRepresentment,
  newRepresentmentInput,
  representmentChanges,
  withoutUndefined,
} from '../resources/representment-rules.ts';
import {
  changeSchemeNotice,
  newSchemeNoticeInput,
  schemeNoticeChanges,
} from '../resources/scheme-notice-rules.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import type { AlertRecord, LookupRecord } from '../state/resources.ts';
import { control, creating, readControl } from './control-endpoint.ts';
import {
  alertOf,
  askLookup,
  lookupOf,
  openRepresentment,
  raiseAlert,
  raiseAlertFor,
  reportSchemeNotice,
  representmentOf,
  schemeNoticeOf,
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
  const alertIn = (incoming: Incoming): AlertRecord =>
    alertOf(context, param(incoming, 'alert_id'));
  return [
    control('POST', '/sandbox/alerts', (incoming) => {
      const { charge_reference: charge, ...fields } = readControl(incoming, alertForCharge);
      return created(
        charge === undefined ? raiseAlert(context, fields) : raiseAlertFor(context, charge, fields),
      );
    }),
    control('PATCH', '/sandbox/alerts/{alert_id}', (incoming) => {
      const changes = withoutUndefined(readControl(incoming, alertChanges));
      return ok(changeAlert(context, alertIn(incoming), changes));
    }),
    control('POST', '/sandbox/alerts/{alert_id}/resolve', (incoming) =>
      ok(resolveAlert(context, alertIn(incoming), readControl(incoming, resolution))),
    ),
    control('POST', '/sandbox/alerts/{alert_id}/invalidate', (incoming) => {
      const { note } = readControl(incoming, withdrawal);
      return ok(invalidateAlert(context, alertIn(incoming), note));
    }),
    control('GET', '/sandbox/patches', () => ok({ items: context.state.patchLog })),
  ];
}

function lookupEndpoints(context: SandboxContext): readonly Endpoint[] {
  const post = creating(context);
  const lookupIn = (incoming: Incoming): LookupRecord =>
    lookupOf(context, param(incoming, 'lookup_id'));
  return [
    post('/sandbox/lookups', newLookupInput, askLookup),
    control('PATCH', '/sandbox/lookups/{lookup_id}', (incoming) => {
      const changes = withoutUndefined(readControl(incoming, lookupChanges));
      return ok(changeLookup(context, lookupIn(incoming), changes));
    }),
    control('POST', '/sandbox/lookups/{lookup_id}/case-notice', (incoming) => {
      const { notice } = readControl(incoming, caseNotice);
      return ok(noteCase(context, lookupIn(incoming), notice));
    }),
  ];
}

function disputeEndpoints(context: SandboxContext): readonly Endpoint[] {
  const post = creating(context);
  const idOf = (incoming: Incoming): string => param(incoming, 'id');
  return [
    control('GET', '/sandbox/representments', () =>
      ok({ items: [...context.state.representments.values()] }),
    ),
    control('GET', '/sandbox/scheme-notices', () =>
      ok({ items: [...context.state.schemeNotices.values()] }),
    ),
    post('/sandbox/representments', newRepresentmentInput, openRepresentment),
    control('PATCH', '/sandbox/representments/{id}', (incoming) => {
      const changes = readControl(incoming, representmentChanges);
      return ok(changeRepresentment(context, representmentOf(context, idOf(incoming)), changes));
    }),
    post('/sandbox/scheme-notices', newSchemeNoticeInput, reportSchemeNotice),
    control('PATCH', '/sandbox/scheme-notices/{id}', (incoming) => {
      const changes = readControl(incoming, schemeNoticeChanges);
      return ok(changeSchemeNotice(context, schemeNoticeOf(context, idOf(incoming)), changes));
    }),
  ];
}
