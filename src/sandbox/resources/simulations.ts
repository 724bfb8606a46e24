/** Simulations, for test organisations only. Section Endpoints, Simulations. */
import { z } from 'zod';
import { ALERT_STATUSES, CARD_SCHEMES } from '../../service/wire/alert.ts';
import { ENROLMENT_STATUSES } from '../../service/wire/enrolment.ts';
import { amountMinorOut, currencyCode, dateOrTimestampOut } from '../../service/wire/fields.ts';
import { ARN_LENGTH, AUTHORISATION_CODE_LENGTH } from '../../service/wire/limits.ts';
import { reachOrganisation, reachResource } from '../access.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { created, ok, param } from '../http/route.ts';
import { invalid, notFound, readInput, refusal } from '../refusal.ts';
import type { Organisation } from '../state/accounts.ts';
import type { EnrolmentRecord, MerchantRecord } from '../state/resources.ts';
import { createAlert } from './alert-rules.ts';
import { changeEnrolment } from './enrolment-life.ts';
import { createLookup, newLookupInput } from './lookup-rules.ts';
import { createSchemeNotice, newSchemeNoticeInput } from './scheme-notice-rules.ts';

export const simulationRoutes: readonly Route[] = [
  {
    method: 'PATCH',
    path: '/v1/simulate/enrolments/{enrolment_id}',
    ability: 'simulations:enrollments',
    handle: simulateEnrolment,
  },
  {
    method: 'POST',
    path: '/v1/simulate/alerts',
    ability: 'simulations:alerts',
    handle: simulateAlert,
  },
  {
    method: 'POST',
    path: '/v1/simulate/lookups',
    ability: 'simulations:lookups',
    handle: simulateLookup,
  },
  {
    method: 'POST',
    path: '/v1/simulate/scheme-notices',
    ability: 'simulations:scheme_notices',
    handle: simulateSchemeNotice,
  },
];

/** An organisation that may be simulated. @throws Refusal 404, or `422 SIMULATION_NOT_ALLOWED` */
function reachTestOrganisation(call: Call, organisationId: string): Organisation {
  const organisation = reachOrganisation(call.context, call.key, organisationId);
  if (organisation.mode !== 'test') {
    throw refusal(
      'SIMULATION_NOT_ALLOWED',
      'Simulations work on test organisations only. Use the key of one.',
    );
  }
  return organisation;
}

const alertInput = z.looseObject({
  organisation_id: z.string(),
  enrolment_id: z.string(),
  status: z.enum(ALERT_STATUSES),
  card_scheme: z.enum(CARD_SCHEMES),
  amount_in_cents: amountMinorOut,
  currency_code: currencyCode,
  transaction_acquirer_reference_number: z.string().length(ARN_LENGTH),
  transaction_authorisation_code: z.string().length(AUTHORISATION_CODE_LENGTH),
  // The specification does not list every option: the rest of a transaction may be given as well.
  transaction_card_bin: z
    .string()
    .regex(/^\d{6,8}$/)
    .optional(),
  transaction_card_last4: z
    .string()
    .regex(/^\d{4}$/)
    .optional(),
  transaction_card_issuer: z.string().optional(),
  transaction_statement_descriptor: z.string().optional(),
  transaction_authorised_at: dateOrTimestampOut.optional(),
});

function simulateAlert(call: Call): Answer {
  const input = readInput(alertInput, call.body);
  const organisation = reachTestOrganisation(call, input.organisation_id);
  const enrolment = ownEnrolment(call, organisation, {
    id: input.enrolment_id,
    field: 'enrolment_id',
  });
  const allowed = enrolment.type === 'NETB_RDR' ? ['RESOLVED', 'INVALID'] : ['ACTION_REQUIRED'];
  if (!allowed.includes(input.status)) {
    const message = `${enrolment.type} alerts are simulated as ${allowed.join(' or ')} only. Send one of these.`;
    throw invalid([{ code: 'VALIDATION_INVALID_VALUE', message, field: 'status' }]);
  }
  const alert = createAlert(call.context, enrolment, {
    status: input.status,
    card_scheme: input.card_scheme,
    amount_in_cents: input.amount_in_cents,
    currency_code: input.currency_code,
    acquirer_reference_number: input.transaction_acquirer_reference_number,
    authorisation_code: input.transaction_authorisation_code,
    card_bin: input.transaction_card_bin,
    card_last4: input.transaction_card_last4,
    card_issuer: input.transaction_card_issuer,
    statement_descriptor: input.transaction_statement_descriptor,
    authorised_at: input.transaction_authorised_at,
    match: 'later',
  });
  return created(alert);
}

function ownEnrolment(
  call: Call,
  organisation: Organisation,
  wanted: { readonly id: string; readonly field: string },
): EnrolmentRecord {
  const enrolment = call.context.state.enrolments.get(wanted.id);
  if (enrolment === undefined || enrolment.organisation_id !== organisation.id) {
    throw notFound('The enrolment', wanted.field);
  }
  return enrolment;
}

const enrolmentInput = z.looseObject({ status: z.enum(ENROLMENT_STATUSES) });

function simulateEnrolment(call: Call): Answer {
  const enrolment = reachResource(
    call,
    call.context.state.enrolments.get(param(call, 'enrolment_id')),
    'The enrolment',
  );
  reachTestOrganisation(call, enrolment.organisation_id);
  const { status } = readInput(enrolmentInput, call.body);
  changeEnrolment(call.context, enrolment, { status });
  return ok({ ...enrolment, links: [{ rel: 'self', uri: `/v2/enrolments/${enrolment.id}` }] });
}

const lookupInput = newLookupInput.loose().extend({ organisation_id: z.string() });

function simulateLookup(call: Call): Answer {
  const { organisation_id: organisationId, ...fields } = readInput(lookupInput, call.body);
  const organisation = reachTestOrganisation(call, organisationId);
  const id = fields.enrollment_id ?? firstEnrolment(call, organisation, fields.type);
  const enrolment = ownEnrolment(call, organisation, { id, field: 'enrollment_id' });
  return created(createLookup(call.context, enrolment, fields));
}

/** The enrolment of the lookup's network that was made first. */
function firstEnrolment(call: Call, organisation: Organisation, lookupType: string): string {
  const network = lookupType.slice(0, lookupType.indexOf('_'));
  const found = [...call.context.state.enrolments.values()].find(
    ({ type, organisation_id: owner }) => owner === organisation.id && type.startsWith(network),
  );
  return found?.id ?? '';
}

const noticeInput = newSchemeNoticeInput.loose().extend({ organisation_id: z.string() });

function simulateSchemeNotice(call: Call): Answer {
  const {
    organisation_id: organisationId,
    merchant_id: merchantId,
    announce: _announce,
    ...fields
  } = readInput(noticeInput, call.body);
  const organisation = reachTestOrganisation(call, organisationId);
  const merchant = ownMerchant(call, organisation, merchantId);
  return created(createSchemeNotice(call.context, merchant, fields));
}

function ownMerchant(
  call: Call,
  organisation: Organisation,
  id: string | undefined,
): MerchantRecord {
  const merchant = [...call.context.state.merchants.values()].find(
    (candidate) =>
      candidate.organisation_id === organisation.id && (id === undefined || candidate.id === id),
  );
  if (merchant === undefined) throw notFound('The merchant', 'merchant_id');
  return merchant;
}
