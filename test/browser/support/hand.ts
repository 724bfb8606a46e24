/** A person at the keyboard and the mouse, each of whose steps counts: a click, a key, a text typed. */
import type { Locator, Page } from 'playwright-core';

/** Counts what is done through it. */
export interface Hand {
  readonly steps: number;
  readonly page: Page;
  click(target: Locator): Promise<void>;
  press(...keys: readonly string[]): Promise<void>;
  /** Types where the focus is. A text is one step, however long: it is the same work everywhere. */
  write(text: string): Promise<void>;
  /** Pastes what was copied elsewhere, wherever the focus is: one step. */
  paste(text: string): Promise<void>;
  /** Chooses a file for a field: one step. */
  choose(field: Locator, file: Parameters<Locator['setInputFiles']>[0]): Promise<void>;
  /** Goes into a field and types: two steps. */
  fill(field: Locator, text: string): Promise<void>;
}

/** As fast as nobody types; yet what was not there to be seen 300 ms ago is not sent. */
const KEY_MS = 20;

export function handAt(page: Page): Hand {
  let steps = 0;
  return {
    page,
    get steps(): number {
      return steps;
    },
    async click(target): Promise<void> {
      steps += 1;
      await target.click();
    },
    async press(...keys): Promise<void> {
      for (const key of keys) {
        steps += 1;
        await page.keyboard.press(key);
      }
    },
    async write(text): Promise<void> {
      steps += 1;
      await page.keyboard.type(text, { delay: KEY_MS });
    },
    async paste(text): Promise<void> {
      steps += 1;
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await page.keyboard.press('Control+v');
    },
    async choose(field, file): Promise<void> {
      steps += 1;
      await field.setInputFiles(file);
    },
    async fill(field, text): Promise<void> {
      steps += 2;
      await field.fill(text);
    },
  };
}
