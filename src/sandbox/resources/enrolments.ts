/**
 * Endpoints of enrolments: v2, and the deprecated v1 that shows the same records in its own form.
 * For partner keys only. Section Endpoints, Enrolments v2.
 */
import { z } from 'zod';
import type { Ability } from '../../service/wire/abilities.ts';
import type { CreatableEnrolmentType } from '../../service/wire/enrolment.ts';
import {
  APPENDABLE_ENROLMENT_STATUSES,
  CREATABLE_ENROLMENT_TYPES,
} from '../../service/wire/enrolment.ts';
import { ENROLMENT_CANCELLED_NOTE } from '../../service/wire/limits.ts';
import { enrolmentFilter } from '../../service/wire/list.ts';
import { reaches, reachResource } from '../access.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { created, ok, param } from '../http/route.ts';
import type { ListRule } from '../listing.ts';
import { list } from '../listing.ts';
import { notFound, readInput, refusal } from '../refusal.ts';
import { nowIso } from '../sandbox-context.ts';
import type { EnrolmentRecord } from '../state/resources.ts';
import { readDescriptors, readRdr } from './enrolment-config.ts';
import { changeEnrolment, scheduleValidation, startEnrolment } from './enrolment-life.ts';

/** What differs between the two versions. */
interface Version {
  readonly base: string;
  readonly read: Ability;
  readonly write: Ability;
  show(enrolment: EnrolmentRecord): object;
  readMerchants(body: unknown): readonly string[];
}

const V2: Version = {
  base: '/v2/enrolments',
  read: 'enrolments_v2:read',
  write: 'enrolments_v2:write',
  show: (enrolment) => ({ ...enrolment, links: selfLink(V2, enrolment) }),
  readMerchants(body): readonly string[] {
    const { merchant_ids: ids } = readInput(merchantsInput, body);
    if (new Set(ids).size === ids.length) return ids;
    throw refusal(
      'DUPLICATE_MERCHANT_IDS',
      'A merchant is listed twice. List each once.',
      'merchant_ids',
    );
  },
};

/** One `merchant_id`, and descriptors without a status. */
const V1: Version = {
  base: '/v1/enrolments',
  read: 'enrolments:read',
  write: 'enrolments:write',
  show({ merchant_ids: [merchantId], neta_alert: neta, ...rest }): object {
    const descriptors = neta?.descriptors.map(({ descriptor, match_type }) => ({
      descriptor,
      match_type,
    }));
    return {
      ...rest,
      merchant_id: merchantId,
      ...(descriptors && { neta_alert: { descriptors } }),
      links: selfLink(V1, rest),
    };
  },
  readMerchants: (body) => [readInput(merchantInput, body).merchant_id],
};

function selfLink(version: Version, { id }: { readonly id: string }): readonly object[] {
  return [{ rel: 'self', uri: `${version.base}/${id}` }];
}

const merchantsInput = z.looseObject({ merchant_ids: z.array(z.string()).min(1) });
const merchantInput = z.looseObject({ merchant_id: z.string() });

export const enrolmentRoutes: readonly Route[] = [
  ...routesOf(V2),
  {
    method: 'PATCH',
    path: '/v2/enrolments/{enrolment_id}',
    ability: 'enrolments_v2:write',
    partnerOnly: true,
    handle: appendDescriptors,
  },
  ...routesOf(V1),
];

function routesOf(version: Version): readonly Route[] {
  const { base, read, write } = version;
  const one = `${base}/{enrolment_id}`;
  const only = { partnerOnly: true } as const;
  return [
    {
      method: 'POST',
      path: base,
      ability: write,
      ...only,
      handle: (call) => create(version, call),
    },
    { method: 'GET', path: base, ability: read, ...only, handle: (call) => listAll(version, call) },
    { method: 'GET', path: one, ability: read, ...only, handle: (call) => get(version, call) },
    {
      method: 'DELETE',
      path: one,
      ability: write,
      ...only,
      handle: (call) => cancel(version, call),
    },
  ];
}

const configInput = z.looseObject({
  type: z.enum(CREATABLE_ENROLMENT_TYPES),
  neta_alert: z.unknown().optional(),
  netb_rdr: z.unknown().optional(),
});

