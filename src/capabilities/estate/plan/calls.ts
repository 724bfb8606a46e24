/** The calls of a step: reading before it, sending it, and finding out whether it was done. */
import { isServiceError } from '../../../service/client/index.ts';
import type { Enrolment, EnrolmentCreate } from '../../../service/wire/enrolment.ts';
import { enrolmentCreateSchema, enrolmentUpdateSchema } from '../../../service/wire/enrolment.ts';
import { merchantCreateSchema, merchantUpdateSchema } from '../../../service/wire/merchant.ts';
import {
  ruleInputSchema,
  rulesetCreateSchema,
  rulesetUpdateSchema,
} from '../../../service/wire/ruleset.ts';
import type { DescriptorContent, EnrolmentContent, RulesetContent } from './content.ts';
import { enrolmentOfService, isSame, merchantOfService, rulesetOfService } from './content.ts';
import type { References } from './references.ts';
import type { EstateClient } from './remote-estate.ts';
import type { RulesetStep, Step } from './step.ts';
import { changesBetween } from './step.ts';

/** What a look before a step shows. */
export type LookResult =
  | { readonly state: 'open' }
  | { readonly state: 'done'; readonly id?: string }
  | { readonly state: 'changed'; readonly detail: string };

/** Where the calls go, and what the keys in a step mean. */
export interface CallContext {
  readonly client: EstateClient;
  readonly references: References;
}

const OPEN: LookResult = { state: 'open' };
const DONE: LookResult = { state: 'done' };

/** Reads what the step is about. `wasSent`: an earlier run may have sent it. */
export async function lookAt(
  step: Step,
  context: CallContext,
  wasSent: boolean,
): Promise<LookResult> {
  const { client } = context;
  switch (step.kind) {
    case 'create_merchant':
    case 'create_enrolment':
    case 'create_ruleset': {
      // A second ruleset that says the same changes nothing, so that only an interrupted run looks.
      if (step.kind === 'create_ruleset' && !wasSent) return OPEN;
      const id = await findCreated(step, context);
      return id === undefined ? OPEN : { state: 'done', id };
    }
    case 'update_merchant':
      return compare(step, await readMerchant(client, step.id), step.after);
    case 'delete_merchant':
      return compare(step, await readMerchant(client, step.id), undefined);
    case 'append_descriptors': {
      const enrolment = await client.enrolments.get(step.id);
      return missingDescriptors(enrolment, step.descriptors).length === 0 ? DONE : OPEN;
    }
    case 'cancel_enrolment': {
      const { status } = await client.enrolments.get(step.id);
      if (status === 'CANCELLED') return DONE;
      return status === 'PENDING' ? OPEN : { state: 'changed', detail: `it is ${status} now` };
    }
    case 'delete_ruleset':
      return lookAtDeletion(step, context);
    default:
      return compare(step, await readRuleset(step.id, context), step.after);
  }
}

/** The ruleset must be as planned, and those that take its place must be there. */
async function lookAtDeletion(
  step: Step & { readonly kind: 'delete_ruleset' },
  context: CallContext,
): Promise<LookResult> {
  const result = compare(step, await readRuleset(step.id, context), undefined);
  if (result.state !== 'open') return result;
  for (const key of step.remaining) {
    const id = context.references.idOf('ruleset', key);
    if ((await readRuleset(id, context)) !== undefined) continue;
    return { state: 'changed', detail: `ruleset "${key}", which takes its place, is gone` };
  }
  return OPEN;
}

function compare(
  step: { readonly before: object },
  held: object | undefined,
  after: object | undefined,
): LookResult {
  if (held === undefined) {
    return after === undefined ? DONE : { state: 'changed', detail: 'it is gone' };
  }
  if (after !== undefined && isSame(held, after)) return DONE;
  if (isSame(held, step.before)) return OPEN;
  const fields = changesBetween(step.before, held).map(({ field }) => field);
  return { state: 'changed', detail: `${fields.join(', ')} differ from the plan` };
}

async function orNothing<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isServiceError(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}

async function readMerchant(client: EstateClient, id: string): Promise<object | undefined> {
  const merchant = await orNothing(() => client.merchants.get(id));
  return merchant === undefined ? undefined : merchantOfService(merchant);
}

async function readRuleset(
  id: string,
  { client, references }: CallContext,
): Promise<RulesetContent | undefined> {
  const ruleset = await orNothing(() => client.rulesets.get(id));
  return ruleset === undefined
    ? undefined
    : rulesetOfService(ruleset, (enrolment) => references.keyOf('enrolment', enrolment));
}

function missingDescriptors(
  enrolment: Enrolment,
  wanted: readonly DescriptorContent[],
): DescriptorContent[] {
  const held = enrolment.neta_alert?.descriptors ?? [];
  return wanted.filter(
    (descriptor) =>
      !held.some(
        (one) =>
          one.descriptor === descriptor.descriptor && one.match_type === descriptor.match_type,
      ),
  );
}

