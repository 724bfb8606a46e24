/** `forestall estate drift`: what others changed since the last apply, and what waits. */
import type { Found, PartnerContext } from '../../surface/terminal/command.ts';
import { describePartnerCommand } from '../../surface/terminal/command.ts';
import { FILE_HELP, fileOf, readSlowly } from './command-support.ts';
import { driftText } from './command-text.ts';
import { appliedPath, readApplied } from './plan/applied-file.ts';
import { organisationsOf } from './plan/estate.ts';
import { judgeEstate } from './plan/estate-state.ts';
import { hideText, hideValues } from './plan/hidden-values.ts';
import { readEstate } from './plan/read-estate.ts';

interface DriftFlags {
  readonly file?: string;
}

export const drift = describePartnerCommand<DriftFlags>({
  usage: 'estate drift',
  says: 'says what was changed elsewhere since the last apply, field by field',
  options: (command) => command.option('--file <file>', FILE_HELP),
  examples: ['forestall estate drift', 'forestall estate drift --json'],
  run: (flags) => (context) => findDrift(flags, context),
});

/** Words of ours, in which a short value of a variable could occur by chance. */
const KEPT: ReadonlySet<string> = new Set(['kind', 'change', 'stage', 'status', 'mark']);

async function findDrift(flags: DriftFlags, context: PartnerContext): Promise<Found> {
  const file = fileOf(flags, context);
  const read = await readEstate(file, context.variables);
  const applied = await readApplied(appliedPath(file), context.variables);
  const remote = await readSlowly(await context.openClient(), organisationsOf(read.estate));
  const state = judgeEstate(read, remote, applied);
  const { isNoted, drift: changes, wider, waiting, notApplied, plan } = state;
  const data = { isNoted, drift: changes, wider, waiting, notApplied, problems: plan.problems };
  const { variables } = read;
  // What is in progress at the service is no difference.
  const isStuck = waiting.some(({ stage }) => stage !== 'in progress');
  const isChanged = changes.length > 0 || notApplied.length > 0 || isStuck;
  return {
    data: hideValues(data, variables, KEPT),
    text: driftText(state, (sentence) => hideText(sentence, variables)),
    isChanged,
    isWrong: !isChanged && plan.problems.length > 0,
  };
}
