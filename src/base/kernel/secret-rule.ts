/**
 * What a secret among the settings must be: long enough, one word, not copied from an example, and used
 * for one purpose only.
 */
import { z } from 'zod';

const SECRET_LENGTH_MIN = 16;

/** What example files and dashboards show in place of a secret, and one character repeated. */
const PLACEHOLDER = /change.?me|place.?holder|your[-_]|[<>]|^(.)\1*$/i;

/** A secret as a setting. Complaints never hold the value. */
export const secret = z
  .string()
  .min(SECRET_LENGTH_MIN, { error: `must have at least ${SECRET_LENGTH_MIN} characters` })
  .regex(/^\S+$/, { error: 'must not contain white space' })
  .refine((text) => !PLACEHOLDER.test(text), {
    error: 'is an example or one character repeated, and no secret',
  });

/** Signing secrets in one setting, newest first: the present one and, during a rotation, its neighbours. */
const SECRETS_MAX = 3;
export const secretList = z
  .string()
  .transform((text) => text.split(','))
  .pipe(
    z
      .array(secret)
      .min(1)
      .max(SECRETS_MAX, { error: `must be at most ${SECRETS_MAX} secrets` }),
  )
  .refine((list) => new Set(list).size === list.length, { error: 'names the same secret twice' });

/** The same, kept as the text that it is. */
export const secretsText = z.string().superRefine((text, context) => {
  const { error } = secretList.safeParse(text);
  for (const { message } of error?.issues ?? []) context.addIssue(message);
});

/**
 * Faults of secrets that serve two purposes: who learns one then holds the other. The values of one
 * setting are compared where it is read.
 */
export function sharedSecretFaults(
  secrets: Readonly<Record<string, string | readonly string[] | undefined>>,
): string[] {
  const owners = new Map<string, string>();
  const faults: string[] = [];
  for (const [name, value] of Object.entries(secrets)) {
    const values = typeof value === 'string' ? [value] : new Set(value ?? []);
    for (const text of values) {
      const owner = owners.get(text);
      if (owner === undefined) owners.set(text, name);
      else faults.push(`${name} is the same secret as ${owner}; use another one.`);
    }
  }
  return faults;
}