/** The id of what a step creates, if the service holds it already. */
export async function findCreated(step: Step, context: CallContext): Promise<string | undefined> {
  const { client, references } = context;
  switch (step.kind) {
    case 'create_merchant': {
      const { external_id: externalId } = step.content;
      const filter = { organisation_id: step.organisation, external_id: externalId ?? undefined };
      return await findFirst(client.merchants.list(filter), () => true);
    }
    case 'create_enrolment': {
      const [first = ''] = step.content.merchants;
      const filter = { merchant_id: references.idOf('merchant', first), type: step.content.type };
      return await findFirst(client.enrolments.list(filter), (enrolment) => {
        const held = enrolmentOfService(enrolment, (id) => references.keyOf('merchant', id));
        return enrolment.status !== 'CANCELLED' && isSame(held, step.content);
      });
    }
    case 'create_ruleset':
      // Newest first: what was just created is on the first page.
      return await findFirst(
        client.rulesets.list({ organisation_id: step.organisation }),
        (ruleset) => {
          const keyOf = (id: string): string => references.keyOf('enrolment', id);
          return isSame(rulesetOfService(ruleset, keyOf), step.content);
        },
      );
    default:
      return undefined;
  }
}

async function findFirst<Item extends { readonly id: string }>(
  items: AsyncIterable<Item>,
  is: (item: Item) => boolean,
): Promise<string | undefined> {
  for await (const item of items) if (is(item)) return item.id;
  return undefined;
}

/** Sends the step, once. Returns the id of what it created. */
export async function sendStep(step: Step, context: CallContext): Promise<string | undefined> {
  const { client, references } = context;
  switch (step.kind) {
    case 'create_merchant': {
      const { default_representment_service_type: service, external_id: externalId } = step.content;
      const body = merchantCreateSchema.parse({
        organisation_id: step.organisation,
        name: step.content.name,
        type: step.content.type,
        ...(externalId === null ? {} : { external_id: externalId }),
        ...(service === null ? {} : { default_representment_service_type: service }),
      });
      return (await client.merchants.create(body)).id;
    }
    case 'update_merchant': {
      const changed = changesBetween(step.before, step.after).map(({ field, to }) => [field, to]);
      await client.merchants.update(
        step.id,
        merchantUpdateSchema.parse(Object.fromEntries(changed)),
      );
      return undefined;
    }
    case 'delete_merchant':
      await client.merchants.delete(step.id);
      return undefined;
    case 'create_enrolment':
      return (await client.enrolments.create(enrolmentBody(step.content, references))).id;
    case 'append_descriptors': {
      const enrolment = await client.enrolments.get(step.id);
      const descriptors = missingDescriptors(enrolment, step.descriptors);
      const body = enrolmentUpdateSchema.parse({ neta_alert: { descriptors } });
      await client.enrolments.update(step.id, body);
      return undefined;
    }
    case 'cancel_enrolment':
      await client.enrolments.cancel(step.id);
      return undefined;
    default:
      return sendRulesetStep(step, context);
  }
}

function enrolmentBody(content: EnrolmentContent, references: References): EnrolmentCreate {
  const { type, bin, caid, arns, descriptors } = content;
  const merchantIds = content.merchants.map((key) => references.idOf('merchant', key));
  const rdr = arns === null ? { bin, caid } : { arns };
  return enrolmentCreateSchema.parse({
    type,
    merchant_ids: merchantIds,
    ...(type === 'NETA_ALERT' ? { neta_alert: { descriptors } } : { netb_rdr: rdr }),
  });
}

/** Without a meaning it needs a value anyway. */
const DEFAULT_JOIN = 'AND';

async function sendRulesetStep(
  step: RulesetStep,
  { client, references }: CallContext,
): Promise<string | undefined> {
  const enrolmentIds = (keys: readonly string[]): string[] =>
    keys.map((key) => references.idOf('enrolment', key));
  switch (step.kind) {
    case 'create_ruleset': {
      const { enrolments, outcome, join, rules } = step.content;
      const body = rulesetCreateSchema.parse({
        organisation_id: step.organisation,
        enrolment_ids: enrolmentIds(enrolments),
        outcome,
        join_operator: join ?? DEFAULT_JOIN,
        ...(rules.length === 0 ? {} : { rules }),
      });
      return (await client.rulesets.create(body)).id;
    }
    case 'update_ruleset': {
      const { before, after } = step;
      const body = rulesetUpdateSchema.parse({
        ...(isSame(before.enrolments, after.enrolments)
          ? {}
          : { enrolment_ids: enrolmentIds(after.enrolments) }),
        ...(before.outcome === after.outcome ? {} : { outcome: after.outcome }),
        ...(before.join === after.join || after.join === null ? {} : { join_operator: after.join }),
      });
      await client.rulesets.update(step.id, body);
      return undefined;
    }
    case 'create_rule':
      await client.rulesets.rules.create(step.id, ruleInputSchema.parse(step.rule));
      return undefined;
    case 'update_rule': {
      const address = { rulesetId: step.id, ruleId: step.ruleId };
      await client.rulesets.rules.update(address, ruleInputSchema.parse(step.rule));
      return undefined;
    }
    case 'delete_rule':
      await client.rulesets.rules.delete({ rulesetId: step.id, ruleId: step.ruleId });
      return undefined;
    default:
      await client.rulesets.delete(step.id);
      return undefined;
  }
}
