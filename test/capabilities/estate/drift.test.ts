/**
 * Guarantee: what somebody else changed since the last apply is named field by field, and no plan
 * overwrites it without being allowed to; the note of the last apply holds no value of a variable.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Applied, AppliedNote } from '../../../src/capabilities/estate/plan/applied-file.ts';
import {
  appendApplied,
  readApplied,
  writeApplied,
} from '../../../src/capabilities/estate/plan/applied-file.ts';
import { objectsToNote } from '../../../src/capabilities/estate/plan/drift.ts';
import type { EstateState } from '../../../src/capabilities/estate/plan/estate-state.ts';
import { judgeEstate } from '../../../src/capabilities/estate/plan/estate-state.ts';
import { planEstate } from '../../../src/capabilities/estate/plan/plan.ts';
import type { ReadEstate } from '../../../src/capabilities/estate/plan/read-estate.ts';
import { readSources } from '../../../src/capabilities/estate/plan/read-estate.ts';
import type { RemoteEstate } from '../../../src/capabilities/estate/plan/remote-estate.ts';
import { driftSentence } from '../../../src/capabilities/estate/plan/sentences.ts';
import { enrolmentSchema } from '../../../src/service/wire/enrolment.ts';
import { merchantSchema } from '../../../src/service/wire/merchant.ts';
import { rulesetSchema } from '../../../src/service/wire/ruleset.ts';

const OWN = {
  organisation_id: 'org_1',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};
const MERCHANT = merchantSchema.parse({
  ...{ id: 'mrch_1', name: 'Europe', type: 'GENERIC', external_id: 'eu' },
  ...OWN,
});
const ALERTS = enrolmentSchema.parse({
  ...{ id: 'enrl_a', merchant_ids: ['mrch_1'], type: 'NETA_ALERT', status: 'ENABLED' },
  neta_alert: {
    descriptors: [
      { descriptor: 'ONE', match_type: 'EXACT_MATCH', status: 'ACTIVE' },
      { descriptor: 'TWO', match_type: 'STARTS_WITH', status: 'PENDING' },
    ],
  },
  ...OWN,
});
const RDR = enrolmentSchema.parse({
  ...{ id: 'enrl_r', merchant_ids: ['mrch_1'], type: 'NETB_RDR', status: 'ENABLED' },
  netb_rdr: { bin: '400000', caid: 'C1', arns: null },
  ...OWN,
});
const RULESET = rulesetSchema.parse({
  ...{ id: 'rset_1', enrolment_ids: ['enrl_r'], outcome: 'ACCEPT_DISPUTE', join_operator: 'AND' },
  rules: [
    {
      id: 'resrule_1',
      type: 'AMOUNT',
      parameters: { operator: 'GREATER_THAN', currency_code: 'USD', amount_in_cents: 10_000 },
    },
  ],
  ...OWN,
});
const APPLIED: RemoteEstate = {
  merchants: [MERCHANT],
  enrolments: [ALERTS, RDR],
  rulesets: [RULESET],
};
const above = (cents: number) =>
  rulesetSchema.parse({
    ...RULESET,
    rules: [
      {
        id: 'resrule_1',
        type: 'AMOUNT',
        parameters: { operator: 'GREATER_THAN', currency_code: 'USD', amount_in_cents: cents },
      },
    ],
  });

const FILE = `
organisation: org_1
merchants:
  - { key: eu, name: Europe, type: GENERIC }
enrolments:
  - { key: alerts, type: NETA_ALERT, merchants: [eu], descriptors: [{ descriptor: ONE, match_type: EXACT_MATCH }, { descriptor: TWO, match_type: STARTS_WITH }] }
  - { key: rdr, type: NETB_RDR, merchants: [eu], bin: '400000', caid: C1 }
rulesets:
  - { key: big, enrolments: [rdr], outcome: ACCEPT_DISPUTE, amount: { operator: GREATER_THAN, value: 100.00 USD } }
`;
const read = (text: string, variables = {}): ReadEstate =>
  readSources({ path: 'estate.yaml', text }, [], variables);

/** The note of an apply of FILE. */
function noted(): Applied {
  const { matched } = planEstate(read(FILE).estate, APPLIED);
  const objects = objectsToNote({ remote: APPLIED, matched });
  return new Map(objects.map((object) => [object.id, object]));
}
const stateOf = (remote: RemoteEstate, text = FILE): EstateState =>
  judgeEstate(read(text), remote, noted());
