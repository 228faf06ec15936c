// Seeds that found something, with a word on what it was. What a seed meets changes with every await that the executor
// has more or less; they stay because they once were hard places, and a failing seed is added here with its mending.

export const FOUND: readonly (readonly [seed: number, what: string])[] = [
  [2, "a delegate's log began with its parent's epoch, and its own were lower"],
  [3, "a model was called after the stop, which had come between the decision and its append"],
  [9, "a tool was started after the stop, by one that had not heard of it or no longer asked"],
  [11, "a read that failed while a stop was watched for was a rejection that nobody handled"],
  [30, "an input was delivered as it had been before its edit"],
  [43, "one that had stood still told the model of calls that its successor had not finished"],
  [49, "a delegate whose input was withdrawn before it began left its parent waiting"],
  [
    109,
    "a delegate that a person let go early was through before its parent knew of it, and was never reported",
  ],
  [501, "a shutdown between a delegate's end and its report kept its parent waiting"],
  [21, "a delegate was deleted, and its parent waited for it for ever"],
  [61, "the end of a command that never began was told twice, by its keeper and by its executor"],
  [131, "a session that ended while it was worked on was said to be held for ever"],
  [220, "a lease that was extended just before the clock went back was held for hours"],
  [512, "a command that nothing could end kept its turn from ending"],
  [721, "a person went back in a delegate that nobody had told of yet, and its parent waited for ever"],
];
