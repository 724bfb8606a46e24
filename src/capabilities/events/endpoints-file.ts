/** The file of the endpoints: `endpoints:`, a list of names, addresses, secrets and filters. */
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../../base/kernel/errors.ts';
import { readSettingFile, readYaml } from '../../base/kernel/setting-file.ts';
import { isEndpointSecret } from '../../base/notify/standard-webhooks.ts';

export const ENDPOINTS_SETTING = 'FORESTALL_ENDPOINTS';

const secret = z.string().refine(isEndpointSecret, {
  error: 'must be whsec_ and 24 to 64 bytes in Base64: openssl rand -base64 32',
});

const fileSchema = z.strictObject({
  endpoints: z
    .array(
      z.strictObject({
        name: z.string().trim().min(1).max(60),
        url: z.url({ protocol: /^https?$/ }).max(500),
        // The new one and, while it is being exchanged, the one before.
        secrets: z.array(secret).min(1).max(2).optional(),
        secrets_file: z.string().min(1).optional(),
        types: z.array(z.string().min(1)).default([]),
        merchants: z.array(z.string().min(1)).default([]),
        with_email: z.boolean().default(false),
      }),
    )
    .max(50)
    .default([]),
});

/** An endpoint as the file has it. */
export interface FileEndpoint {
  readonly name: string;
  readonly url: string;
  readonly types: readonly string[];
  readonly merchants: readonly string[];
  readonly withEmail: boolean;
  /** The first signs, and the second too. */
  readonly secrets: readonly string[];
}

/** Reads the file; undefined: none is set. @throws {ConfigError} when it cannot be used */
export function openEndpoints(path: string | undefined): readonly FileEndpoint[] | undefined {
  if (path === undefined) return undefined;
  const text = readSettingFile(path, ENDPOINTS_SETTING);
  const { endpoints } = readYaml(text, ENDPOINTS_SETTING, fileSchema);
  const names = endpoints.map(({ name }) => name);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined)
    throw new ConfigError(`${ENDPOINTS_SETTING} has the name “${twice}” twice. Rename one.`);
  return endpoints.map((each) => ({
    name: each.name,
    url: each.url,
    types: each.types,
    merchants: each.merchants,
    withEmail: each.with_email,
    secrets: secretsOf(each, dirname(path)),
  }));
}

function secretsOf(
  { name, secrets, secrets_file: file }: z.infer<typeof fileSchema>['endpoints'][number],
  folder: string,
): readonly string[] {
  if ((secrets === undefined) === (file === undefined))
    throw new ConfigError(
      `${ENDPOINTS_SETTING}: the endpoint “${name}” needs either secrets or secrets_file.`,
    );
  if (secrets !== undefined) return secrets;
  const lines = readSettingFile(
    resolve(folder, file ?? ''),
    `${ENDPOINTS_SETTING}: secrets_file of “${name}”`,
  )
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const read = z.array(secret).min(1).max(2).safeParse(lines);
  if (read.success) return read.data;
  throw new ConfigError(
    `${ENDPOINTS_SETTING}: the secrets_file of “${name}” holds one or two secrets, a line each: whsec_ and 24 to 64 bytes in Base64.`,
  );
}
