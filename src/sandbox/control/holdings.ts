/**
 * Sets up what the interface has no endpoint for, or only a slow one: merchants, integrations,
 * enrolments that are live already, ingested transactions, orders. No events are emitted.
 */
import { z } from 'zod';
import {
  CREATABLE_ENROLMENT_TYPES,
  DESCRIPTOR_STATUSES,
  ENROLMENT_STATUSES,
  ENROLMENT_TYPES,
  MATCH_TYPES,
} from '../../service/wire/enrolment.ts';
import { CUSTOM_ORDERS_TYPE } from '../../service/wire/integration.ts';
import { notFound, refusal } from '../refusal.ts';
import { changeEnrolment } from '../resources/enrolment-life.ts';
import { storeOrder } from '../resources/order-create.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { nowIso } from '../sandbox-context.ts';
import type { IngestedTransaction, OrderRecord } from '../state/orders.ts';
import { orderInput, transactionInput } from '../state/orders.ts';
import type {
  DescriptorRecord,
  EnrolmentRecord,
  IntegrationRecord,
  MerchantRecord,
} from '../state/resources.ts';
import { PROGRAMMES } from '../state/resources.ts';
import { must } from './control-endpoint.ts';

export const newMerchantInput = z.strictObject({
  /** @default a new one */
  id: z.string().optional(),
  /** @default the first organisation */
  organisation_id: z.string().optional(),
  name: z.string().min(1),
  type: z.string().optional(),
  external_id: z.string().nullable().optional(),
  /** Related data providers, which block a change of the merchant's type. */
  data_providers: z.array(z.string()).optional(),
});

export const newIntegrationInput = z.strictObject({
  /** @default a new one */
  id: z.string().optional(),
  /** @default `CUSTOM_ORDERS` */
  type: z.string().optional(),
  /** @default 'ENABLED' */
  status: z.string().optional(),
  /** @default the first merchant */
  merchant_ids: z.array(z.string()).min(1).optional(),
  /** @default alert matching only */
  programmes: z.array(z.enum(PROGRAMMES)).optional(),
  /** @default false */
  enrichment_enabled: z.boolean().optional(),
});

/**
 * One descriptor of a live enrolment, added or removed by support. As every change of descriptors,
 * it emits `enrolment.updated`.
 */
export const newDescriptorInput = z.strictObject({
  descriptor: z.string().min(1),
  match_type: z.enum(MATCH_TYPES),
  status: z.enum(DESCRIPTOR_STATUSES).optional(),
});

export const newEnrolmentInput = z.strictObject({
  /** @default a new one */
  id: z.string().optional(),
  type: z.enum(ENROLMENT_TYPES),
  /** @default 'ENABLED' */
  status: z.enum(ENROLMENT_STATUSES).optional(),
  /** @default the first merchant */
  merchant_ids: z.array(z.string()).min(1).optional(),
  /** `status` is `ACTIVE` by default. */
  descriptors: z.array(newDescriptorInput).optional(),
  bin: z.string().optional(),
  caid: z.string().optional(),
  arns: z.array(z.string()).optional(),
});

/** What support changes about an enrolment: its status, and the descriptors as a whole. */
export const enrolmentChanges = newEnrolmentInput
  .pick({ status: true, descriptors: true })
  .extend({ note: z.string().nullable().optional() });

export const integrationChanges = newIntegrationInput.pick({
  programmes: true,
  enrichment_enabled: true,
});

/** A transaction that a processor integration ingested by itself. */
export const newTransactionInput = z.strictObject({
  integration_id: z.string(),
  transaction: transactionInput.required({ reference_id: true }),
});

/** The fields of an order; organisation and integration default to the first `CUSTOM_ORDERS` one. */
export const newOrderInput = orderInput.partial({ type: true }).required({ reference_id: true });
export type NewOrder = z.input<typeof newOrderInput>;

export function createMerchant(
  context: SandboxContext,
  input: z.input<typeof newMerchantInput>,
): MerchantRecord {
  const now = nowIso(context);
  const [first] = context.state.organisations.keys();
  const organisationId = input.organisation_id ?? first ?? '';
  if (!context.state.organisations.has(organisationId)) {
    throw notFound('The organisation', 'organisation_id');
  }
  const merchant: MerchantRecord = {
    id: input.id ?? context.ids.next('merchant'),
    organisation_id: organisationId,
    name: input.name,
    type: input.type ?? 'GENERIC',
    external_id: input.external_id ?? null,
    default_representment_service_type: null,
    created_at: now,
    updated_at: now,
  };
  context.state.merchants.set(merchant.id, merchant);
  context.state.dataProviders.set(merchant.id, input.data_providers ?? []);
  return merchant;
}

/** Creates an integration of its merchants' organisation. */
export function createIntegration(
  context: SandboxContext,
  input: z.input<typeof newIntegrationInput>,
): IntegrationRecord {
  const now = nowIso(context);
  const merchants = merchantsOf(context, input.merchant_ids);
  const integration: IntegrationRecord = {
    id: input.id ?? context.ids.next('integration'),
    organisation_id: merchants.organisationId,
    type: input.type ?? CUSTOM_ORDERS_TYPE,
    status: input.status ?? 'ENABLED',
    merchant_ids: merchants.ids,
    programmes: input.programmes ?? ['ALERT_MATCHING'],
    enrichment_enabled: input.enrichment_enabled ?? false,
    created_at: now,
    updated_at: now,
  };
  context.state.integrations.set(integration.id, integration);
  return integration;
}

