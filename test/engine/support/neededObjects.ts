import { runOperation } from './runOperation';
import { getOutput, type TestEnvironment, toLocator } from './testEnvironment';

type Parameters = Record<string, unknown>;

/** Creates the objects that a run uses up, by their names. Later runs need the objects of the sample data. */
const CREATORS = {
  sessionToken: async (env: TestEnvironment) => {
    const { email, password } = env.service.user;
    const login = { resource: 'session', operation: 'login', email, password };
    return String(getOutput(await runOperation(env, 'RecordDatabaseUsers', login))[0]!.token);
  },
  subscription: async (env: TestEnvironment) => {
    const subscribe = {
      resource: 'webhook',
      operation: 'subscribe',
      dataTableId: toLocator(env.getTable('Orders').id),
      type: 'INSERT',
      platform: 'n8n',
      hookUrl: 'https://example.com/other',
    };
    return String(getOutput(await runOperation(env, 'RecordDatabase', subscribe))[0]!.id);
  },
  shortLivedRecord: async (env: TestEnvironment) =>
    env.getTable('Customers').insert({ company: 'Short Lived' }).id,
};

export type NeededObject = keyof typeof CREATORS;

/** The operations that use up an object: the parameter that names it, and the object. */
const NEEDS: Record<string, { parameter: string; object: NeededObject }> = {
  'session logout': { parameter: 'token', object: 'sessionToken' },
  'session getStatus': { parameter: 'token', object: 'sessionToken' },
  'webhook unsubscribe': { parameter: 'subscriptionId', object: 'subscription' },
  'record delete': { parameter: 'recordId', object: 'shortLivedRecord' },
};

export const OBJECTS = Object.keys(CREATORS) as NeededObject[];

export const createObject = (env: TestEnvironment, name: NeededObject): Promise<string> =>
  CREATORS[name](env);

/** Replaces the parameter that names an object which the operation uses up. Other parameters stay. */
export async function withNeededObject(
  parameters: Parameters,
  provide: (name: NeededObject) => Promise<string>,
): Promise<Parameters> {
  const need = NEEDS[`${String(parameters.resource)} ${String(parameters.operation)}`];
  if (!need) return parameters;
  const id = await provide(need.object);
  const current = parameters[need.parameter];
  const isLocator = typeof current === 'object' && current !== null && '__rl' in current;
  return { ...parameters, [need.parameter]: isLocator ? toLocator(id) : id };
}
