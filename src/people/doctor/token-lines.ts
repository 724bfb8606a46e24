/** Tokens of people and programs: which ended, and which end soon enough to be renewed now. Silent where there is none. */
import { nowDate } from '../../base/kernel/clock.ts';
import { ok, warning } from '../../base/kernel/status-line.ts';
import type { OperatorRow } from '../../surface/access/operator.store.ts';
import { listOperators } from '../../surface/access/operator.store.ts';
import { INSTALLATION } from '../../surface/access/right.store.ts';
import { TOLD_DAYS } from '../../surface/access/token-ends.ts';
import type { DoctorCheck } from './context.ts';

const NAME = 'tokens of operators';

/** So many days before its end a token is spoken of: time to renew that of a program without haste. */
const [SOON_DAYS] = TOLD_DAYS;
const DAY_MS = 86_400_000;

/** Operators named at most. */
const NAMED_MAX = 3;

type WithToken = OperatorRow & { readonly token_ends_at: Date };

const hasToken = (row: OperatorRow): row is WithToken =>
  row.token_hash !== null && row.token_ends_at !== null;

function linesFor(homeOf: (context: Parameters<DoctorCheck>[0]) => string): DoctorCheck {
  return async (context) => {
    const { rows, clock } = context;
    if ('problem' in rows) return [];
    const tokens = (await listOperators(rows.value, homeOf(context))).filter(hasToken);
    if (tokens.length === 0) return [];
    const now = nowDate(clock).getTime();
    const late = tokens
      .filter(({ token_ends_at: end }) => end.getTime() <= now + SOON_DAYS * DAY_MS)
      .sort((one, other) => one.token_ends_at.getTime() - other.token_ends_at.getTime());
    if (late.length === 0)
      return [ok(NAME, `${tokens.length}, none ends within ${SOON_DAYS} days`)];
    const named = late.slice(0, NAMED_MAX).map(({ name, token_ends_at: end }) => {
      const day = end.toISOString().slice(0, 10);
      return end.getTime() <= now ? `${name} ended on ${day}` : `${name} ends on ${day}`;
    });
    const more = late.length > NAMED_MAX ? [`and ${late.length - NAMED_MAX} more`] : [];
    const step = `Renew: forestall operators token ${JSON.stringify(late[0]?.name)}; its owner opens the link`;
    return [warning(NAME, [...named, ...more].join(', '), step)];
  };
}

/** Of those who are entered for the organisation. */
export const tokenLines: DoctorCheck = linesFor(({ service }) => service.organisationId);

/** Of those who are entered for the installation. */
export const installationTokenLines: DoctorCheck = linesFor(() => INSTALLATION);
