/**
 * What networks and dashboards do: raise alerts, resolve and withdraw them, look up orders, open
 * and lose representments, report fraud. Used from code and over `/sandbox/*` alike.
 */
import { createAlert } from '../resources/alert-rules.ts';
import type { NewLookup } from '../resources/lookup-rules.ts';
import { createLookup } from '../resources/lookup-rules.ts';
import type { NewAlert } from '../resources/new-alert.ts';
import type { NewRepresentment } from '../resources/representment-rules.ts';
import { createRepresentment } from '../resources/representment-rules.ts';
import type { NewSchemeNotice } from '../resources/scheme-notice-rules.ts';
import { createSchemeNotice } from '../resources/scheme-notice-rules.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import type {
  AlertRecord,
  EnrolmentRecord,
  LookupRecord,
  MerchantRecord,
  RepresentmentRecord,
  SchemeNoticeRecord,
} from '../state/resources.ts';
import { must } from './control-endpoint.ts';

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

export function askLookup(context: SandboxContext, fields: NewLookup): LookupRecord {
  const network = fields.type.startsWith('NETA') ? 'NETA' : 'NETB';
  return createLookup(context, enrolmentFor(context, fields.enrollment_id, network), fields);
}

/** A dispute is contested. */
export function openRepresentment(
  context: SandboxContext,
  fields: NewRepresentment,
): RepresentmentRecord {
  const { merchant_id: merchantId, ...chosen } = fields;
  return createRepresentment(context, merchantFor(context, merchantId), chosen);
}

export function reportSchemeNotice(
  context: SandboxContext,
  fields: NewSchemeNotice,
): SchemeNoticeRecord {
  const { merchant_id: merchantId, ...chosen } = fields;
  return createSchemeNotice(context, merchantFor(context, merchantId), chosen);
}

/** What the control surface names by its id. @throws Refusal 404 */
export function alertOf({ state }: SandboxContext, id: string): AlertRecord {
  return must(state.alerts.get(id), 'The alert');
}

export function lookupOf({ state }: SandboxContext, id: string): LookupRecord {
  return must(state.lookups.get(id), 'The lookup');
}

export function representmentOf({ state }: SandboxContext, id: string): RepresentmentRecord {
  return must(state.representments.get(id), 'The representment');
}

export function schemeNoticeOf({ state }: SandboxContext, id: string): SchemeNoticeRecord {
  return must(state.schemeNotices.get(id), 'The scheme notice');
}
