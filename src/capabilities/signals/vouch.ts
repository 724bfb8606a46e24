/**
 * Opens what vouches for the processor's webhooks: the signed form of the HTTP contract, or a module, which
 * needs the webhook's secret only. The public port then holds no key that can move money.
 */
import { signedEvents } from '../../alerts/receive/signed-events.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { OpenSettings } from '../../base/kernel/setting.ts';
import type { ProcessorEvents } from '../../service/wire/processor-event.ts';
import type { Vouching } from '../../surface/door.ts';
import { MODULE_SETTING, processorEvents } from './settings.ts';

/** @returns undefined where no setting says who vouches; else what opens it */
export function vouchFor(
  settings: OpenSettings,
): ((how: Vouching) => Promise<ProcessorEvents>) | undefined {
  const said = settings.of(processorEvents);
  switch (said.kind) {
    case 'none':
      return undefined;
    case 'http':
      return ({ clock }) => Promise.resolve(signedEvents(said.secrets, clock));
    case 'module':
      return async ({ importModule }) => eventsIn(await importModule(said.path, MODULE_SETTING));
    default:
      return said satisfies never;
  }
}

/** @throws {ConfigError} when the module exports no events */
function eventsIn(module: unknown): ProcessorEvents {
  const own = memberOf(module, 'events') ?? memberOf(memberOf(module, 'processor'), 'events');
  if (isEvents(own)) return own;
  throw new ConfigError(
    `The module that ${MODULE_SETTING} names exports neither "events" nor a "processor" with them: name, admits, verify, read. "forestall add --list" names adapters to copy.`,
  );
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function isEvents(value: unknown): value is ProcessorEvents {
  const name = memberOf(value, 'name');
  return (
    typeof name === 'string' &&
    /^[a-z0-9-]{1,40}$/.test(name) &&
    ['admits', 'verify', 'read'].every((method) => typeof memberOf(value, method) === 'function')
  );
}
