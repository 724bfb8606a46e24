/** What all capabilities answer programs about the books: properties of `forestall.books`. */
import { answersOf } from '../surface/answers-of.ts';
import type { AskedBooks, BookQuestions } from '../surface/book-questions.ts';
import type { DailyReportQuestions } from './daily-reports/questions.ts';
import { dailyReportQuestions } from './daily-reports/questions.ts';

export type CapabilityBooks = object & DailyReportQuestions;

const QUESTIONS: readonly BookQuestions[] = [dailyReportQuestions];

export function booksOf(asked: AskedBooks): CapabilityBooks {
  return answersOf(QUESTIONS, asked);
}
