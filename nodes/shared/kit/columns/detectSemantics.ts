import type { ApiResponse } from '../../transport/call';
import { ApiError, mapExplanation, mayHaveChanged } from '../../transport/errors/apiError';
import { classifySemantics, type Probe, type UpdateSemantics } from './probeField';
import { readRecord } from './readRecord';
import type { SemanticsStore } from './unsentColumns';
import { type RecordUpdate, sendWhole, type WholeUpdate } from './wholeUpdate';

type DetectionPlan = WholeUpdate & { probe: Probe };

/**
 * The response to the detecting write and its effect on the field that was left out, or the error of a failed
 * request.
 */
interface Detection {
  response?: ApiResponse;
  semantics?: UpdateSemantics;
  failure?: unknown;
}

async function sendWithoutProbe(
  { item, table, recordId, send }: RecordUpdate,
  { whole, probe }: DetectionPlan,
): Promise<Detection> {
  let response: ApiResponse | undefined;
  try {
    response = await send(whole.filter(([key]) => key !== probe.field.slug));
    return { response, semantics: classifySemantics(probe, await readRecord(item, table.id, recordId)) };
  } catch (failure) {
    return { response, failure };
  }
}

/**
 * Creates the error of an interrupted update. It contains the record ID and the old value of the field that may be
 * empty.
 */
const createInterruptedError = (
  error: unknown,
  { recordId }: RecordUpdate,
  { field, before }: Probe,
): unknown =>
  mapExplanation(error, ({ message, description }) => ({
    message: `Record ${recordId}: the update was interrupted (${message})`,
    description: `"${field.name}" (${field.slug}) may be empty now; its value before was ${JSON.stringify(before)}. Run the item again to complete the update. ${description}`,
  }));

/**
 * Whether the service may execute the detecting write after the write that completes the update, and so empty the
 * field. This includes a request without a response: after a timeout or a connection reset, the service may still
 * process it.
 */
function mayEmptyLater({ response, failure, semantics }: Detection, { change }: Probe): boolean {
  if (semantics === 'keeps' || change === 'clear') return false;
  return response?.isUnanswered ?? (failure instanceof ApiError && failure.isUnanswered);
}

const createDelayedError = ({ recordId, endpoint }: RecordUpdate, { field, before, wanted }: Probe) =>
  new ApiError({
    message: `Record ${recordId}: the service did not answer a request of the update`,
    description: `All values were written. If the service carries out the delayed request now, it may empty "${field.name}" (${field.slug}): its value before was ${JSON.stringify(before)}, the item's value is ${JSON.stringify(wanted)}. Run the item again to make sure.`,
    isUnanswered: true,
    endpoint,
  });

/**
 * Detects what an update does with fields that it leaves out. It sends the record without one field that the item
 * changes, and reads that field afterwards. All other values are sent, so each field always has its old or its new
 * value; only the tested field may be empty for a moment, if its value is replaced.
 * @throws ApiError if the field may be empty, or may be emptied later; the error contains the field's old value
 */
export async function detectSemantics(
  update: RecordUpdate,
  plan: DetectionPlan,
  store: SemanticsStore,
): Promise<ApiResponse> {
  const { probe } = plan;
  const filled = probe.change === 'fill' ? await sendWhole(update, plan) : undefined;
  const detection = await sendWithoutProbe(update, plan);
  const { response, failure, semantics } = detection;
  const wasRefused = response === undefined && !mayHaveChanged(failure);
  // The first request wrote all values, and the service refused the second one, so nothing remains to be sent.
  if (filled && wasRefused) return filled;
  if (failure === undefined) store.remember(semantics);
  if (semantics === 'keeps') return filled && response ? response : update.send(update.entries);
  const completed = await sendWhole(update, plan).catch((error: unknown) => {
    throw wasRefused && !mayHaveChanged(error) ? error : createInterruptedError(error, update, probe);
  });
  if (mayEmptyLater(detection, probe)) throw createDelayedError(update, probe);
  return completed;
}
