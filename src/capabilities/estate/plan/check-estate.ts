/** What the schema of the estate file cannot say: keys, references, and what belongs together. */
import { nearestWord } from '../../../base/kernel/nearest-word.ts';
import type { FilePosition, FileProblem } from '../../../base/kernel/yaml-text.ts';
import type { EnrolmentEntry, Estate, Written } from './estate.ts';

/** Everything that contradicts itself in the files. */
export function checkEstate(estate: Estate): FileProblem[] {
  const problems: FileProblem[] = [];
  const add = (at: FilePosition, message: string): void => {
    problems.push({ ...at, message });
  };
  const { merchants, enrolments, rulesets } = estate;
  for (const [list, entries] of Object.entries({ merchants, enrolments, rulesets })) {
    noteRepeats(list, entries, add);
  }
  const merchantKeys = new Set(merchants.map(({ key }) => key));
  const organisationOf = new Map(
    merchants.map(({ key, organisation }) => [key, organisation ?? estate.organisation]),
  );
  for (const enrolment of enrolments) {
    noteUnknown(enrolment.at, {
      kind: 'merchant',
      keys: enrolment.merchants,
      known: merchantKeys,
      add,
    });
    const organisations = new Set(enrolment.merchants.map((key) => organisationOf.get(key)));
    if (organisations.size > 1) {
      add(
        enrolment.at,
        `enrolment "${enrolment.key}" names merchants of several organisations. The service takes one: make an enrolment for each.`,
      );
    }
    noteContents(enrolment, add);
  }
  const typeOf = new Map(enrolments.map(({ key, type }) => [key, type]));
  for (const ruleset of rulesets) {
    noteUnknown(ruleset.at, {
      kind: 'enrolment',
      keys: ruleset.enrolments,
      known: new Set(typeOf.keys()),
      add,
    });
    if (new Set(ruleset.enrolments.map((key) => typeOf.get(key))).size > 1) {
      add(
        ruleset.at,
        `ruleset "${ruleset.key}" mixes enrolments of several types. The service takes one type: make a ruleset for each.`,
      );
    }
  }
  noteSharedExternalIds(estate, add);
  return problems;
}

type Add = (at: FilePosition, message: string) => void;

function noteRepeats(
  list: string,
  entries: readonly Written<{ readonly key: string; readonly id?: string | undefined }>[],
  add: Add,
): void {
  for (const field of ['key', 'id'] as const) {
    const first = new Map<string, FilePosition>();
    for (const entry of entries) {
      const value = entry[field];
      if (value === undefined) continue;
      const other = first.get(value);
      if (other === undefined) first.set(value, entry.at);
      else {
        add(
          entry.at,
          `the ${field} "${value}" is used twice in ${list}; first in ${other.file}:${other.line}. Keep one.`,
        );
      }
    }
  }
}

interface References {
  readonly kind: string;
  readonly keys: readonly string[];
  readonly known: ReadonlySet<string>;
  readonly add: Add;
}

function noteUnknown(at: FilePosition, { kind, keys, known, add }: References): void {
  for (const key of keys.filter((name) => !known.has(name))) {
    const near = known.size > 5_000 ? undefined : nearestWord(key, [...known]);
    const step =
      near === undefined ? `Add the ${kind}, or correct the key.` : `Did you mean "${near}"?`;
    add(at, `no ${kind} has the key "${key}". ${step}`);
  }
  if (new Set(keys).size !== keys.length) add(at, `a ${kind} is listed twice. Keep one.`);
}

function noteContents(enrolment: Written<EnrolmentEntry>, add: Add): void {
  if (enrolment.type === 'NETA_ALERT') {
    const pairs = enrolment.descriptors.map((entry) => `${entry.match_type} ${entry.descriptor}`);
    if (new Set(pairs).size !== pairs.length) {
      add(enrolment.at, `enrolment "${enrolment.key}" lists a descriptor twice. Keep one.`);
    }
    return;
  }
  const { bin, caid, arns } = enrolment;
  const isPair = bin !== undefined && caid !== undefined && arns === undefined;
  const isArns = bin === undefined && caid === undefined && arns !== undefined;
  if (!isPair && !isArns) {
    add(
      enrolment.at,
      `enrolment "${enrolment.key}" needs bin together with caid, or arns alone. The service refuses every other combination.`,
    );
  }
}

function noteSharedExternalIds({ merchants, organisation }: Estate, add: Add): void {
  const first = new Map<string, string>();
  for (const merchant of merchants) {
    const externalId = merchant.external_id === undefined ? merchant.key : merchant.external_id;
    if (externalId === null) {
      if (merchant.id === undefined) {
        add(
          merchant.at,
          `merchant "${merchant.key}" has no external_id and no id, so that nothing tells it from others. Give it one of them.`,
        );
      }
      continue;
    }
    const place = `${merchant.organisation ?? organisation} ${externalId}`;
    const other = first.get(place);
    if (other === undefined) first.set(place, merchant.key);
    else {
      add(
        merchant.at,
        `merchants "${other}" and "${merchant.key}" have the external_id "${externalId}" in one organisation. Give each its own.`,
      );
    }
  }
}