function create(version: Version, call: Call): Answer {
  const { context } = call;
  const config = readInput(configInput, call.body);
  const merchantIds = version.readMerchants(call.body);
  const now = nowIso(context);
  const enrolment: EnrolmentRecord = {
    id: context.ids.next('enrolment'),
    organisation_id: reachMerchants(call, merchantIds),
    merchant_ids: [...merchantIds],
    type: config.type,
    status: 'PENDING',
    ...readConfig(call, config.type, config),
    note: null,
    created_at: now,
    updated_at: now,
  };
  startEnrolment(context, enrolment);
  return created(version.show(enrolment));
}

/** The one organisation of the merchants. @throws Refusal 404 or 422 */
function reachMerchants(call: Call, ids: readonly string[]): string {
  const organisations = ids.map((id) => {
    const merchant = call.context.state.merchants.get(id);
    return reachResource(call, merchant, 'The merchant').organisation_id;
  });
  const [first = ''] = organisations;
  if (organisations.every((id) => id === first)) return first;
  const message =
    'The merchants belong to different organisations. Enrol each organisation on its own.';
  throw refusal('MERCHANTS_DIFFERENT_ORGANISATIONS', message, 'merchant_ids');
}

function readConfig(
  call: Call,
  type: CreatableEnrolmentType,
  config: { readonly neta_alert?: unknown; readonly netb_rdr?: unknown },
): Pick<EnrolmentRecord, 'neta_alert' | 'netb_rdr'> {
  return type === 'NETA_ALERT'
    ? { neta_alert: { descriptors: readDescriptors(config.neta_alert, []) } }
    : { netb_rdr: readRdr(call.context, config.netb_rdr) };
}

const LIST: ListRule<EnrolmentRecord> = {
  filter: enrolmentFilter,
  matches: { merchant_id: (enrolment, merchantId) => enrolment.merchant_ids.includes(merchantId) },
};

function listAll(version: Version, call: Call): Answer {
  const { items, count } = list(call, call.context.state.enrolments.values(), LIST);
  return ok({ items: items.map((item) => version.show(item)), count });
}

function get(version: Version, call: Call): Answer {
  return ok(version.show(reachEnrolment(call)));
}

function reachEnrolment(call: Call): EnrolmentRecord {
  const enrolment = call.context.state.enrolments.get(param(call, 'enrolment_id'));
  return reachResource(call, enrolment, 'The enrolment');
}

function cancel(version: Version, call: Call): Answer {
  const enrolment = reachEnrolment(call);
  if (enrolment.status !== 'PENDING') {
    throw refusal(
      'ENROLMENT_NOT_PENDING',
      `The enrolment is ${enrolment.status}; only a PENDING one can be cancelled. Ask support to end it.`,
    );
  }
  changeEnrolment(call.context, enrolment, { status: 'CANCELLED', note: ENROLMENT_CANCELLED_NOTE });
  return ok(version.show(enrolment));
}

const appendInput = z.looseObject({ neta_alert: z.unknown().optional() });

/** Only ever appends; status and existing descriptors stay as they are. */
function appendDescriptors(call: Call): Answer {
  const enrolment = reachEnrolment(call);
  if (enrolment.type !== 'NETA_ALERT') {
    const message = `Descriptors cannot be appended to ${enrolment.type}. Name a NETA_ALERT enrolment.`;
    throw refusal('ENROLMENT_TYPE_NOT_SUPPORTED', message);
  }
  const { status } = enrolment;
  if (!APPENDABLE_ENROLMENT_STATUSES.some((appendable) => appendable === status)) {
    throw refusal(
      'ENROLMENT_STATUS_NOT_APPENDABLE',
      `The enrolment is ${status} and takes no more descriptors. Create a new one.`,
    );
  }
  const existing = enrolment.neta_alert?.descriptors ?? [];
  const added = readDescriptors(readInput(appendInput, call.body).neta_alert, existing);
  changeEnrolment(call.context, enrolment, { descriptors: [...existing, ...added] });
  scheduleValidation(call.context, enrolment);
  return ok(V2.show(enrolment));
}

/** An enrolment of one organisation that the key reaches. @throws Refusal 404 */
export function reachOwnEnrolment(
  call: Call,
  enrolmentId: string,
  organisationId: string,
): EnrolmentRecord {
  const enrolment = call.context.state.enrolments.get(enrolmentId);
  const own = enrolment !== undefined && enrolment.organisation_id === organisationId;
  if (!own || !reaches(call.context, call.key, organisationId)) {
    throw notFound('The enrolment', 'enrolment_ids');
  }
  return enrolment;
}
