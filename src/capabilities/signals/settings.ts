/** Who vouches for the processor's own webhooks. An embedding program gives `events` of its processor. */
import { pathVariable, secretsVariable, settingOfParts } from '../../base/kernel/setting.ts';

export type EventSettings =
  | { readonly kind: 'none' }
  /** A processor behind HTTP: signing secrets, newest first. */
  | { readonly kind: 'http'; readonly secrets: readonly string[] }
  | { readonly kind: 'module'; readonly path: string };

const module = pathVariable({
  name: 'FORESTALL_PROCESSOR_EVENTS',
  says: "path of a module that verifies the processor's webhooks ([guide](../early-signals.md))",
  byDefault: '—',
  isOfMerchant: true,
  isNoOption: true,
});

const secrets = secretsVariable({
  name: 'FORESTALL_PROCESSOR_EVENT_SECRETS',
  says: 'verifies webhooks of an HTTP processor; comma-separated, newest first',
  byDefault: '—',
  isOfMerchant: true,
  isNoOption: true,
});

export const processorEvents = settingOfParts(
  { module, secrets },
  ({ module: path, secrets: list }): EventSettings => {
    if (path !== undefined) return { kind: 'module', path };
    return list === undefined ? { kind: 'none' } : { kind: 'http', secrets: list.split(',') };
  },
  (given) =>
    given[module.name] === undefined || given[secrets.name] === undefined
      ? []
      : [
          `${module.name} and ${secrets.name} are two ways to verify webhooks of the processor; set one.`,
        ],
);

export const MODULE_SETTING = module.name;
