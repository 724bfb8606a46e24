/**
 * `installation.yaml`: the organisations of an installation. What an organisation leaves out comes from
 * `defaults`, and what that leaves out from the settings of the environment.
 *
 * Secrets are never in it: they are named by the file or the environment variable that holds them.
 */
import { z } from 'zod';
import type { Variable } from '../../base/kernel/setting.ts';
import { shapeOfPlaces } from '../../base/kernel/setting.ts';
import { CAPABILITY_VARIABLES } from '../../capabilities/settings.ts';

const secretSource = z
  .strictObject({
    file: z.string().min(1).optional().describe('A file that holds the secret and nothing else.'),
    env: z.string().min(1).optional().describe('An environment variable that holds it.'),
  })
  .refine(({ file, env }) => (file === undefined) !== (env === undefined), {
    error: 'names either a file or an environment variable (env)',
  })
  .describe('Where a secret is read.');

/** Where a secret is read. */
export type SecretSource = z.infer<typeof secretSource>;

const path = z.string().min(1).describe('A path, relative to this file.');
const secrets = z.array(secretSource).min(1).max(3).describe('Newest first.');

/** What capabilities read. */
const ofCapabilities = (variables: readonly Variable[]): object =>
  shapeOfPlaces(variables.map(({ key, kind, type }) => [key, { path, secrets, text: type }[kind]]));

/** What every organisation may say, and `defaults` for all of them. */
const common = {
  mode: z.enum(['live', 'shadow']).optional().describe('shadow: decides, and does nothing.'),
  service_url: z.string().min(1).optional().describe('The base URL of the service.'),
  partner_api_key: secretSource.optional(),
  processor: z
    .string()
    .min(1)
    .optional()
    .describe('none, an http or https address, or the path of a module.'),
  processor_secret: secretSource.optional(),
  policy: path.optional(),
  shadow_policy: path.optional(),
  guards: path.optional(),
  matching: path.optional(),
  ...ofCapabilities(CAPABILITY_VARIABLES.filter(({ isOwn }) => isOwn !== true)),
  reconcile_seconds: z.int().optional(),
  programmes: z.array(z.string().min(1)).optional(),
  actions: z.strictObject({ url: z.string().min(1), secret: secretSource }).optional(),
  notify: z
    .strictObject({
      url: z.string().min(1).optional(),
      webhook_url: z.string().min(1).optional(),
      webhook_secret: secretSource.optional(),
      smtp_url: secretSource.optional(),
      email_from: z.string().min(1).optional(),
      email_to: z.string().min(1).optional(),
      digest: z.string().min(1).optional(),
    })
    .optional(),
};

/** One name in the path of its webhooks. */
const PATH_PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** A merchant with something of its own; it lies within what its organisation says. */
const merchant = z.strictObject({
  id: z.string().regex(/^mrch_\w+$/, { error: 'must begin with mrch_' }),
  name: z.string().min(1).optional().describe('How people call it.'),
  processor: common.processor.describe(
    'none, an http or https address, or the path of a module: alerts of this merchant are matched and refunded there, and nowhere else.',
  ),
  processor_secret: common.processor_secret,
  ...ofCapabilities(CAPABILITY_VARIABLES.filter(({ isOfMerchant }) => isOfMerchant === true)),
  policy: path.optional().describe('Decides about the alerts of this merchant.'),
  guards: path.optional().describe('Hold besides those of its organisation.'),
  matching: common.matching,
});

const organisation = z.strictObject({
  id: z.string().regex(/^org_\w+$/, { error: 'must begin with org_' }),
  name: z.string().min(1).describe('How people call it.'),
  path: z
    .string()
    .regex(PATH_PATTERN, { error: 'must be lower-case letters, digits and "-"' })
    .optional()
    .describe('Its webhooks arrive at /webhooks/{path}. Default: the name in lower case.'),
  api_key: secretSource,
  webhook_secrets: secrets,
  integration: z
    .string()
    .regex(/^int_\w+$/, { error: 'must begin with int_' })
    .optional(),
  ...common,
  ...ofCapabilities(CAPABILITY_VARIABLES.filter(({ isOwn }) => isOwn === true)),
  merchants: z
    .array(merchant)
    .min(1)
    .optional()
    .describe('Merchants of this organisation that have something of their own.'),
});

export const installationSchema = z
  .strictObject({
    version: z.literal(1),
    defaults: z
      .strictObject(common)
      .optional()
      .describe('For every organisation that says nothing.'),
    installation: z
      .strictObject({
        guards: path
          .optional()
          .describe(
            'Above every organisation; caps of an hour and a day count all of them together.',
          ),
      })
      .optional()
      .describe('What holds for all organisations together.'),
    organisations: z.array(organisation).min(1),
  })
  .describe('The organisations of one Forestall.');

export type InstallationFile = z.infer<typeof installationSchema>;
export type OrganisationEntry = InstallationFile['organisations'][number];
export type MerchantEntry = NonNullable<OrganisationEntry['merchants']>[number];

export function pathOf(entry: Pick<OrganisationEntry, 'path' | 'name' | 'id'>): string {
  const { path: named, name, id } = entry;
  const made = name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '');
  // A name without any of these letters leaves the id.
  return named ?? (made === '' ? id.toLowerCase().replaceAll('_', '-') : made);
}

/** The JSON Schema of the file, for editors; published as `templates/installation/installation.schema.json`. */
export function installationJsonSchema(): object {
  return z.toJSONSchema(installationSchema, { io: 'input' });
}
