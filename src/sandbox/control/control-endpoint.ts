/**
 * The frame of the control surface under `/sandbox/*`: no key, and no faults, but never from another
 * web site.
 */

import type { z } from 'zod';
import type { Endpoint, Incoming } from '../http/endpoint.ts';
import type { Answer, Method } from '../http/route.ts';
import { created } from '../http/route.ts';
import { invalid, notFound, readInput } from '../refusal.ts';
import type { SandboxContext } from '../sandbox-context.ts';

export function control(
  method: Method,
  path: string,
  handle: (incoming: Incoming) => Answer | Promise<Answer>,
): Endpoint {
  return {
    method,
    path,
    faultable: false,
    handle(incoming): Answer | Promise<Answer> {
      refuseOtherSites(incoming);
      return handle(incoming);
    },
  };
}

/** A page open in the same browser must not be able to drive the sandbox. */
function refuseOtherSites(incoming: Incoming): void {
  const origin = incoming.header('origin');
  if (incoming.method === 'GET' || origin === undefined) return;
  if (URL.canParse(origin) && new URL(origin).host === incoming.header('host')) return;
  const message = 'The control surface takes no requests from other web sites. Send it from here.';
  throw invalid([{ code: 'VALIDATION_INVALID_VALUE', message, field: 'Origin' }]);
}

/** Reads a control body; nothing sent means an empty object. @throws Refusal 422 */
export function readControl<Schema extends z.ZodType>(
  incoming: Incoming,
  schema: Schema,
): z.infer<Schema> {
  return readInput(schema, incoming.readBody() ?? {});
}

/** A `POST` that makes something of its body. */
export function creating(context: SandboxContext) {
  return <Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    create: (context: SandboxContext, input: z.infer<Schema>) => unknown,
  ): Endpoint =>
    control('POST', path, (incoming) => created(create(context, readControl(incoming, schema))));
}

/** Takes what must be there. @throws Refusal 404 */
export function must<Value>(value: Value | undefined, what: string, field?: string): Value {
  if (value === undefined) throw notFound(what, field);
  return value;
}
