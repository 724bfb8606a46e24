/** Endpoints and rules of merchants, for partner keys only. Section Endpoints, Merchants. */
import { z } from 'zod';
import { EXTERNAL_ID_LENGTH_MAX } from '../../service/wire/limits.ts';
import { merchantFilter } from '../../service/wire/list.ts';
import type { RepresentmentServiceType } from '../../service/wire/merchant.ts';
import { REPRESENTMENT_SERVICE_TYPES } from '../../service/wire/merchant.ts';
import { reachOrganisation, reachResource } from '../access.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { created, noContent, ok, param } from '../http/route.ts';
import type { ListRule } from '../listing.ts';
import { list } from '../listing.ts';
import { invalid, readInput, refusal } from '../refusal.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { nowIso } from '../sandbox-context.ts';
import type { MerchantRecord } from '../state/resources.ts';

const READ = { ability: 'merchants:read', partnerOnly: true } as const;
const WRITE = { ability: 'merchants:write', partnerOnly: true } as const;

export const merchantRoutes: readonly Route[] = [
  { method: 'GET', path: '/v1/merchants', ...READ, handle: listMerchants },
  { method: 'POST', path: '/v1/merchants', ...WRITE, handle: createMerchant },
  { method: 'GET', path: '/v1/merchants/{merchant_id}', ...READ, handle: getMerchant },
  { method: 'PATCH', path: '/v1/merchants/{merchant_id}', ...WRITE, handle: updateMerchant },
  { method: 'DELETE', path: '/v1/merchants/{merchant_id}', ...WRITE, handle: deleteMerchant },
];

/** The specification does not show which types are supported; these are the sandbox's. */
const MERCHANT_TYPES: readonly string[] = ['GENERIC', 'CUSTOM', 'PROCESSOR'];

const SORTABLE = ['name', 'type', 'updated_at'] as const;

const LIST: ListRule<MerchantRecord> = {
  filter: merchantFilter,
  matches: { name: (merchant, name) => merchant.name.toLowerCase().includes(name.toLowerCase()) },
  sortBy: (merchant, field) => merchant[SORTABLE.find((name) => name === field) ?? 'updated_at'],
};

function showMerchant(merchant: MerchantRecord): object {
  return { ...merchant, links: [{ rel: 'self', uri: `/v1/merchants/${merchant.id}` }] };
}

function listMerchants(call: Call): Answer {
  const { items, count } = list(call, call.context.state.merchants.values(), LIST);
  return ok({ items: items.map(showMerchant), count });
}

const name = z.string().min(1);
const externalId = z.string().max(EXTERNAL_ID_LENGTH_MAX);

const createInput = z.looseObject({
  organisation_id: z.string(),
  name,
  type: z.string(),
  external_id: externalId.optional(),
  default_representment_service_type: z.unknown().optional(),
});

function createMerchant(call: Call): Answer {
  const { context } = call;
  const input = readInput(createInput, call.body);
  const organisation = reachOrganisation(context, call.key, input.organisation_id);
  const now = nowIso(context);
  const merchant: MerchantRecord = {
    id: context.ids.next('merchant'),
    organisation_id: organisation.id,
    name: input.name,
    type: readType(input.type),
    external_id: input.external_id ?? null,
    default_representment_service_type: readNewService(input.default_representment_service_type),
    created_at: now,
    updated_at: now,
  };
  context.state.merchants.set(merchant.id, merchant);
  return created(showMerchant(merchant));
}

function readType(type: string): string {
  if (MERCHANT_TYPES.includes(type)) return type;
  throw refusal(
    'INVALID_MERCHANT_TYPE',
    `The merchant type is not supported. Send one of ${MERCHANT_TYPES.join(', ')}.`,
    'type',
  );
}

/** Of a new merchant: it is left out where there is none. Null clears it in an update only. */
function readNewService(value: unknown): RepresentmentServiceType | null {
  return value === undefined ? null : readService(value);
}

function readService(value: unknown): RepresentmentServiceType {
  const known = REPRESENTMENT_SERVICE_TYPES.find((type) => type === value);
  if (known !== undefined) return known;
  throw refusal(
    'INVALID_REPRESENTMENT_SERVICE_TYPE',
    `default_representment_service_type has a value that is not taken. Send one of ${REPRESENTMENT_SERVICE_TYPES.join(', ')}, or leave it out.`,
    'default_representment_service_type',
  );
}

function getMerchant(call: Call): Answer {
  return ok(showMerchant(reachMerchant(call)));
}

function reachMerchant(call: Call): MerchantRecord {
  const merchant = call.context.state.merchants.get(param(call, 'merchant_id'));
  return reachResource(call, merchant, 'The merchant');
}

const updateInput = z.looseObject({
  name: name.optional(),
  type: z.string().optional(),
  external_id: externalId.nullable().optional(),
  default_representment_service_type: z.unknown().optional(),
});

const UPDATABLE = ['name', 'type', 'external_id', 'default_representment_service_type'] as const;

function updateMerchant(call: Call): Answer {
  const { context } = call;
  const merchant = reachMerchant(call);
  const input = readInput(updateInput, call.body);
  if (!UPDATABLE.some((field) => field in input)) {
    const message = `The update changes nothing. Give at least one of ${UPDATABLE.join(', ')}.`;
    throw invalid([{ code: 'VALIDATION_REQUIRED', message }]);
  }
  const type = input.type === undefined ? merchant.type : readType(input.type);
  if (type !== merchant.type && isTypeInUse(context, merchant)) {
    throw refusal(
      'MERCHANT_TYPE_CHANGE_RESTRICTED',
      'The type cannot change while integrations, enrolments or data providers are related. Leave it out.',
      'type',
    );
  }
  const { default_representment_service_type: given } = input;
  const held = merchant.default_representment_service_type;
  const service = given === undefined ? held : given && readService(given);
  Object.assign(merchant, {
    type,
    name: input.name ?? merchant.name,
    external_id: input.external_id === undefined ? merchant.external_id : input.external_id,
    default_representment_service_type: service,
    updated_at: nowIso(context),
  });
  return ok(showMerchant(merchant));
}

function isTypeInUse(context: SandboxContext, merchant: MerchantRecord): boolean {
  const related = [...context.state.integrations.values(), ...context.state.enrolments.values()];
  const providers = context.state.dataProviders.get(merchant.id) ?? [];
  return (
    providers.length > 0 || related.some((record) => record.merchant_ids.includes(merchant.id))
  );
}

function deleteMerchant(call: Call): Answer {
  const { state } = call.context;
  const merchant = reachMerchant(call);
  const related = [...state.enrolments.values(), ...state.alerts.values()];
  if (related.some((record) => record.merchant_ids.includes(merchant.id))) {
    const message = 'The merchant has related enrolments or alerts and cannot be deleted. Keep it.';
    throw refusal('MERCHANT_DELETION_RESTRICTED', message);
  }
  state.merchants.delete(merchant.id);
  return noContent();
}