/** Creates an enrolment that is live by default. */
export function createLiveEnrolment(
  context: SandboxContext,
  input: z.input<typeof newEnrolmentInput>,
): EnrolmentRecord {
  const now = nowIso(context);
  const merchants = merchantsOf(context, input.merchant_ids);
  const enrolment: EnrolmentRecord = {
    id: input.id ?? context.ids.next('enrolment'),
    organisation_id: merchants.organisationId,
    merchant_ids: merchants.ids,
    type: input.type,
    status: input.status ?? 'ENABLED',
    note: null,
    created_at: now,
    updated_at: now,
  };
  const [alert, rdr] = CREATABLE_ENROLMENT_TYPES;
  if (input.type === alert) {
    const descriptors = input.descriptors ?? [];
    enrolment.neta_alert = {
      descriptors: descriptors.map((entry) => ({ ...entry, status: entry.status ?? 'ACTIVE' })),
    };
  }
  if (input.type === rdr) {
    const { bin = null, caid = null, arns = null } = input;
    enrolment.netb_rdr = { bin, caid, arns };
  }
  context.state.enrolments.set(enrolment.id, enrolment);
  context.state.announced.add(enrolment.id);
  return enrolment;
}

function merchantsOf(
  context: SandboxContext,
  given: readonly string[] | undefined,
): { readonly ids: string[]; readonly organisationId: string } {
  const ids = [...(given ?? [...context.state.merchants.keys()].slice(0, 1))];
  const merchants = ids.map((id) => context.state.merchants.get(id));
  const first = merchants[0];
  if (first === undefined || merchants.includes(undefined)) {
    throw notFound('The merchant', 'merchant_ids');
  }
  return { ids, organisationId: first.organisation_id };
}

/** Support moves an enrolment on; `enrolment.updated` is emitted as for every change. */
export function moveEnrolmentByHand(
  context: SandboxContext,
  enrolmentId: string,
  changes: z.input<typeof enrolmentChanges>,
): EnrolmentRecord {
  const enrolment = must(context.state.enrolments.get(enrolmentId), 'The enrolment');
  changeEnrolment(context, enrolment, {
    status: changes.status,
    note: changes.note,
    descriptors: changes.descriptors?.map((entry) => ({
      ...entry,
      status: entry.status ?? 'PENDING',
    })),
  });
  return enrolment;
}

export function ingestTransaction(
  context: SandboxContext,
  input: z.input<typeof newTransactionInput>,
): IngestedTransaction {
  const integration = must(context.state.integrations.get(input.integration_id), 'The integration');
  const ingested = { integration_id: integration.id, fields: input.transaction };
  context.state.ingested.push(ingested);
  return ingested;
}

/** Stores an order as if it had been sent, without asking the rules. */
export function createOrder(context: SandboxContext, fields: NewOrder): OrderRecord {
  const integration =
    fields.integration_id === undefined
      ? [...context.state.integrations.values()].find(({ type }) => type === CUSTOM_ORDERS_TYPE)
      : context.state.integrations.get(fields.integration_id);
  if (integration === undefined) throw notFound('The integration', 'integration_id');
  return storeOrder(context, {
    ...fields,
    type: fields.type ?? 'COMPLETE',
    organisation_id: integration.organisation_id,
    integration_id: integration.id,
  });
}

/** One text can be enrolled with both match types. */
export const descriptorChoice = z.strictObject({
  descriptor: z.string().min(1),
  match_type: z.enum(MATCH_TYPES).optional(),
});

/** Adds one, `ACTIVE` by default. @throws Refusal `422 DUPLICATE_DESCRIPTOR` */
export function addDescriptor(
  context: SandboxContext,
  enrolmentId: string,
  { status = 'ACTIVE', ...added }: z.infer<typeof newDescriptorInput>,
): EnrolmentRecord {
  const { enrolment, descriptors } = alertEnrolment(context, enrolmentId);
  if (descriptors.some((entry) => isChosen(entry, added))) {
    const message = `${added.descriptor} exists with ${added.match_type}.`;
    throw refusal('DUPLICATE_DESCRIPTOR', message, 'descriptor');
  }
  changeEnrolment(context, enrolment, { descriptors: [...descriptors, { ...added, status }] });
  return enrolment;
}

/** Removes one; without a match type, all of that text. @throws Refusal 404 */
export function removeDescriptor(
  context: SandboxContext,
  enrolmentId: string,
  chosen: z.infer<typeof descriptorChoice>,
): EnrolmentRecord {
  const { enrolment, descriptors } = alertEnrolment(context, enrolmentId);
  const left = descriptors.filter((entry) => !isChosen(entry, chosen));
  must(left.length < descriptors.length ? left : undefined, 'The descriptor', 'descriptor');
  changeEnrolment(context, enrolment, { descriptors: left });
  return enrolment;
}

/** Only enrolments for alerts have descriptors. */
function alertEnrolment(
  context: SandboxContext,
  id: string,
): { readonly enrolment: EnrolmentRecord; readonly descriptors: readonly DescriptorRecord[] } {
  const enrolment = must(context.state.enrolments.get(id), 'The enrolment', 'enrolment_id');
  const { descriptors } = must(enrolment.neta_alert, 'An enrolment for alerts', 'enrolment_id');
  return { enrolment, descriptors };
}

function isChosen(entry: DescriptorRecord, chosen: z.infer<typeof descriptorChoice>): boolean {
  const sameType = chosen.match_type === undefined || chosen.match_type === entry.match_type;
  return sameType && entry.descriptor === chosen.descriptor;
}
