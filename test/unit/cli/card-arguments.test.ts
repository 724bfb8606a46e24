/** Guarantee: a full card number among a command's words is refused before anything is done, and is not repeated. */
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import { refuseCardNumbers } from '../../../src/people/cli/card-arguments.ts';
import { spawnSync } from '../../support/child-process.ts';

const CARD = '4111111111111111';

function refusalOf(words: readonly string[]): string {
  try {
    refuseCardNumbers(words);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof Error ? error.message : '';
  }
}

describe('a card number on a command line', () => {
  it.each([
    ['a reference', ['claims', 'open', '--reference', CARD], 'Argument 4, behind --reference,'],
    ['a name', ['operators', 'add', '4111 1111 1111 1111'], 'Argument 3 holds'],
    ['an option with a sign', ['pause', `--reason=${CARD}`], 'Argument 2, behind --reason,'],
    ['groups without quotes', ['pause', '--reason', '4111', '1111', '1111', '1111'], '--reason'],
    [
      'digits of another script',
      ['pause', '--reason', '４１１１１１１１１１１１１１１１'],
      '--reason',
    ],
  ])('is refused as %s', (_what, words, said) => {
    const refusal = refusalOf(words);
    expect(refusal).toContain(said);
    expect(refusal).not.toContain('1111');
  });

  it('is none in an acquirer reference number, and may be what is erased', () => {
    expect(refusalOf(['alerts', 'find', '74208326154000000012345'])).toBe('');
    expect(refusalOf(['erase', '--customer-email', 'a@b.example', '--also', CARD])).toBe('');
  });

  it('ends the program with 2 before it looks at its settings', () => {
    const run = spawnSync(
      process.execPath,
      ['src/people/cli/main.ts', 'operators', 'add', '4111-1111-1111-1111'],
      { encoding: 'utf8', env: { PATH: process.env['PATH'] }, timeout: 60_000 },
    );
    expect([run.status, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('holds a full card number');
    expect(run.stderr).not.toContain('1111');
  });
});
