import { type Calls, SPECIFIED_ENDPOINTS } from '../../calledEndpoints';
import { advanceClock } from '../../environment/advanceClock';
import { createObject, withNeededObject } from './neededObjects';
import {
  type ContractCase,
  INPUT_ITEM,
  createContractCases,
  findSampleIds,
  formatCalledEndpoint,
  runOperation,
} from './runOperation';
import { type TestEnvironment, getOutput } from './testEnvironment';

/** Milliseconds. Longer than anything that is cached. */
const CACHED_MS = 3_600_000;

/** A case that ran: its output items, and the endpoints that it called, in the order of the specification. */
export interface ContractRun {
  one: ContractCase;
  items: object[];
  called: string[];
}

/**
 * Runs all cases. Each starts an hour after the one before, without cached fields and tables, so that its calls do not
 * depend on earlier cases or on the speed of the machine.
 * @throws Error with the name of a case that failed
 */
export async function runContractCases(env: TestEnvironment): Promise<ContractRun[]> {
  const runs: ContractRun[] = [];
  const cases = createContractCases(env, await findSampleIds(env));
  for (const one of cases) {
    const parameters = await withNeededObject(one.parameters, (name) => createObject(env, name));
    advanceClock(CACHED_MS);
    const before = env.service.requests.length;
    const run = await runOperation(env, one.type, parameters, [INPUT_ITEM]);
    const called = new Set(env.service.requests.slice(before).map(formatCalledEndpoint));
    if (run.error) {
      const where = 'A value that the sample data does not give is in createValues of runOperation.ts';
      throw new Error(`${one.name}: ${run.error.message}. ${where}.`);
    }
    runs.push({ one, items: getOutput(run), called: sortEndpoints(called) });
  }
  return runs;
}

const sortEndpoints = (called: Set<string>): string[] => {
  const undocumented = [...called].filter((name) => !SPECIFIED_ENDPOINTS.includes(name));
  return [...SPECIFIED_ENDPOINTS.filter((name) => called.has(name)), ...undocumented];
};

/** The endpoints that each operation called in its cases. `test/calledEndpoints.json` holds them. */
export function listCalls(runs: ContractRun[]): Calls {
  const calls = new Map<string, Set<string>>();
  for (const { one, called } of runs) {
    const key = `${one.type} ${one.resource} ${one.operation.name}`;
    calls.set(key, new Set([...(calls.get(key) ?? []), ...called]));
  }
  return Object.fromEntries([...calls].map(([key, called]) => [key, sortEndpoints(called)]));
}
