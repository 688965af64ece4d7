import { type Endpoint, formatEndpoint } from '../../../../nodes/service';
import { defineV1, defineV11 } from '../../../../nodes/service/endpoints/endpoint';
import { CATALOGUE } from '../../../calledEndpoints';

const endpoints = CATALOGUE.map(({ endpoint }) => endpoint);

const findPermissions = (pattern: RegExp) =>
  endpoints
    .filter((endpoint) => pattern.test(formatEndpoint(endpoint)))
    .map((endpoint) => endpoint.permission?.name);

test.each([
  [/^POST .*\/(tasks|automations)\//, 'allow_task'],
  [/^POST .*\/imports\//, 'allow_import'],
  [/^POST .*\/exports\//, 'allow_export'],
  [/\/logs\//, 'allow_log'],
  [/\/(pages|layouts)/, 'allow_page'],
  [/\/pdf-forms/, 'pdf_forms'],
  [/\/pdf-pages/, 'pdf_pages'],
  [/^DELETE .*\/records/, 'allow_delete'],
  [/^GET .*data-tables.*\/records/, 'allow_get'],
  [/_zmode=search/, 'allow_get'],
  [/batch-update$/, 'allow_edit'],
  [/^POST .*\/records\/\{recordId\}/, 'allow_edit'],
])('%s needs %s', (pattern, name) => {
  expect(new Set(findPermissions(pattern))).toEqual(new Set([name]));
});

test('plain POST on records lists or creates, whichever its effect says', () => {
  expect(new Set(findPermissions(/^POST .*data-tables.*\/records$/))).toEqual(
    new Set(['allow_get', 'allow_edit']),
  );
});

test.each([/\/status$/, /web-hooks/, /auth\//, /formula/, /roles/, /^GET .*\/(tasks|imports|exports)/])(
  '%s needs none',
  (pattern) => {
    expect(new Set(findPermissions(pattern))).toEqual(new Set([undefined]));
  },
);

test.each<[string, Endpoint, string]>([
  ['GET /api/v1/roles', defineV1('GET /roles'), 'read'],
  ['POST /api/v1/roles', defineV1('POST /roles'), 'nonIdempotent'],
  ['DELETE /api/v1/roles', defineV1('DELETE /roles'), 'idempotent'],
  ['POST /api/v1.1/{appId}/pages', defineV11('POST /pages'), 'nonIdempotent'],
  ['POST /api/v1.1/{appId}/pages', defineV11('POST /pages', { effect: 'longRunning' }), 'longRunning'],
])(
  '%s: the base of its version, and the effect of its method unless it names one',
  (name, endpoint, effect) => {
    expect([formatEndpoint(endpoint), endpoint.effect]).toEqual([name, effect]);
  },
);
