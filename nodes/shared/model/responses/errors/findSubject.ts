import type { Endpoint } from '../../endpoints/endpoint';

/** The words of the forms for what each path parameter identifies. */
const NOUNS: Record<string, string> = {
  automationId: 'automation',
  automationQueueId: 'execution',
  childIds: 'child page',
  componentId: 'component',
  dataTableId: 'table',
  fieldId: 'field',
  fieldSlug: 'field',
  importId: 'import',
  pageId: 'page',
  pdfFormId: 'PDF form',
  pdfPageId: 'PDF page',
  queueId: 'queue entry',
  recordId: 'record',
  taskId: 'task',
  taskQueueId: 'execution',
  templateId: 'export template',
};

/** The largest number of characters of an ID in a message. A wrong expression may return a long text. */
const MAX_ID_LENGTH = 60;

/** What a call is about, for a 404: `record "K7pQ2xW9Lm"`, or `record` without a known ID. */
export interface CallSubject {
  /** What the call is about, for example a record. Undefined if neither the endpoint nor its path shows it. */
  subject?: string;
  table: string;
  record: string;
}

/** Names what a call is about by the parameters of its path. `ids` are the values of these parameters. */
export function findSubject({ path, subject }: Endpoint, ids: Record<string, unknown> = {}): CallSubject {
  const formatNoun = (parameter: string) => {
    const id = String(ids[parameter] ?? '').trim();
    const shown = id.length > MAX_ID_LENGTH ? `${id.slice(0, MAX_ID_LENGTH - 1)}…` : id;
    const noun = NOUNS[parameter] ?? parameter;
    return shown === '' ? noun : `${noun} "${shown}"`;
  };
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const nouns = parameters.filter((name) => name in NOUNS).map(formatNoun);
  return {
    subject: subject ?? (nouns.length > 0 ? nouns.join(' or ') : undefined),
    table: formatNoun('dataTableId'),
    record: formatNoun('recordId'),
  };
}