const sentences = ({ drift }: EstateState): string[] => drift.map(driftSentence);

describe('drift', () => {
  it('is nothing where nobody changed anything, statuses apart', () => {
    const later = { ...APPLIED, enrolments: [ALERTS, { ...RDR, status: 'IN_PROGRESS' as const }] };
    const state = stateOf(later);
    expect(state).toMatchObject({ drift: [], wider: [], notApplied: [] });
    expect(state.waiting).toMatchObject([{ key: 'rdr', stage: 'in progress' }]);
  });

  it('names a field with what it was, what it is, and what the file says', () => {
    const state = stateOf({ ...APPLIED, merchants: [{ ...MERCHANT, name: 'EU Shop' }] });
    expect(sentences(state)).toEqual([
      'merchant "eu" (mrch_1) was changed elsewhere since the last apply: name was "Europe", is "EU Shop"; the file says "Europe".',
    ]);
    expect(state.drift[0]?.isConflict).toBe(true);
  });

  it('is no conflict once the file says the same', () => {
    const changed = { ...APPLIED, merchants: [{ ...MERCHANT, name: 'EU Shop' }] };
    const state = stateOf(changed, FILE.replace('name: Europe', 'name: EU Shop'));
    expect(state.drift).toMatchObject([{ change: 'changed', isConflict: false }]);
    expect(state.plan).toMatchObject({ problems: [], steps: [] });
  });

  it('is no conflict with another field that only the file changes', () => {
    const changed = { ...APPLIED, merchants: [{ ...MERCHANT, name: 'EU Shop' }] };
    const text = FILE.replace(
      'name: Europe,',
      'name: EU Shop, default_representment_service_type: PHYSICAL_GOODS,',
    );
    const { plan } = stateOf(changed, text);
    expect(plan.problems).toEqual([]);
    expect(plan.steps.map(({ step }) => step.kind)).toEqual(['update_merchant']);
  });

  it('says that RDR may refund more, with an example', () => {
    const state = stateOf({ ...APPLIED, rulesets: [above(50_000)] });
    expect(sentences(state)[0]).toContain(
      'amount rule was "above 100.00 USD", is "above 500.00 USD"; the file says "above 100.00 USD"',
    );
    const cents = state.wider[0]?.example.usdCents ?? 0;
    expect(state.wider[0]?.enrolment).toBe('rdr');
    expect(cents > 10_000 && cents <= 50_000).toBe(true);
    expect(stateOf({ ...APPLIED, rulesets: [above(5_000)] }).wider).toEqual([]);
  });

  it.each([
    ['a ruleset', { ...APPLIED, rulesets: [] }, 'ruleset "big" (rset_1) was deleted elsewhere'],
    [
      'an enrolment',
      { ...APPLIED, enrolments: [{ ...ALERTS, status: 'CANCELLED' as const }, RDR] },
      'enrolment "alerts" (enrl_a) was cancelled elsewhere',
    ],
  ])('%s that went is never created again without a word', (_what, remote, words) => {
    const state = stateOf(remote);
    expect(sentences(state)[0]).toContain(words);
    expect(state.drift[0]?.isConflict).toBe(true);
    expect(state.plan.problems.map(({ message }) => message).join()).toContain(words);
    const allowed = planEstate(read(FILE).estate, remote, { applied: noted(), overwrite: true });
    expect(allowed.steps.map(({ step }) => step.kind.startsWith('create_'))).toEqual([true]);
  });

  it('a descriptor that went is not added again without a word; one more is only told', () => {
    const [one, two] = ALERTS.neta_alert?.descriptors ?? [];
    const fewer = { ...ALERTS, neta_alert: { descriptors: one === undefined ? [] : [one] } };
    const less = stateOf({ ...APPLIED, enrolments: [fewer, RDR] });
    expect(sentences(less)[0]).toContain('descriptors now without "TWO…"');
    expect(less.plan.problems).toHaveLength(1);
    const three = { descriptor: 'THREE', match_type: 'EXACT_MATCH' as const };
    const more = { ...ALERTS, neta_alert: { descriptors: [one ?? three, two ?? three, three] } };
    const added = stateOf({ ...APPLIED, enrolments: [more, RDR] });
    expect(sentences(added)[0]).toContain('descriptors now with "THREE" exactly');
    expect(added.plan.problems).toEqual([]);
  });

  it('a ruleset made in the dashboard is told, and not deleted without a word', () => {
    const remote = { ...APPLIED, rulesets: [RULESET, { ...above(1), id: 'rset_2' }] };
    expect(stateOf(remote)).toMatchObject({ drift: [{ change: 'created', isConflict: false }] });
    const removing = stateOf(remote, FILE.replace('org_1', 'org_1\nunlisted: remove'));
    expect(removing.drift).toMatchObject([{ id: 'rset_2', isConflict: true }]);
    expect(removing.plan.problems.map(({ message }) => message).join()).toContain('rset_2');
  });

  it('is compared with the file alone where no apply was noted', () => {
    const remote = { ...APPLIED, merchants: [{ ...MERCHANT, name: 'EU Shop' }] };
    const state = judgeEstate(read(FILE), remote, undefined);
    expect(state).toMatchObject({ isNoted: false, drift: [], plan: { problems: [] } });
    expect(state.notApplied.map(({ step }) => step.kind)).toEqual(['update_merchant']);
  });

  it('tells what the file wants apart from what others changed', () => {
    const changed = { ...APPLIED, merchants: [{ ...MERCHANT, name: 'EU Shop' }] };
    const state = stateOf(changed, FILE.replace('100.00 USD', '50.00 USD'));
    expect(state.drift).toHaveLength(1);
    expect(state.notApplied.map(({ step }) => step.kind)).toEqual(['update_rule']);
  });
});

