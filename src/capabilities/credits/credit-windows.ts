/** The file that says until when a credit can be claimed: rules with dates and sources, never code. */

import { z } from 'zod';
import { readPackageFile } from '../../base/kernel/package-file.ts';
import { readOnce, readSettingFile, readYaml } from '../../base/kernel/setting-file.ts';
import type { CreditClass } from './credit-claim.table.ts';
import { CREDIT_CLASSES, isCreditClass } from './credit-claim.table.ts';

const classes = z.custom<CreditClass>(isCreditClass, {
  error: `must be * or one of ${Object.keys(CREDIT_CLASSES).join(', ')}`,
});

const fileSchema = z.strictObject({
  rules: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(60),
        network: z.string().min(1),
        class: z.literal('*').or(classes),
        days: z.int().min(1).max(120),
        valid_from: z.iso.date(),
        valid_to: z.iso.date().optional(),
        source: z.string().min(1),
        confidence: z.string().min(1),
      }),
    )
    .min(1),
});

export type WindowRule = z.infer<typeof fileSchema>['rules'][number];

/** The setting that names a file of one's own. */
const SETTING = 'FORESTALL_CREDIT_WINDOWS';

const BUILT_IN = new URL('windows.yaml', import.meta.url);

let builtIn: readonly WindowRule[] | undefined;

/** Reads the file, or the one that comes with Forestall. @throws {ConfigError} when it cannot be used */
export function openCreditWindows(path: string | undefined): readonly WindowRule[] {
  builtIn ??= readWindows(readPackageFile(BUILT_IN), 'windows.yaml');
  if (path === undefined) return builtIn;
  return readWindows(readSettingFile(path, SETTING), SETTING);
}

/** Reads its text. @throws {ConfigError} naming every place that is wrong */
export const readWindows = readOnce(
  (text, file): readonly WindowRule[] => readYaml(text, file, fileSchema).rules,
);

const DAY_MS = 86_400_000;

/** Until when the alert can be claimed, and by which rule; undefined where none fits. Pure. */
export function windowOf(
  rules: readonly WindowRule[],
  alert: {
    readonly network: string | null;
    readonly class: CreditClass;
    /** ISO 8601. */
    readonly alertedAt: string;
  },
): { readonly rule: string; readonly until: Date } | undefined {
  const alertedAt = new Date(alert.alertedAt);
  const day = alertedAt.toISOString().slice(0, 'YYYY-MM-DD'.length);
  const rule = rules.findLast(
    (each) =>
      (each.network === '*' || each.network === alert.network) &&
      (each.class === '*' || each.class === alert.class) &&
      each.valid_from <= day &&
      (each.valid_to === undefined || day <= each.valid_to),
  );
  if (rule === undefined) return undefined;
  return { rule: rule.name, until: new Date(alertedAt.getTime() + rule.days * DAY_MS) };
}
