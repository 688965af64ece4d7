import { type Endpoint, formatEndpoint } from '../../model/endpoints/endpoint';
import type { PayloadEntries } from '../../model/fields';
import { hasFiles } from '../../model/records/payload';
import type { Item } from '../operation/item';
import type { UpdateSemantics } from './probeField';
import { unsentFieldsOption } from './writeOptions';

/**
 * The spec is ambiguous: an update "holds the changed field values", or a field that it omits gets its empty value
 * (Record: "Value when a field is omitted"). The behaviour of a service is detected once and cached until n8n stops.
 */
const knownSemantics = new Map<string, UpdateSemantics>();
/** Running detections, by the keys of `knownSemantics`. */
const runningDetections = new Map<string, Promise<unknown>>();
/**
 * Number of detections without a result, by the keys of `knownSemantics`. After several, updates send the whole
 * record without a detection.
 */
const failedDetections = new Map<string, number>();
const MAX_FAILED_DETECTIONS = 5;

/** Returns what the option or the credential specifies, or undefined if it is to be detected. @throws InputError */
function readSemanticsSetting(item: Item): UpdateSemantics | undefined {
  const setting = item.readOption(unsentFieldsOption) ?? item.client.credential.columnsNotGiven;
  return setting === 'keeps' || setting === 'blanks' ? setting : undefined;
}

/** The detected behaviour of one endpoint of one application, for one encoding of the body. */
export class SemanticsStore {
  private readonly key: string;

  constructor(
    private readonly item: Item,
    endpoint: Endpoint,
    entries: PayloadEntries,
  ) {
    const { baseUrl, appId } = item.client.credential;
    const encoding = hasFiles(entries) ? 'multipart' : 'json';
    this.key = JSON.stringify([baseUrl, appId, formatEndpoint(endpoint), encoding]);
  }

  get known(): UpdateSemantics | undefined {
    return readSemanticsSetting(this.item) ?? knownSemantics.get(this.key);
  }

  get canDetect(): boolean {
    return this.known === undefined && (failedDetections.get(this.key) ?? 0) < MAX_FAILED_DETECTIONS;
  }

  /** The running detection of another update; undefined if there is none. */
  get running(): Promise<unknown> | undefined {
    return runningDetections.get(this.key);
  }

  /** Runs a detection. Only one runs at a time; other updates wait for its result. */
  async detect<T>(run: () => Promise<T>): Promise<T> {
    const detection = run();
    const settled = detection.catch(() => undefined);
    runningDetections.set(this.key, settled);
    void settled.then(() => runningDetections.delete(this.key));
    return detection;
  }

  remember(semantics: UpdateSemantics | undefined): void {
    if (semantics) knownSemantics.set(this.key, semantics);
    else failedDetections.set(this.key, (failedDetections.get(this.key) ?? 0) + 1);
  }
}
