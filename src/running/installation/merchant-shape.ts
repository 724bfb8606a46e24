/** What a merchant may set for itself, by the names that settings have. */
import { z } from 'zod';
import type { Given } from '../../base/kernel/setting.ts';
import { faultsAmong } from '../../base/kernel/setting.ts';
import { CAPABILITY_SETTINGS, CAPABILITY_VARIABLES } from '../../capabilities/settings.ts';
import { ALL_SECRETS, remoteFaults, remoteShape } from '../remote-settings.ts';

const OF_CAPABILITIES = CAPABILITY_VARIABLES.filter(({ isOfMerchant }) => isOfMerchant === true);

const capabilityShape: object = Object.fromEntries(
  OF_CAPABILITIES.map(({ name, type }) => [name, type.optional()]),
);

export const merchantShape = z.object({
  ...capabilityShape,
  FORESTALL_PROCESSOR: remoteShape.FORESTALL_PROCESSOR,
  FORESTALL_PROCESSOR_SECRET: remoteShape.FORESTALL_PROCESSOR_SECRET,
  FORESTALL_POLICY: z.string().min(1).optional(),
  FORESTALL_MATCHING: z.string().min(1).optional(),
});

/** What a merchant says of the settings of capabilities. */
export function givenByMerchant(raw: object): Given {
  return Object.fromEntries(OF_CAPABILITIES.map(({ name }) => [name, Reflect.get(raw, name)]));
}

/** What is wrong with a merchant's settings, each by the setting's name. */
export function merchantFaults(settings: Readonly<Record<string, string>>): readonly string[] {
  const parsed = merchantShape.safeParse(settings);
  if (!parsed.success) {
    return parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}.`);
  }
  const { data } = parsed;
  if (data.FORESTALL_PROCESSOR === 'sandbox') {
    return ['FORESTALL_PROCESSOR must be none, an http or https address, or the path of a module.'];
  }
  return [
    ...remoteFaults(data, ALL_SECRETS),
    ...faultsAmong(CAPABILITY_SETTINGS, givenByMerchant(data)),
  ];
}
