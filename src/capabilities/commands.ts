/** The commands of all capabilities: what each is for, and the file that holds it. `--help` loads this list and no command. */
import type { ListedCommands } from '../surface/terminal/command.ts';

export const CAPABILITY_COMMANDS: readonly ListedCommands[] = [
  {
    commands: { credits: 'alerts whose price can be claimed back, and the provider’s invoice' },
    load: async () => (await import('./credits/commands.ts')).creditsCommands,
  },
  {
    commands: {
      lookups: 'why lookups were not answered or did not deflect, and how fast orders are known',
    },
    load: async () => [(await import('./lookups/command.ts')).lookupsCommand],
  },
  {
    commands: {
      ratios: 'how near the card schemes’ monitoring programmes are, and what is ahead',
    },
    load: async () => (await import('./ratios/ratios-command.ts')).ratiosCommands,
  },
  {
    commands: {
      programmes: 'the rules of the card schemes’ monitoring programmes, with dates and sources',
    },
    load: async () => (await import('./ratios/programmes-command.ts')).programmesCommands,
  },
  {
    commands: { estate: 'merchants, enrolments and rulesets at the service, from a reviewed file' },
    load: async () => (await import('./estate/commands.ts')).estateCommands,
  },
  {
    commands: { events: 'what happened, in order: the stream for the systems around Forestall' },
    load: async () => (await import('./events/commands.ts')).eventsCommands,
  },
  {
    commands: { export: 'alerts, decisions, refunds, disputes, orders and events as files' },
    load: async () => (await import('./exports/commands.ts')).exportCommands,
  },
  {
    commands: { representments: 'packs of evidence for disputes that are contested' },
    load: async () => (await import('./representments/commands.ts')).representmentsCommands,
  },
  {
    commands: { documents: 'terms, policies and screenshots that evidence is made of' },
    load: async () => (await import('./representments/documents/commands.ts')).documentsCommands,
  },
  {
    commands: {
      evidence: 'which disputes would qualify as evidence, what orders lacked, and who was right',
    },
    load: async () => (await import('./evidence/commands.ts')).evidenceCommands,
  },
  {
    under: 'reconcile',
    commands: {},
    load: async () => [(await import('./daily-reports/command.ts')).dailyReportCommand],
  },
  {
    under: 'reconcile',
    commands: {},
    load: async () => [(await import('./settlement/command.ts')).settlementCommand],
  },
  {
    under: 'organisations',
    commands: {},
    load: async () => [(await import('./cells/move-command.ts')).moveCommand],
  },
  {
    under: 'policy',
    commands: {},
    load: async () => [(await import('./backtests/commands.ts')).backtestCommand],
  },
  {
    under: 'policy',
    commands: {},
    load: async () => (await import('./measured-cost/commands.ts')).costCommands,
  },
  {
    under: 'policy',
    commands: {},
    load: async () => [(await import('./shadow-report/command.ts')).shadowReportCommand],
  },
];
