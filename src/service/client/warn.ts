/** Warns of fields in a request that the specification does not list. The request is sent as it is. */
import { emitWarning } from 'node:process';
import { unlistedFields } from '../wire/unlisted-fields.ts';
import type { ServiceCall } from './call.ts';
import type { ClientHooks, RequestWarning } from './options.ts';

/** Fields of which the default hook has warned already. Beyond the limit it warns no more: there is no end of possible names. */
const warned = new Set<string>();
const WARNED_MAX = 1_000;

/** Tells the hook of every unlisted field of the call. */
export function warnOfUnlisted(hooks: ClientHooks, call: ServiceCall): void {
  if (call.warnsOfUnlisted !== true || call.writer === undefined) return;
  for (const { field, nearest } of unlistedFields(call.writer, call.body)) {
    const { method, template: path } = call;
    const question = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    const message = `${field} is not a listed field of ${method} ${path}; it is sent as it is.${question}`;
    const warn = hooks.onWarning ?? warnOnce;
    try {
      warn({ type: 'UNLISTED_FIELD', method, path, field, nearest, message });
    } catch {
      return; // Telemetry must not fail a declaration.
    }
  }
}

function warnOnce({ message, type }: RequestWarning): void {
  if (warned.has(message) || warned.size >= WARNED_MAX) return;
  warned.add(message);
  emitWarning(message, { type: 'ForestallRequestWarning', code: type });
}
