/** Guarantee: a person reads every problem of a settlement file, with its line. */
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { settlementCommand, showSettlement } from '../../../src/capabilities/settlement/command.ts';

describe('showSettlement', () => {
  it('counts, and names every problem with its line', () => {
    const file = { rows: [], skipped: 2, unreadable: [{ line: 9, problem: 'the amount is none' }] };
    const text = showSettlement(file, {
      rows: 3,
      matched: 2,
      matchedMoney: [{ currency: 'USD', amountMinor: 1_790 }],
      problems: [
        {
          kind: 'unmatched',
          line: 4,
          acquirerReferenceNumber: 'B',
          alertId: null,
          sentence: 'Ask the acquirer.',
        },
      ],
    });
    expect(text.split('\n')).toEqual([
      '3 debits read, 2 lines of other types left out, 1 unreadable.',
      "2 match the network's refunds (17.90 USD), 1 problems.",
      '',
      'Unreadable:',
      '  line 9: the amount is none',
      '',
      'Problems:',
      '  unmatched, line 4, B: Ask the acquirer.',
    ]);
  });
});

describe('forestall reconcile settlement', () => {
  it.each([
    ['behind its file', ['reconcile', 'settlement', 'march.csv', '--json']],
    ['before its name', ['reconcile', '--json', 'settlement', 'march.csv']],
  ])('takes --json %s, which the command above it has too', async (_where, words) => {
    const given: unknown[] = [];
    const note = async (flags: { readonly json?: boolean }) => void given.push(flags.json);
    const program = new Command().exitOverride();
    program
      .command('reconcile')
      .option('--json')
      .action(() => void given.push('a pass'));
    settlementCommand.register(program, {
      onDatabase: note,
      onSettings: note,
      onPartner: note,
      onInstallation: note,
    });
    await program.parseAsync(words, { from: 'user' });
    expect(given).toEqual([true]);
  });
});
