/** Whether an organisation lives here, asked of every capability that may know otherwise. */
import type { Reception } from '../../alerts/receive/reception.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { CAPABILITIES } from '../../capabilities/index.ts';
import type {
  Absence,
  Elsewhere,
  ElsewhereOptions,
  Residence,
  ResidenceWork,
} from '../../surface/residence.ts';

/** @throws {DatabaseError} when a first look fails: no process may start then */
export async function openResidence(work: ResidenceWork): Promise<Residence> {
  const opened: Residence[] = [];
  const stop = (): void => {
    for (const each of opened) each.stop();
  };
  try {
    for (const { residence } of CAPABILITIES)
      if (residence !== undefined) opened.push(await residence(work));
  } catch (error) {
    stop();
    throw error;
  }
  return {
    stop,
    away(organisationId): Absence | undefined {
      for (const each of opened) {
        const absence = each.away(organisationId);
        if (absence !== undefined) return absence;
      }
      return undefined;
    },
    follow(listener): () => void {
      const ends = opened.map((each) => each.follow(listener));
      return () => {
        for (const end of ends) end();
      };
    },
    async refresh(): Promise<void> {
      await Promise.all(opened.map((each) => each.refresh()));
    },
  };
}

/** @throws {ConfigError} when no process may work for it here */
export function requireHere(residence: Residence, organisationId: string): void {
  const absence = residence.away(organisationId);
  if (absence !== undefined) throw new ConfigError(absence.why);
}

/** Takes deliveries in as long as the organisation lives here; which is asked at each. */
export function whileHere(
  here: Reception,
  away: () => Absence | undefined,
  options: ElsewhereOptions,
): Reception {
  // Made once: it counts what it has under way.
  const made = new Map<Elsewhere, Reception>();
  const receptionOf = (elsewhere: Elsewhere): Reception => {
    const known = made.get(elsewhere) ?? elsewhere.reception(options);
    made.set(elsewhere, known);
    return known;
  };
  const now = (): Reception => {
    const absence = away();
    return absence === undefined ? here : receptionOf(absence.elsewhere);
  };
  return {
    knows: (subscription) => now().knows(subscription),
    receive: (incoming) => now().receive(incoming),
    refuse: (reason) => now().refuse(reason),
  };
}
