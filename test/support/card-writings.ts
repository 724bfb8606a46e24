/** Card numbers as people and programs may write them: separators, scripts, places in a text. Chosen, not drawn: a run repeats. */

/** Published test numbers of the schemes, with the groups in which the cards show them. */
export const TEST_CARDS: readonly (readonly [digits: string, groups: readonly number[]])[] = [
  ['4111111111111111', [4, 4, 4, 4]],
  ['5555555555554444', [4, 4, 4, 4]],
  ['2223003122003222', [4, 4, 4, 4]],
  ['378282246310005', [4, 6, 5]],
  ['30569309025904', [4, 6, 4]],
  ['6011111111111117', [4, 4, 4, 4]],
  ['3530111333300000', [4, 4, 4, 4]],
  ['6205500000000000004', [4, 4, 4, 4, 3]],
];

export const SEPARATORS: readonly string[] = [
  '',
  ' ',
  '-',
  '\u00a0',
  '\t',
  '.',
  '  ',
  '/',
  '_',
  '\u2013',
  '\u2014',
  '\u200b',
  '\u2060',
  '\u00ad',
  '\u202f',
  '\u3000',
  ',',
  '\u00b7',
  '|',
  ' - ',
];

/** The digit nought of each script. */
export const SCRIPTS: readonly string[] = ['0', '\uff10', '\u0660', '\u0966'];

export function inScript(digits: string, zero: string): string {
  const first = zero.codePointAt(0) ?? 0;
  return [...digits].map((digit) => String.fromCodePoint(first + Number(digit))).join('');
}

export function grouped(digits: string, groups: readonly number[], separator: string): string {
  let place = 0;
  return groups
    .map((length) => {
      place += length;
      return digits.slice(place - length, place);
    })
    .join(separator);
}

/** As many as asked for, each another mix of number, separator and script: the counts of the three share no factor. */
export function cardWritings(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const [digits, groups] = TEST_CARDS[index % TEST_CARDS.length] ?? ['', []];
    const separator = SEPARATORS[Math.floor(index / TEST_CARDS.length) % SEPARATORS.length] ?? '';
    const zero = SCRIPTS[(index + Math.floor(index / 160)) % SCRIPTS.length] ?? '0';
    return grouped(inScript(digits, zero), groups, separator);
  });
}

/** The digits in ASCII of whatever script, with nothing between them: for looking whether one is left. */
export function bareDigits(text: string): string {
  return [...text.normalize('NFKC')]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      const zero = SCRIPTS.map((script) => script.codePointAt(0) ?? 0).find(
        (first) => code >= first && code < first + 10,
      );
      return zero === undefined ? '' : String(code - zero);
    })
    .join('');
}

/** Whether a test number's digits stand in the text in their order, whatever stands between them. */
export function isCardLeft(text: string): boolean {
  const digits = bareDigits(text);
  return TEST_CARDS.some(([card]) => digits.includes(card));
}
