import { expect, test } from "vitest";
import { ApiProblem, inWords, problemFrom } from "./problem";

test("an error is shown with its hint", () => {
  const problem = problemFrom(409, {
    error: {
      code: "has-session",
      message: "the task has session `k7`",
      hint: "start over",
      detail: { sessionId: "k7" },
    },
  });
  expect(problem).toBeInstanceOf(ApiProblem);
  expect(problem).toMatchObject({ code: "has-session", status: 409, details: { sessionId: "k7" } });
  expect(inWords(problem)).toBe("The task has session `k7`. Start over.");
  expect(problemFrom(502, "<html>").code).toBe("strange-answer");
});
