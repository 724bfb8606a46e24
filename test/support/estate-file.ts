/** An estate that stands in a file, in a folder of its own: as `estate import` leaves it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appliedPath, writeApplied } from '../../src/capabilities/estate/plan/applied-file.ts';
import { objectsToNote } from '../../src/capabilities/estate/plan/drift.ts';
import { importEstate } from '../../src/capabilities/estate/plan/import-estate.ts';
import { planEstate } from '../../src/capabilities/estate/plan/plan.ts';
import { readEstate } from '../../src/capabilities/estate/plan/read-estate.ts';
import type { EstateClient } from '../../src/capabilities/estate/plan/remote-estate.ts';
import { readRemoteEstate } from '../../src/capabilities/estate/plan/remote-estate.ts';

export interface EstateFolder {
  readonly path: string;
  /** Changes the text of the file. */
  edit(change: (text: string) => string): Promise<void>;
  remove(): Promise<void>;
}

/** Writes what the service holds of the organisation as a file, and the note beside it. */
export async function importInto(
  client: EstateClient,
  organisationId: string,
): Promise<EstateFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'estate-'));
  const path = join(folder, 'estate.yaml');
  const remote = await readRemoteEstate(client, [organisationId]);
  await writeFile(path, importEstate(remote, [organisationId]).text);
  const { matched } = planEstate((await readEstate(path, {})).estate, remote);
  const note = {
    path: appliedPath(path),
    notedAt: '2026-11-22T00:00:00.000Z',
    variables: new Map(),
  };
  await writeApplied(note, objectsToNote({ remote, matched }));
  return {
    path,
    edit: async (change) => writeFile(path, change(await readFile(path, 'utf8'))),
    remove: () => rm(folder, { recursive: true }),
  };
}
