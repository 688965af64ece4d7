/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { KeyedQueue } from '../../../../nodes/service';

/** A task that runs until `end` is called. */
function createTask(log: string[], name: string) {
  let settle: { resolve(value: string): void; reject(error: Error): void };
  const ended = new Promise<string>((resolve, reject) => (settle = { resolve, reject }));
  return {
    run: () => {
      log.push(name);
      return ended;
    },
    end: () => settle.resolve(name),
    fail: () => settle.reject(new Error(name)),
  };
}

type Task = ReturnType<typeof createTask>;

test('tasks of one key run one after the other in order of arrival; another key does not wait', async () => {
  const [queue, log] = [new KeyedQueue(), [] as string[]];
  const first = createTask(log, 'first');
  const second = createTask(log, 'second');
  const third = createTask(log, 'third');
  const other = createTask(log, 'other');
  const results = [first, second, third].map((task) => queue.runTask('a', task.run));
  const beside = queue.runTask('b', other.run);
  await new Promise(setImmediate);
  expect(log).toEqual(['first', 'other']);
  other.end();
  expect(await beside).toBe('other');
  first.end();
  await new Promise(setImmediate);
  expect(log).toEqual(['first', 'other', 'second']);
  second.end();
  third.end();
  expect(await Promise.all(results)).toEqual(['first', 'second', 'third']);
});

test('a task that comes when the one before it runs already waits for it', async () => {
  const [queue, log] = [new KeyedQueue(), [] as string[]];
  const [first, second, third] = ['first', 'second', 'third'].map((name) => createTask(log, name)) as [Task, Task, Task]; // prettier-ignore
  const results = [first, second].map((task) => queue.runTask('a', task.run));
  first.end();
  await new Promise(setImmediate);
  results.push(queue.runTask('a', third.run));
  await new Promise(setImmediate);
  expect(log).toEqual(['first', 'second']);
  second.end();
  third.end();
  expect(await Promise.all(results)).toEqual(['first', 'second', 'third']);
});

test('only the caller of a failed task gets its error', async () => {
  const [queue, log] = [new KeyedQueue(), [] as string[]];
  const [bad, good] = [createTask(log, 'bad'), createTask(log, 'good')];
  const failed = queue.runTask('a', bad.run);
  const next = queue.runTask('a', good.run);
  bad.fail();
  good.end();
  await expect(failed).rejects.toThrow('bad');
  expect(await next).toBe('good');
});

test('removes a key after its last task has ended', async () => {
  const queue = new KeyedQueue();
  await Promise.all(
    Array.from({ length: 100 }, (_, index) => queue.runTask(`${index % 7}`, async () => index)),
  );
  expect(queue['lastTasks'].size).toBe(0);
  await queue.runTask('a', async () => 1);
  expect(queue['lastTasks'].size).toBe(0);
});
