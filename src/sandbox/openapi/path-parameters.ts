/**
 * The parameters in a path template, all of them texts.
 */
import { z } from 'zod';
import type { ZodOpenApiParameters } from 'zod-openapi';

/** `{path}` for a template that has parameters. */
export function pathParameters(template: string): ZodOpenApiParameters {
  const names = [...template.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name);
  if (names.length === 0) return {};
  return { path: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) };
}
