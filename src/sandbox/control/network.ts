/**
 * What networks and dashboards do: raise alerts, resolve and withdraw them, look up orders, open
 * and lose representments, report fraud. Used from code and over `/sandbox/*` alike.
 */
import type { AlertAction } from '../../service/wire/alert.ts';
import {
  changeAlert,
  createAlert,
  invalidateAlert,
  resolveAlert,
} from '../resources/alert-rules.ts';
import type { CaseNotice, NewLookup } from '../resources/lookup-rules.ts';
import { changeLookup, createLookup, noteCase } from '../resources/lookup-rules.ts';
import type { AlertChanges, NewAlert } from '../resources/new-alert.ts';
import type { NewRepresentment, RepresentmentChanges } from '../resources/representment-rules.ts';
import {
  changeRepresentment,
  createRepresentment,
  withoutUndefined,
} from '../resources/representment-rules.ts';
import type { NewSchemeNotice, SchemeNoticeChanges } from '../resources/scheme-notice-rules.ts';
import { changeSchemeNotice, createSchemeNotice } from '../resources/scheme-notice-rules.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import type {
  AlertRecord,
  EnrolmentRecord,
  LookupRecord,
  MerchantRecord,
  RepresentmentRecord,
  SchemeNoticeRecord,
} from '../state/resources.ts';
import { must } from './must.ts';

function enrolmentFor(
  context: SandboxContext,
  id: string | undefined,
  network: 'NETA' | 'NETB' | 'NETA_ALERT',
): EnrolmentRecord {
  const { enrolments } = context.state;
  const found =
    id === undefined
      ? [...enrolments.values()].find(({ type }) => type.startsWith(network))
      : enrolments.get(id);
  return must(found, 'The enrolment', 'enrolment_id');
}

function merchantFor(context: SandboxContext, id: string | undefined): MerchantRecord {
  const [first] = context.state.merchants.keys();
  return must(context.state.merchants.get(id ?? first ?? ''), 'The merchant', 'merchant_id');
}

export function raiseAlert(context: SandboxContext, fields: NewAlert): AlertRecord {
  return createAlert(context, enrolmentFor(context, fields.enrolment_id, 'NETA_ALERT'), fields);
}

/** The alert of a charge: its transaction is the charge's, except where `fields` says otherwise. */
export function raiseAlertFor(
  context: SandboxContext,
  chargeReference: string,
  fields: NewAlert,
): AlertRecord {
  const charge = must(context.state.charges.get(chargeReference), 'The charge');
  return raiseAlert(context, {
    amount_in_cents: charge.amount_in_cents,
    currency_code: charge.currency,
    authorised_at: charge.authorised_at,
    authorisation_code: charge.authorisation_code,
    acquirer_reference_number: charge.acquirer_reference_number,
    card_bin: charge.card.bin,
    card_last4: charge.card.last4,
    card_scheme: charge.card.brand,
    ...fields,
  });
}

export function resolveInDashboard(
  context: SandboxContext,
  alertId: string,
  by: { readonly action: AlertAction; readonly note?: string | undefined },
): AlertRecord {
  const alert = must(context.state.alerts.get(alertId), 'The alert');
  resolveAlert(context, alert, by);
  return alert;
}

export function withdrawAlert(
  context: SandboxContext,
  alertId: string,
  note?: string,
): AlertRecord {
  const alert = must(context.state.alerts.get(alertId), 'The alert');
  invalidateAlert(context, alert, note);
  return alert;
}

/** An outcome changes by itself, the status stays: `alert.updated` says which. */
export function updateAlert(
  context: SandboxContext,
  alertId: string,
  changes: AlertChanges,
): AlertRecord {
  const alert = must(context.state.alerts.get(alertId), 'The alert');
  changeAlert(context, alert, withoutUndefined(changes));
  return alert;
}

export function askLookup(context: SandboxContext, fields: NewLookup): LookupRecord {
  const network = fields.type.startsWith('NETA') ? 'NETA' : 'NETB';
  return createLookup(context, enrolmentFor(context, fields.enrollment_id, network), fields);
}

/** Sets the state of a lookup by hand. */
export function updateLookup(
  context: SandboxContext,
  lookupId: string,
  changes: Parameters<typeof changeLookup>[2],
): LookupRecord {
  const lookup = must(context.state.lookups.get(lookupId), 'The lookup');
  changeLookup(context, lookup, changes);
  return lookup;
}

export function sendCaseNotice(
  context: SandboxContext,
  lookupId: string,
  notice: CaseNotice,
): LookupRecord {
  const lookup = must(context.state.lookups.get(lookupId), 'The lookup');
  noteCase(context, lookup, notice);
  return lookup;
}

/** A dispute is contested. */
export function openRepresentment(
  context: SandboxContext,
  fields: NewRepresentment,
): RepresentmentRecord {
  const { merchant_id: merchantId, ...chosen } = fields;
  return createRepresentment(context, merchantFor(context, merchantId), chosen);
}

/** The contest continues, for example to `LOST`. */
export function updateRepresentment(
  context: SandboxContext,
  id: string,
  changes: RepresentmentChanges,
): RepresentmentRecord {
  const representment = must(context.state.representments.get(id), 'The representment');
  changeRepresentment(context, representment, changes);
  return representment;
}

export function reportSchemeNotice(
  context: SandboxContext,
  fields: NewSchemeNotice,
): SchemeNoticeRecord {
  const { merchant_id: merchantId, ...chosen } = fields;
  return createSchemeNotice(context, merchantFor(context, merchantId), chosen);
}

/** A report changes, for example by being revoked. */
export function updateSchemeNotice(
  context: SandboxContext,
  id: string,
  changes: SchemeNoticeChanges,
): SchemeNoticeRecord {
  const notice = must(context.state.schemeNotices.get(id), 'The scheme notice');
  changeSchemeNotice(context, notice, changes);
  return notice;
}
