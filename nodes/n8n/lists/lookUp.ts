/** What all lists of the editor use: requests with a timeout, a cache, and the picker. */
import type { ILoadOptionsFunctions, INodePropertyMode, INodePropertyOptions } from 'n8n-workflow';
import { explainForbidden, ApiError, type Client, InputError, memory } from '../../service';
import { createNodeClient } from '../http/port';
import { toNodeError } from '../operation/toNodeError';
import { defineParameter, type ParameterDefinition } from '../parameters/parameter';

/** Loads a list of the editor. A search has a text that was typed, or a page. */
export type Load<R> = (
  context: ILoadOptionsFunctions,
  client: Client,
  filter?: string,
  paginationToken?: string,
) => Promise<R>;

/** Loads the options of a dropdown. */
export type LoadOptions = Load<INodePropertyOptions[]>;

/** Milliseconds after which a dropdown stops waiting, including retries. */
const MAX_LOOKUP_MS = 30_000;

/** Runs a method that loads a list, with a client for its requests. Errors have the same text as in an operation. */
export async function runLookup<T>(
  context: ILoadOptionsFunctions,
  find: (client: Client) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(MAX_LOOKUP_MS);
  let client: Client | undefined;
  try {
    client = await createNodeClient(context, { signal });
    return await find(client);
  } catch (error) {
    const cause = signal.aborted
      ? new ApiError({
          code: 'timeout',
          message: `The service did not answer within ${MAX_LOOKUP_MS / 1000} seconds`,
          description: 'Check the Base URL in the credential, and load the list again.',
        })
      : error;
    throw toNodeError(context.getNode(), client ? await explainForbidden(client, cause) : cause);
  }
}

/**
 * Reads the ID in the locator or dropdown `name`; '' if nothing is picked or the node has no such parameter.
 * @throws InputError for an expression, because it has no value before the node runs
 */
export function getPickedId(context: ILoadOptionsFunctions, name: string): string {
  // `extractValue` throws for a parameter that the node does not have, so check first.
  const given = context.getCurrentNodeParameter(name);
  if (given === undefined || given === null) return '';
  const id = String(context.getCurrentNodeParameter(name, { extractValue: true }) ?? '').trim();
  if (!id.startsWith('=')) return id;
  throw new InputError(
    'This list depends on a field whose expression has no value yet',
    'Run the nodes before this one first, or give the value here as an expression too.',
  );
}

/** Milliseconds for which a search uses the cached list instead of a new request. */
const CACHE_TTL_MS = 60_000;

/** The lists are cached for each user, because each user may see different entries. */
const dropdownLists = memory.cache<unknown, 'user'>('dropdownLists', {
  per: 'user',
  holds: 'a list for searches in its dropdown; of records the first 100',
  ttlMs: CACHE_TTL_MS,
});

/**
 * Reads a list for a dropdown. Opening the dropdown always sends a request. A search (`isSearch`) uses the cached
 * list, because n8n searches again after each typed letter.
 */
export function lookUpList<T>(
  client: Client,
  name: string,
  isSearch: boolean,
  fetch: () => Promise<T>,
): Promise<T> {
  if (!isSearch) dropdownLists.delete(client, [name]);
  return dropdownLists.get(client, [name], fetch) as Promise<T>;
}

/** Converts a title for use in a sentence: "PDF Form" becomes "PDF form". */
const lowercaseTitle = (title: string) =>
  title.replace(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());

/** How the user finds the entry of a locator. */
interface LocatorSource {
  /** The method of the node that searches the list. */
  searchMethod: string;
  /** What the list holds: "Task". By default the label of the locator. */
  noun?: string;
  /** The locators on which the list depends. n8n clears the field when one of them changes. */
  dependsOn?: string[];
  /** Further modes, between the list and the ID. */
  modes?: INodePropertyMode[];
}

/** Creates a resource locator: the parameter for a table, a record or another entry, from a list or by its ID. */
export const createResourceLocator = <const N extends string>(
  labels: { name: N; displayName: string; description: string } & Pick<
    ParameterDefinition,
    'hint' | 'inTools'
  >,
  { searchMethod, noun = labels.displayName, dependsOn = [], modes = [] }: LocatorSource,
) =>
  defineParameter({
    ...labels,
    type: 'resourceLocator',
    default: { mode: 'list', value: '' },
    required: true,
    ...(dependsOn.length > 0 && {
      typeOptions: { loadOptionsDependsOn: dependsOn.map((name) => `${name}.value`) },
    }),
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        placeholder: `Select ${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${lowercaseTitle(noun)}…`,
        typeOptions: { searchListMethod: searchMethod, searchable: true },
      },
      ...modes,
      { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. K7pQ2xW9Lm' },
    ],
  });
