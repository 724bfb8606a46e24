/** What operations of every surface share: the parameters of the path, all of them texts, bodies and statuses. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiParameters } from 'zod-openapi';
import type { Method } from '../http/route.ts';

/** `{path}` for a template that has parameters. */
export function pathParameters(template: string): ZodOpenApiParameters {
  const names = [...template.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name);
  if (names.length === 0) return {};
  return { path: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) };
}

/** The status of a success: what is said, else as its method has it. */
export function statusOf(
  method: Method,
  { status, response }: { readonly status?: number; readonly response?: unknown },
): `2${string}` {
  if (status !== undefined) return `2${String(status).slice(1)}`;
  if (method === 'DELETE' && response === undefined) return '204';
  return method === 'POST' ? '201' : '200';
}

/** The JSON body that a call takes, where it takes one. */
export function requestBodyOf(
  schema: z.ZodType | undefined,
  example?: unknown,
): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (schema === undefined) return {};
  const content = { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
  return { requestBody: { required: true, content } };
}
