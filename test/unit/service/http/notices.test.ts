import { type ApiContext, createRuntime, systemClock } from '../../../../nodes/n8n/http/port';
import { Notices } from '../../../../nodes/service/http/notices';

const createNotices = (context: object) =>
  new Notices({
    ...createRuntime({ getTimezone: () => 'UTC', ...context } as unknown as ApiContext),
    clock: { ...systemClock, now: () => now },
  });

let now: number;
let said: unknown[];
let hints: Array<{ message: string }>;
let notices: Notices;
beforeEach(() => {
  now = 1_000;
  said = [];
  hints = [];
  const context = {
    getTimezone: () => 'UTC',
    sendMessageToUI: (message: unknown) => said.push(message),
    addExecutionHints: (hint: { message: string }) => hints.push(hint),
  };
  notices = createNotices(context);
});

test('reports progress every five seconds', () => {
  for (now = 1_000; now <= 16_500; now += 500) notices.reportProgress(() => `at ${now}`);
  expect(said).toEqual(['at 6000', 'at 11000', 'at 16000']);
});

test('a hint is given once, above the output', () => {
  notices.addHint('a');
  notices.addHint('a');
  notices.addHint('b');
  expect(hints).toEqual(['a', 'b'].map((message) => ({ message, type: 'warning', location: 'outputPane' })));
});

test('a hint that names a table or a field has no markup', () => {
  notices.addHint('The column "<a href=x>"');
  expect(hints).toMatchObject([{ message: 'The column "‹a href=x>"' }]);
});

describe('what the limit cost', () => {
  const wait = (from: number, to: number) => {
    now = to;
    notices.countWait(to - from);
  };

  test.each<[string, Array<[number, number]>, string | undefined]>([
    ['nothing', [], undefined],
    ['a moment', [[1_000, 3_999]], undefined],
    ['three seconds', [[1_000, 4_000]], '3 seconds'],
    ['calls side by side count once', [[1_000, 11_000], [1_000, 11_000], [6_000, 11_000]], '10 seconds'], // prettier-ignore
    ['overlapping ones as long as the whole', [[1_000, 11_000], [6_000, 16_000]], '15 seconds'], // prettier-ignore
    ['those with a pause between add up', [[1_000, 3_000], [5_000, 7_000]], '4 seconds'], // prettier-ignore
    ['a minute and a half', [[0, 89_600]], '1 minute, 30 seconds'],
    ['an hour', [[0, 3_600_000]], '1 hour'],
  ])('%s', (_what, waits, expected) => {
    waits.forEach(([from, to]) => wait(from, to));
    notices.showUsageHints();
    expect(hints.map(({ message }) => /it waited (.*?)\./.exec(message)?.[1])).toEqual(
      expected ? [expected] : [],
    );
  });
});

describe('what a run took', () => {
  const createDay = (remaining: number, resetsInSeconds = 3_600) => ({
    limit: 100,
    remaining,
    resetsInSeconds,
  });
  const finish = () => {
    notices.showUsageHints();
    return hints.map(({ message }) => message);
  };
  const record = (count: number, key: object, day?: ReturnType<typeof createDay>) => {
    for (let n = 0; n < count; n++) notices.countRequest(key, day);
  };
  const [first, second] = [{}, {}];

  test('nothing for 20 requests', () => {
    record(20, first, createDay(80));
    expect(finish()).toEqual([]);
  });

  test('the number of the day in the last response that has one', () => {
    for (const remaining of [79, 78, 77]) record(6, first, createDay(remaining));
    record(3, first);
    expect(finish()).toEqual(['This run took 21 requests. The API key has 77 left today.']);
  });

  test('the number of the new day, if the day ended during the run', () => {
    record(20, first, createDay(3, 5));
    record(1, first, createDay(99, 86_400));
    expect(finish()).toEqual(['This run took 21 requests. The API key has 99 left today.']);
  });

  test('no number of the day if the responses show none, or belong to several keys', () => {
    record(21, first);
    record(21, second, createDay(5));
    expect(finish()).toEqual(['This run took 42 requests.']);
  });

  test('no number of the day for two keys, though both show one', () => {
    record(21, first, createDay(7));
    record(21, second, createDay(5));
    expect(finish()).toEqual(['This run took 42 requests.']);
  });
});

test('does nothing in an n8n that supports neither', () => {
  const silent = createNotices({});
  now += 60_000;
  silent.countWait(50_000);
  silent.reportProgress(() => 'text');
  expect(() => silent.showUsageHints()).not.toThrow();
});
