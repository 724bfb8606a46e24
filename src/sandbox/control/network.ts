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
import type {
  AlertRecord,
  EnrolmentRecord,
  LookupRecord,
  MerchantRecord,
  RepresentmentRecord,
  SchemeNoticeRecord,
} from '../state/resources.ts';
import type { World } from '../world.ts';
import { must } from './must.ts';

function enrolmentFor(
  world: World,
  id: string | undefined,
  network: 'NETA' | 'NETB' | 'NETA_ALERT',
): EnrolmentRecord {
  const { enrolments } = world.state;
  const found =
    id === undefined
      ? [...enrolments.values()].find(({ type }) => type.startsWith(network))
      : enrolments.get(id);
  return must(found, 'The enrolment', 'enrolment_id');
}

function merchantFor(world: World, id: string | undefined): MerchantRecord {
  const [first] = world.state.merchants.keys();
  return must(world.state.merchants.get(id ?? first ?? ''), 'The merchant', 'merchant_id');
}

/** A network raises an alert. */
export function raiseAlert(world: World, fields: NewAlert): AlertRecord {
  return createAlert(world, enrolmentFor(world, fields.enrolment_id, 'NETA_ALERT'), fields);
}

/** The alert of a charge: its transaction is the charge's, except where `fields` says otherwise. */
export function raiseAlertFor(
  world: World,
  chargeReference: string,
  fields: NewAlert,
): AlertRecord {
  const charge = must(world.state.charges.get(chargeReference), 'The charge');
  return raiseAlert(world, {
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

/** Somebody resolves an alert in the dashboard. */
export function resolveInDashboard(
  world: World,
  alertId: string,
  by: { readonly action: AlertAction; readonly note?: string | undefined },
): AlertRecord {
  const alert = must(world.state.alerts.get(alertId), 'The alert');
  resolveAlert(world, alert, by);
  return alert;
}

/** The network withdraws an alert. */
export function withdrawAlert(world: World, alertId: string, note?: string): AlertRecord {
  const alert = must(world.state.alerts.get(alertId), 'The alert');
  invalidateAlert(world, alert, note);
  return alert;
}

/** An outcome changes by itself, the status stays: `alert.updated` says which. */
export function updateAlert(world: World, alertId: string, changes: AlertChanges): AlertRecord {
  const alert = must(world.state.alerts.get(alertId), 'The alert');
  changeAlert(world, alert, withoutUndefined(changes));
  return alert;
}

/** A network asks for order data. */
export function askLookup(world: World, fields: NewLookup): LookupRecord {
  const network = fields.type.startsWith('NETA') ? 'NETA' : 'NETB';
  return createLookup(world, enrolmentFor(world, fields.enrollment_id, network), fields);
}

/** Sets the state of a lookup by hand. */
export function updateLookup(
  world: World,
  lookupId: string,
  changes: Parameters<typeof changeLookup>[2],
): LookupRecord {
  const lookup = must(world.state.lookups.get(lookupId), 'The lookup');
  changeLookup(world, lookup, changes);
  return lookup;
}

/** The network sends a case notice for a lookup. */
export function sendCaseNotice(world: World, lookupId: string, notice: CaseNotice): LookupRecord {
  const lookup = must(world.state.lookups.get(lookupId), 'The lookup');
  noteCase(world, lookup, notice);
  return lookup;
}

/** A dispute is contested. */
export function openRepresentment(world: World, fields: NewRepresentment): RepresentmentRecord {
  const { merchant_id: merchantId, ...chosen } = fields;
  return createRepresentment(world, merchantFor(world, merchantId), chosen);
}

/** The contest goes on, for example to `LOST`. */
export function updateRepresentment(
  world: World,
  id: string,
  changes: RepresentmentChanges,
): RepresentmentRecord {
  const representment = must(world.state.representments.get(id), 'The representment');
  changeRepresentment(world, representment, changes);
  return representment;
}

/** A scheme reports fraud or a dispute. */
export function reportSchemeNotice(world: World, fields: NewSchemeNotice): SchemeNoticeRecord {
  const { merchant_id: merchantId, ...chosen } = fields;
  return createSchemeNotice(world, merchantFor(world, merchantId), chosen);
}

/** A report changes, for example by being revoked. */
export function updateSchemeNotice(
  world: World,
  id: string,
  changes: SchemeNoticeChanges,
): SchemeNoticeRecord {
  const notice = must(world.state.schemeNotices.get(id), 'The scheme notice');
  changeSchemeNotice(world, notice, changes);
  return notice;
}
