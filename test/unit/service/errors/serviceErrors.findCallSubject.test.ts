import { defineV1, defineV11 } from '../../../../nodes/service/endpoints/endpoint';
import { findCallSubject } from '../../../../nodes/service/errors/serviceErrors';

/** The path parameters of the specification, with the words of the forms. */
test.each([
  ['automationId', 'automation'],
  ['automationQueueId', 'run'],
  ['childIds', 'child page'],
  ['componentId', 'component'],
  ['dataTableId', 'table'],
  ['fieldId', 'field'],
  ['fieldSlug', 'field'],
  ['importId', 'import template'],
  ['pageId', 'page'],
  ['pdfFormId', 'PDF form'],
  ['pdfPageId', 'PDF page'],
  ['queueId', 'run'],
  ['recordId', 'record'],
  ['taskId', 'task'],
  ['taskQueueId', 'run'],
  ['templateId', 'export template'],
])('{%s} is the ID of a %s', (parameter, noun) => {
  const endpoint = defineV11(`GET /things/{${parameter}}`);
  expect(findCallSubject(endpoint).subject).toBe(noun);
  expect(findCallSubject(endpoint, { [parameter]: 'x1' }).subject).toBe(`${noun} "x1"`);
});

test.each<[string, Record<string, unknown>, object]>([
  ['GET /roles', {}, { subject: undefined, table: 'table', record: 'record' }],
  ['GET /things/{thingId}', { thingId: 'x1' }, { subject: undefined, table: 'table', record: 'record' }],
  [
    'GET /{dataTableId}/{recordId}',
    { dataTableId: ' t1 ', recordId: 7 },
    { subject: 'table "t1" or record "7"', table: 'table "t1"', record: 'record "7"' },
  ],
  [
    'GET /{dataTableId}/{recordId}',
    { dataTableId: null, recordId: '  ' },
    { subject: 'table or record', table: 'table', record: 'record' },
  ],
  [
    'GET /components/{componentId}/{recordId}',
    { componentId: 'c1', recordId: 'r1' },
    {
      subject: 'component "c1" or record "r1"',
      table: 'table',
      record: 'record "r1"',
      hidden: ', or a rule of the component hides it',
    },
  ],
])('what %s with %j is about', (request, ids, expected) => {
  expect(findCallSubject(defineV1(request as 'GET /roles'), ids)).toEqual(expected);
});

test('an endpoint may name what it is about', () => {
  const endpoint = defineV1('GET /web-hooks/{taskId}', { subject: 'webhook subscription' });
  expect(findCallSubject(endpoint, { taskId: 'x1' }).subject).toBe('webhook subscription');
});
