import { randomBytes } from 'node:crypto';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { hashText, toCanonicalJson } from '../shared/kit/hashing/hashText';
import { explainForbidden } from '../shared/kit/operation/explainForbidden';
import { toNodeError } from '../shared/kit/operation/toNodeError';
import { Client } from '../shared/transport/client';
import { RequestCache } from '../shared/transport/concurrency/requestCache';
import { raceAbort } from '../shared/transport/concurrency/sleep';
import { ApiError } from '../shared/transport/errors/apiError';
import { detectChanges, type Detection } from './detection';
import { type PollParameters, readPollParameters } from './form/parameters';
import { createItems } from './items';
import { createPollState, takeOver } from './pollState';
import { formatPollState, parsePollState } from './pollStateText';
import { readTestItems } from './testPoll';

/** Identifies this process of n8n. A state of another process was written before a restart. */
const PROCESS = randomBytes(6).toString('base64url');

/** Maximum milliseconds of a poll. Newer versions of n8n end a poll after 45 seconds. */
const MAX_POLL_MS = 36_000;

/** Milliseconds to keep the result of a reading that lasted longer than its poll. */
const READING_TTL_MS = 10 * 60_000;

/**
 * The readings of the pollers, by workflow, node and state. A reading that lasts longer than its poll continues, and
 * the next poll takes its result. Outlives a poll.
 */
const readings = new RequestCache<Detection>({ ttlMs: READING_TTL_MS, failureTtlMs: READING_TTL_MS });

/** Nodes whose poll is running, because n8n does not wait for a poll before it starts the next one. */
const activePolls = new Set<string>();

const HASH_LENGTH = 16;

function listWatched(parameters: PollParameters): unknown {
  if (parameters.detection === 'log') return parameters.log;
  if (parameters.detection === 'date') return [parameters.tableId, parameters.dateField];
  return [parameters.tableId, parameters.filter, parameters.changedFields];
}

/**
 * Returns a hash that identifies the watched data: application, detection and its settings. If it changes, the stored
 * state is ignored and the next poll runs as a first poll.
 */
function createScope({ credential }: Client, parameters: PollParameters): string {
  const { baseUrl, appId } = credential;
  const watched = [baseUrl, appId, parameters.detection, listWatched(parameters)];
  return hashText(toCanonicalJson(watched), HASH_LENGTH);
}

/** Waits for a reading. Undefined if the poll must end before the result. */
async function waitForReading(
  context: IPollFunctions,
  reading: Promise<Detection>,
): Promise<Detection | undefined> {
  // Versions of n8n before 2.40 have no `getPollBudgetMs`.
  const budget = 'getPollBudgetMs' in context ? context.getPollBudgetMs() * 0.8 : MAX_POLL_MS;
  let detection: Detection | undefined;
  const pending = reading.then((result) => (detection = result));
  await raceAbort(pending, AbortSignal.timeout(Math.min(budget, MAX_POLL_MS)));
  return detection;
}

/** Removes codes whose remedy names options that this node does not have. */
const removeFormRemedy = (error: unknown): unknown =>
  error instanceof ApiError && (error.code === 'unstableList' || error.code === 'timeout')
    ? new ApiError({ ...error.explanation, status: error.status })
    : error;

async function pollOnce(
  context: IPollFunctions,
  client: Client,
  parameters: PollParameters,
  pollerKey: string,
): Promise<INodeExecutionData[][] | null> {
  const staticData = context.getWorkflowStaticData('node');
  const scope = createScope(client, parameters);
  const stored = parsePollState(staticData.state, scope);
  const state = takeOver(stored ?? createPollState(scope, PROCESS), PROCESS, parameters.repeatAfterRestart);
  const readingKey = `${pollerKey}/${hashText(`${scope}${String(staticData.state)}`, HASH_LENGTH)}`;
  const reading = readings.get(readingKey, () =>
    detectChanges(client, parameters, { state, isFirst: stored === undefined }),
  );
  let detection: Detection | undefined;
  try {
    detection = await waitForReading(context, reading);
  } catch (error) {
    readings.delete(readingKey);
    throw removeFormRemedy(await explainForbidden(client, error));
  }
  if (!detection) return null;

  readings.delete(readingKey);
  const items = createItems(detection.changes, parameters, detection.source?.table, new Date());
  const text = formatPollState(detection.state);
  // n8n saves the static data after any write, even of an equal value.
  if (text !== staticData.state) staticData.state = text;
  return items.length > 0 ? [items] : null;
}

/** Runs one poll of a published workflow. Undefined if the last poll of the node has not ended. */
async function pollAlone(
  context: IPollFunctions,
  client: Client,
  parameters: PollParameters,
): Promise<INodeExecutionData[][] | null> {
  const pollerKey = `${String(context.getWorkflow().id)}/${context.getNode().id}`;
  if (activePolls.has(pollerKey)) return null;
  activePolls.add(pollerKey);
  try {
    return await pollOnce(context, client, parameters, pollerKey);
  } finally {
    activePolls.delete(pollerKey);
  }
}

/**
 * Handles one call of n8n: reads what has changed since the last poll, and returns the items that start the workflow,
 * or null if nothing has changed. A test in the editor returns the newest records.
 */
export async function pollChanges(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  try {
    const parameters = readPollParameters(context);
    const client = await Client.create(context);
    if (context.getMode() === 'manual') return [await readTestItems(client, parameters)];
    return await pollAlone(context, client, parameters);
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}
