/**
 * The consoles of the organisations of an installation: opened when somebody first comes, and only so many kept, because
 * most of a thousand organisations are looked at rarely.
 */
import type { Express } from 'express';
import type { Auth } from '../auth.ts';
import { createOrganisationApp } from '../console-app.ts';
import type { InstallationOptions, ListedOrganisation, OpenConsole } from '../ports.ts';
import type { Assets } from '../view/assets.ts';

/** Consoles open at once; the one that was used longest ago is closed for another. */
const OPEN_MAX = 100;

interface Surroundings {
  readonly options: InstallationOptions;
  readonly auth: Auth;
  readonly assets: Assets;
}

interface Kept {
  readonly mark: string;
  readonly opened: Promise<{ readonly app: Express; readonly console: OpenConsole }>;
}

export interface OrganisationConsoles {
  of(organisation: ListedOrganisation): Promise<Express>;
  close(): Promise<void>;
}

export function createOrganisationConsoles({
  options,
  auth,
  assets,
}: Surroundings): OrganisationConsoles {
  /** In the order of their last use. */
  const kept = new Map<string, Kept>();
  const open = async (organisation: ListedOrganisation): ReturnType<() => Kept['opened']> => {
    const console = await options.open(organisation);
    const context = { options: console.options, auth, assets, oidc: options.oidc };
    return { app: createOrganisationApp(context), console };
  };
  const drop = async (id: string): Promise<void> => {
    const gone = kept.get(id);
    kept.delete(id);
    // One that could not be opened holds nothing.
    const opened = await gone?.opened.catch(() => undefined);
    await opened?.console.close();
  };
  return {
    async of(organisation): Promise<Express> {
      const { id } = organisation;
      const mark = JSON.stringify(organisation);
      const known = kept.get(id);
      if (known !== undefined && known.mark !== mark) await drop(id);
      const use = kept.get(id) ?? { mark, opened: open(organisation) };
      kept.delete(id);
      kept.set(id, use);
      const [oldest] = kept.keys();
      if (kept.size > OPEN_MAX && oldest !== undefined) await drop(oldest);
      try {
        return (await use.opened).app;
      } catch (error) {
        kept.delete(id);
        throw error;
      }
    },
    async close(): Promise<void> {
      for (const id of [...kept.keys()]) await drop(id);
    },
  };
}
