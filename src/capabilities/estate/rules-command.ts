/** `forestall estate rules try`: the file's rulesets on past RDR disputes, with money. */
import { InvalidArgumentError, Option } from 'commander';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Money } from '../../base/kernel/money.ts';
import type { RateTable } from '../../base/kernel/rates.ts';
import { convert } from '../../base/kernel/rates.ts';
import { AMOUNT_RULE_CURRENCY } from '../../service/wire/limits.ts';
import type { Found, OwnRates, PartnerContext } from '../../surface/terminal/command.ts';
import { describePartnerCommand } from '../../surface/terminal/command.ts';
import { FILE_HELP, fileOf, readSlowly } from './command-support.ts';
import { organisationsOf } from './plan/estate.ts';
import { matchEstate } from './plan/match-estate.ts';
import { readEstate } from './plan/read-estate.ts';
import type { PastDispute, TrialOptions, TriedOutcome, UsdCents } from './plan/try-rulesets.ts';
import { openTrial } from './plan/try-rulesets.ts';
import { readRdrDisputes } from './rdr-disputes.store.ts';
import { trialText } from './rules-text.ts';

interface TryFlags {
  readonly file?: string;
  readonly alerts: number;
  readonly rates?: string;
  readonly all?: boolean;
}

const DAYS_DEFAULT = 90;
const DAY_MS = 86_400_000;

export const rulesTry = describePartnerCommand<TryFlags>({
  usage: 'estate rules try',
  says: 'says which past RDR disputes each ruleset would have let through or refunded',
  options: (command) =>
    command
      .addOption(
        new Option('--alerts <period>', 'which alerts')
          .argParser(readPeriod)
          .default(DAYS_DEFAULT, `last-${DAYS_DEFAULT}-days`),
      )
      .option('--rates <file>', 'your own rates (default: those of the policy, if it has any)')
      .option('--file <file>', FILE_HELP)
      .option('--all', 'lists every dispute that would have been decided otherwise'),
  examples: ['forestall estate rules try --alerts last-90-days --rates rates.yaml'],
  run: (flags) => (context) => tryRules(flags, context),
});

function readPeriod(text: string): number {
  const days = Number(/^last-(\d{1,4})-days?$/.exec(text)?.[1] ?? 0);
  if (days > 0) return days;
  throw new InvalidArgumentError('Write it like last-90-days.');
}

async function tryRules(flags: TryFlags, context: PartnerContext): Promise<Found> {
  const rates = withUsd(context.rates(flags.rates), flags.rates);
  const { rulesets, keyOfEnrolment } = await wantedRulesets(fileOf(flags, context), context);
  const toUsd = (money: Money): UsdCents | null => usdOf(money, rates.table);
  const trial = openTrial({ rulesets, keyOfEnrolment, toUsd });
  const otherwise: (PastDispute & { readonly outcome: TriedOutcome })[] = [];
  return await context.onRows(async ({ db, clock, organisationId }) => {
    const to = nowDate(clock);
    const from = new Date(to.getTime() - flags.alerts * DAY_MS);
    for await (const dispute of readRdrDisputes(db, { organisationId, from, to })) {
      const outcome = trial.add(dispute);
      const isOther = outcome === (dispute.wasRefunded ? 'let through' : 'refunded');
      if (flags.all === true && isOther) otherwise.push({ ...dispute, outcome });
    }
    const about = { from, to, ratesFrom: rates.from };
    const result = trial.result();
    return {
      data: { ...about, ...result, otherwise },
      text: trialText(result, { ...about, otherwise }),
    };
  });
}

function usdOf(money: Money, rates: RateTable | null): UsdCents | null {
  if (money.currency === AMOUNT_RULE_CURRENCY) {
    return { comparable: money.amountMinor, rounded: money.amountMinor };
  }
  const converted = rates === null ? null : convert(money, AMOUNT_RULE_CURRENCY, rates);
  if (converted === null) return null;
  return { comparable: converted.comparable, rounded: converted.shown.amountMinor };
}

async function wantedRulesets(
  file: string,
  context: PartnerContext,
): Promise<Pick<TrialOptions, 'rulesets' | 'keyOfEnrolment'>> {
  const { estate } = await readEstate(file, context.variables);
  const remote = await readSlowly(await context.openClient(), organisationsOf(estate));
  const matched = matchEstate(estate, remote);
  const keys = new Map(
    matched.enrolments.flatMap(({ entry, remote: enrolment }) =>
      enrolment ? [[enrolment.id, entry.key]] : [],
    ),
  );
  return {
    rulesets: new Map(matched.rulesets.map(({ entry, wanted }) => [entry.key, wanted])),
    keyOfEnrolment: (id) => keys.get(id),
  };
}

/** @throws {ConfigError} when a file of one's own has no rate for the currency in which rules compare */
function withUsd(rates: OwnRates, path: string | undefined): OwnRates {
  if (path === undefined || rates.table?.has(AMOUNT_RULE_CURRENCY) === true) return rates;
  throw new ConfigError(
    `${path} has no rate for ${AMOUNT_RULE_CURRENCY}, in which rules compare. Add it, or make it the base.`,
  );
}
