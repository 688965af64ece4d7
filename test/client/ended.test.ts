/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runExample } from '../../scripts/client-example';
import { createFetchPort } from '../support/fetchPort';
import { ClientEnvironment } from './support';

/** Memories of the process outlive an execution or a poll. None may keep what it was given. */

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const env = new ClientEnvironment();
beforeEach(() => env.start());
afterEach(() => env.stop());

/** Runs all steps of the example, as an execution with a signal or as one without. */
async function runExecution(signal?: AbortSignal): Promise<Array<WeakRef<object>>> {
  const port = createFetchPort({ clock: env.time, signal });
  await runExample(env.service, port, env.settings);
  return [port, ...(signal ? [signal] : [])].map((object) => new WeakRef(object));
}

test.each(['with', 'without'])('an execution %s a signal leaves nothing that it was given', async (word) => {
  const references = await runExecution(word === 'with' ? new AbortController().signal : undefined);
  const isKept = () => references.some((reference) => reference.deref() !== undefined);
  // A reference keeps its object until the current task ends. On a busy machine, a closed connection keeps the signal longer.
  for (let tries = 0; isKept() && tries < 200; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
  }
  expect(isKept()).toBe(false);
});
