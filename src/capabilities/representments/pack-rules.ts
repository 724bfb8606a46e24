/** The file of packs: which elements each reason code asks for, with sources. Data with a version, never code. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ConfigError } from '../../base/kernel/errors.ts';
import { readPackageFile } from '../../base/kernel/package-file.ts';
import { readSettingFile, readYaml } from '../../base/kernel/setting-file.ts';
import type { EvidenceElement } from '../../service/wire/processor-dispute.ts';
import { EVIDENCE_ELEMENTS } from '../../service/wire/processor-dispute.ts';

export type ElementName = EvidenceElement;

const elements = z.array(z.enum(EVIDENCE_ELEMENTS));

const fileSchema = z.strictObject({
  version: z.string().min(1).max(40),
  elements: z.record(
    z.enum(EVIDENCE_ELEMENTS),
    z.strictObject({ label: z.string(), get: z.string() }),
  ),
  packs: z.array(
    z.strictObject({
      name: z.string().min(1).max(20),
      title: z.string().min(1),
      codes: z.array(z.string().min(1)),
      required: elements.min(1),
      helpful: elements,
      source: z.string().min(1),
      confidence: z.string().min(1),
    }),
  ),
});

export type PackRule = z.infer<typeof fileSchema>['packs'][number];

export interface PackRules extends z.infer<typeof fileSchema> {
  /** For codes that no entry names. */
  readonly other: PackRule;
  /** Those by which every second customer is answered. @default none: all by the same */
  readonly tried?: PackRules;
}

/** The setting that names a file of one's own. */
const SETTING = 'FORESTALL_EVIDENCE_PACKS';

const BUILT_IN = new URL('packs.yaml', import.meta.url);

/** Reads the file, or the one that comes with Forestall. @throws {ConfigError} when it cannot be used */
export function openPackRules(path?: string): PackRules {
  if (path === undefined) return readPackRules(readPackageFile(BUILT_IN), 'packs.yaml');
  return readPackRules(readSettingFile(path, SETTING), SETTING);
}

/** Reads the file beside it. @throws {ConfigError} when it cannot be used */
export function openTriedRules(path: string): PackRules {
  return readPackRules(readSettingFile(path, TRIED), TRIED);
}

const TRIED = 'FORESTALL_EVIDENCE_PACKS_TRIED';

/** Both. @throws {ConfigError} when outcomes could not be told apart */
export function withTried(rules: PackRules, tried: PackRules): PackRules {
  if (rules.version === tried.version) {
    throw new ConfigError(
      `${TRIED} has the version ${tried.version}, which the other file has too: outcomes could not be told apart. Give it another.`,
    );
  }
  return { ...rules, tried };
}

/**
 * By which a customer is answered: the same for all their disputes, in every process. `recorded`: by which something was
 * sent before; that one stays.
 */
export function rulesFor(
  rules: PackRules,
  { customer, recorded }: { readonly customer: string; readonly recorded?: string | null },
): PackRules {
  const { tried } = rules;
  if (tried === undefined) return rules;
  if (recorded != null) return versionIn(recorded) === tried.version ? tried : rules;
  const [first = 0] = createHash('sha256')
    .update(JSON.stringify(['pack', customer]))
    .digest();
  return first % 2 === 0 ? rules : tried;
}

/** How a pack is named where it is recorded: `13.1 (2026-11)`. */
export function ruleNameOf(rule: PackRule, { version }: PackRules): string {
  return `${rule.name} (${version})`;
}

function versionIn(ruleName: string): string | undefined {
  return /\((.*)\)$/.exec(ruleName)?.[1];
}

/** Reads its text. @throws {ConfigError} naming every place that is wrong */
export function readPackRules(text: string, file: string): PackRules {
  const rules = readYaml(text, file, fileSchema);
  const other = rules.packs.find(({ name }) => name === 'other');
  if (other === undefined) {
    throw new ConfigError(
      `${file} has no pack named other, for codes that it does not name. Add it.`,
    );
  }
  const codes = rules.packs.flatMap((pack) => pack.codes.map(spelled));
  const twice = codes.find((code, index) => codes.indexOf(code) !== index);
  if (twice !== undefined)
    throw new ConfigError(`${file} names the code ${twice} twice. Correct the file.`);
  return { ...rules, other };
}

export function ruleOf(rules: PackRules, code: string | null): PackRule {
  const wanted = spelled(code ?? '');
  return (
    rules.packs.find(({ codes }) => codes.some((each) => spelled(each) === wanted)) ?? rules.other
  );
}

function spelled(code: string): string {
  return code.replaceAll(/\s/g, '').toUpperCase();
}
