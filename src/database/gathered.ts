import { ApiError } from '../common/errors/api-error.js';

interface Waiter<Question, Answer> {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/** A statement answers so many at most: beyond, little more is saved, and what waits could go on another connection meanwhile. */
const MOST_AT_ONCE = 16;

/**
 * Asks in one statement what many requests ask in the same turn of the event loop: one round trip, and of writes one
 * commit, for all of them (docs/performance.md). Not for use within a transaction, which is one request's own.
 */
export class Gathered<Question, Answer> {
  private waiting: Waiter<Question, Answer>[] = [];

  /** `answerAll`: one answer for each question, in their order. */
  constructor(private readonly answerAll: (questions: Question[]) => Promise<Answer[]>) {}

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) setImmediate(() => this.flush());
      this.waiting.push({ question, resolve, reject });
    });
  }

  private flush(): void {
    const all = this.waiting;
    this.waiting = [];
    for (let at = 0; at < all.length; at += MOST_AT_ONCE) void this.answer(all.slice(at, at + MOST_AT_ONCE));
  }

  private async answer(waiters: Waiter<Question, Answer>[]): Promise<void> {
    let answers: Answer[];
    try {
      answers = await this.answerAll(waiters.map(({ question }) => question));
    } catch (error) {
      const isAway = error instanceof ApiError && error.code === 'service_unavailable';
      // The statement failed as a whole and changed nothing: alone, nobody pays for another's fault.
      if (waiters.length > 1 && !isAway) waiters.forEach((waiter) => void this.answer([waiter]));
      else waiters.forEach(({ reject }) => reject(error));
      return;
    }
    // What is done must not be asked again, whatever is wrong with its answers.
    const isComplete = answers.length === waiters.length;
    waiters.forEach(({ resolve, reject }, index) => {
      if (isComplete) resolve(answers[index] as Answer);
      else reject(new Error('questions and answers differ in number'));
    });
  }
}
