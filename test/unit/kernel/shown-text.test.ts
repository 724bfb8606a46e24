/** Guarantee: text from outside acts on nothing around it, in a terminal, a message or a page. */
import { expect, it, vi } from 'vitest';
import { plainJson, plainly, withoutTurns } from '../../../src/base/kernel/shown-text.ts';
import { outgoing } from '../../../src/base/notify/message.ts';
import { say } from '../../../src/surface/terminal/print.ts';

const HOSTILE = '\u001b[31mPAID\u0007\u009b2J \u202E00.92$\u2066\r';
const SHOWN = '\uFFFD[31mPAID\uFFFD\uFFFD2J \uFFFD00.92$\uFFFD\uFFFD';

it('loses what moves a cursor or turns text round, and nothing else', () => {
  expect(plainly(HOSTILE)).toBe(SHOWN);
  expect(plainly('é 漢字\n\tمتجر 👩‍💻')).toBe('é 漢字\n\tمتجر 👩‍💻');
  expect(withoutTurns('\u202Ea\u202C')).toBe('\uFFFDa\uFFFD');
});

it('is shown so by every command', () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  say(HOSTILE);
  const [line] = log.mock.calls;
  log.mockRestore();
  expect(line).toEqual([SHOWN]);
});

it('stands in JSON by its number, and reads back as it was', () => {
  const text = plainJson({ note: HOSTILE });
  expect(plainly(text)).toBe(text);
  expect(text).toContain('\\u009b2J \\u202e00.92$\\u2066');
  expect(JSON.parse(text)).toEqual({ note: HOSTILE });
});

it('stands so in messages to people', () => {
  const message = {
    id: 1,
    kind: 'review',
    severity: 'warning',
    text: HOSTILE,
    alertId: null,
    createdAt: new Date('2026-11-23T08:00:00Z'),
    attempts: 0,
  } as const;
  expect(outgoing(message as never, {}).text).toBe(SHOWN);
});