describe('the note of the last apply', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'estate-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const variables = { NAME: 'Geheim' };
  const note = (): AppliedNote => ({
    path: join(folder, 'estate.applied.jsonl'),
    notedAt: '2026-11-22T00:00:00.000Z',
    variables: new Map([['NAME', 'Geheim']]),
  });
  const merchant = (name: string) => ({
    kind: 'merchant' as const,
    id: 'mrch_1',
    key: 'eu',
    content: { name, type: 'GENERIC', external_id: 'eu', default_representment_service_type: null },
  });

  it('holds no value of a variable, and gives it back', async () => {
    await writeApplied(note(), [merchant('Geheim')]);
    expect(await readFile(note().path, 'utf8')).not.toContain('Geheim');
    expect([...((await readApplied(note().path, variables)) ?? [])]).toEqual([
      ['mrch_1', merchant('Geheim')],
    ]);
  });

  it('leaves out what has a variable that changed: it cannot be compared', async () => {
    await writeApplied(note(), [merchant('Geheim')]);
    expect((await readApplied(note().path, { NAME: 'Other' }))?.size).toBe(0);
    expect((await readApplied(note().path, {}))?.size).toBe(0);
  });

  it('takes lines of a run that was killed; the last one may be torn', async () => {
    await writeApplied(note(), [merchant('Europe')]);
    await appendApplied(note(), merchant('EU'));
    const whole = await readFile(note().path, 'utf8');
    await writeFile(note().path, `${whole}{"kind":"merch`);
    expect((await readApplied(note().path, variables))?.get('mrch_1')).toEqual(merchant('EU'));
    await appendApplied(note(), merchant('EU 2'));
    expect((await readApplied(note().path, variables))?.get('mrch_1')).toEqual(merchant('EU 2'));
    await writeFile(note().path, whole);
    await appendApplied(note(), { ...merchant('EU'), content: null });
    expect((await readApplied(note().path, variables))?.size).toBe(0);
  });

  it('is absent at first, and another file is refused with the next step', async () => {
    expect(await readApplied(join(folder, 'none.jsonl'), {})).toBeUndefined();
    const path = join(folder, 'other.jsonl');
    await writeFile(path, '{}\n');
    await expect(readApplied(path, {})).rejects.toThrow('Restore it, or delete it');
  });
});
