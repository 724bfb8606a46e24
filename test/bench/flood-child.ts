/** Programs beside the flood bench, each a process of its own. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';

/** Longest time until a program has said what it was started for, in milliseconds. */
const ANSWER_MS_MAX = 300_000;

/** A program and its first message. */
export interface Started<Message> {
  readonly child: ChildProcess;
  readonly message: Message;
}

/** Starts a program of this folder and waits for its message. @throws when it ends without one, or takes too long */
export async function startProgram<Message>(
  file: string,
  args: readonly string[],
): Promise<Started<Message>> {
  const child = fork(new URL(file, import.meta.url), args);
  return await new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`${file} ${why}`));
    };
    const timer = setTimeout(() => fail('said nothing in time'), ANSWER_MS_MAX);
    child
      .once('error', ({ message }) => fail(`failed: ${message}`))
      // Comes after the last message, unlike "exit".
      .once('disconnect', () => fail('ended and said nothing'))
      .once('message', (message) => {
        clearTimeout(timer);
        resolve({ child, message: message as Message });
      });
  });
}
