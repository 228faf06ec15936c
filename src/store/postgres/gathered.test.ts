import { expect, it } from "vitest";
import { Gathered } from "./gathered.ts";

/** Statements wait until they are answered. */
function scene(together: number, atOnce: number) {
  const statements: { questions: readonly number[]; answer: PromiseWithResolvers<(string | Error)[]> }[] = [];
  const gathered = new Gathered<number, string>({
    ask(questions) {
      const answer = Promise.withResolvers<(string | Error)[]>();
      statements.push({ questions, answer });
      return answer.promise;
    },
    together,
    atOnce,
  });
  const answerNext = () => {
    const { questions, answer } = statements.shift() ?? { questions: [], answer: undefined };
    answer?.resolve(questions.map((question) => `answer ${question}`));
    return questions;
  };
  return { gathered, statements, answerNext };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

it("questions of a tick go together, and each gets its own answer", async () => {
  const { gathered, answerNext } = scene(10, 1);
  const answers = [1, 2, 3].map((question) => gathered.ask(question));
  await tick();
  expect(answerNext()).toEqual([1, 2, 3]);
  expect(await Promise.all(answers)).toEqual(["answer 1", "answer 2", "answer 3"]);
});

it("what comes while all statements are on their way goes with the next one, up to its size", async () => {
  const { gathered, statements, answerNext } = scene(2, 1);
  const first = gathered.ask(1);
  await tick();
  const later = [2, 3, 4].map((question) => gathered.ask(question));
  await tick();
  expect(statements).toHaveLength(1);
  answerNext();
  await first;
  await tick();
  expect(answerNext()).toEqual([2, 3]);
  await Promise.all(later.slice(0, 2));
  await tick();
  expect(answerNext()).toEqual([4]);
  expect(await Promise.all(later)).toEqual(["answer 2", "answer 3", "answer 4"]);
});

it("one that has no answer is told why, and the others get theirs", async () => {
  const { gathered, statements } = scene(10, 1);
  const answers = Promise.allSettled([gathered.ask(1), gathered.ask(2)]);
  await tick();
  statements[0]?.answer.resolve([new Error("damaged"), "answer 2"]);
  expect(await answers).toMatchObject([
    { status: "rejected", reason: { message: "damaged" } },
    { status: "fulfilled", value: "answer 2" },
  ]);
});

it("a statement that fails fails all that it asked, and the next is asked all the same", async () => {
  const { gathered, statements, answerNext } = scene(2, 1);
  const answers = Promise.allSettled([1, 2, 3].map((question) => gathered.ask(question)));
  await tick();
  statements.shift()?.answer.reject(new Error("the connection was lost"));
  await tick();
  await tick();
  expect(answerNext()).toEqual([3]);
  expect((await answers).map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});
