/** What all capabilities answer programs about the books: properties of `forestall.books`. */
import type { AskedBooks, BookQuestions } from '../surface/book-questions.ts';
import type { DailyReportQuestions } from './daily-reports/questions.ts';
import { dailyReportQuestions } from './daily-reports/questions.ts';

export type CapabilityBooks = object & DailyReportQuestions;

const QUESTIONS: readonly BookQuestions[] = [dailyReportQuestions];

export function booksOf(asked: AskedBooks): CapabilityBooks {
  return together(QUESTIONS.map((answers) => Object.entries(answers(asked))));
}

/** Each capability says which property answers what: see `CapabilityBooks`. */
function together(entries: readonly (readonly (readonly unknown[])[])[]): CapabilityBooks {
  return Object.fromEntries(entries.flat());
}
