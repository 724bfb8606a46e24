/**
 * Looks at an estate that is in a file: reads the file and the service, keeps the picture for the
 * console, and opens findings about what others changed, what is not applied, and who is stuck.
 *
 * It reads only. Nothing at the service is ever changed without a person who runs `estate apply`.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError, codeOf, KitError, messageOf } from '../../base/kernel/errors.ts';
import type { Variables } from '../../base/kernel/yaml-text.ts';
import { NO_PARTNER_KEY } from '../../service/client/options.ts';
import type { CapabilityWork } from '../../surface/capability.ts';
import { recordFailedLook, recordState } from './estate-findings.ts';
import type { NewLook } from './estate-look.store.ts';
import { claimLook, storeLook } from './estate-look.store.ts';
import { estatePictureSchema, pictureOf } from './estate-picture.ts';
import { appliedPath, readApplied } from './plan/applied-file.ts';
import { organisationsOf } from './plan/estate.ts';
import { judgeEstate } from './plan/estate-state.ts';
import { hideValues } from './plan/hidden-values.ts';
import { readEstate } from './plan/read-estate.ts';
import type { EstateClient } from './plan/remote-estate.ts';
import { readRemoteEstate } from './plan/remote-estate.ts';

/** The interface advises to ask about enrolments every two to three hours. */
const SAME_MS = 3 * 60 * 60_000;
/** A file that changed is looked at soon; one that changes all the time does not use up the rate limit. */
const OTHER_MS = 60_000;

/** Of the picture: words of ours, in which a short value of a variable could occur by chance. */
const KEPT: ReadonlySet<string> = new Set(['mark', 'stage', 'status', 'type', 'since']);

export interface EstateWatch
  extends Pick<CapabilityWork, 'db' | 'clock' | 'organisationId' | 'partner' | 'variables'> {
  /** The main file. */
  readonly path: string;
}

/** Looks when it is due. Returns whether it did. */
export async function lookWhenDue(watch: EstateWatch): Promise<boolean> {
  const look = await newLook(watch);
  const pace = { sameMs: SAME_MS, otherMs: OTHER_MS };
  if (!(await claimLook(watch.db, look, pace))) return false;
  await takeLook(watch, look);
  return true;
}

/** Looks now. Returns figures for the log. */
export async function lookNow(watch: EstateWatch): Promise<object> {
  return await takeLook(watch, await newLook(watch));
}

async function newLook({ clock, organisationId, path, variables }: EstateWatch): Promise<NewLook> {
  const now = nowDate(clock);
  return { organisationId, file: path, digest: await digestOfFiles(path, variables), now };
}

async function digestOfFiles(path: string, variables: Variables): Promise<string> {
  const hash = createHash('sha256');
  try {
    const { files } = await readEstate(path, variables);
    for (const { text } of files) hash.update(text);
  } catch (error) {
    hash.update(messageOf(error));
  }
  try {
    hash.update(await readFile(appliedPath(path)));
  } catch (error) {
    hash.update(codeOf(error) ?? '');
  }
  return hash.digest('hex').slice(0, 32);
}

async function takeLook(watch: EstateWatch, look: NewLook): Promise<object> {
  const { db, organisationId } = watch;
  const scope = { db, organisationId, file: look.file, now: look.now, variables: new Map() };
  try {
    const read = await readEstate(watch.path, watch.variables);
    const applied = await readApplied(appliedPath(watch.path), watch.variables);
    const remote = await readRemoteEstate(partnerOf(watch), organisationsOf(read.estate));
    const state = judgeEstate(read, remote, applied);
    await recordState({ ...scope, variables: read.variables }, state);
    const picture = hideValues(pictureOf(state, remote), read.variables, KEPT);
    await storeLook(db, look, { picture: estatePictureSchema.parse(picture) });
    const { drift, notApplied, waiting } = state;
    return { drift: drift.length, notApplied: notApplied.length, waiting: waiting.length };
  } catch (error) {
    if (!(error instanceof KitError)) throw error;
    await recordFailedLook(scope, error.message);
    await storeLook(db, look, { problem: error.message });
    return { problem: error.message };
  }
}

function partnerOf({ partner }: EstateWatch): EstateClient {
  const client = partner();
  if (client !== undefined) return client;
  throw new ConfigError(NO_PARTNER_KEY);
}
