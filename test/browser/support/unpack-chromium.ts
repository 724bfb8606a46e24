/**
 * Unpacks the Chromium that npm brings, once per machine and user. The package unpacks into the system's
 * temporary folder, where a second process takes a file that is half written for the whole, and another
 * user's file for its own.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import chromiumBinary from '@sparticuz/chromium';
import project from '../../../package.json' with { type: 'json' };

/** Answers the program's path. Safe to be called by several processes at once. */
export async function unpackChromium(): Promise<string> {
  const version = project.devDependencies['@sparticuz/chromium'];
  const folder = join(tmpdir(), `forestall-chromium-${version}-${userInfo().username}`);
  const program = join(folder, 'chromium');
  if (existsSync(program)) return program;
  const part = await mkdtemp(`${folder}-`);
  try {
    await unpackTo(part);
    await rename(part, folder);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    // Another process was quicker.
    if (!existsSync(program)) throw error;
  }
  return program;
}

/** The package asks for the temporary folder each time. */
async function unpackTo(folder: string): Promise<void> {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    await chromiumBinary.executablePath();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}
