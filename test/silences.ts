import type { PROFILES } from './service/profiles';
import type { ReadingName } from './service/readings';

/** The options of the embedded service that hold the possible answers; or why there is none, so that no test varies it. */
type Varied = { readings: ReadingName[] } | { unvaried: string } | { met: Evidence };

/** What public clients of services with this interface met, and recorded. */
interface Evidence {
  /** Three or more independent clients, or answers that they recorded; one or two; or nobody. */
  strength: keyof typeof STRENGTHS;
  seen: string;
  /** What it does not settle. */
  open?: string;
  /** The options of the embedded service that its profile `met` sets for the point. */
  options: (keyof (typeof PROFILES)['met'])[];
}

const STRENGTHS = {
  strong: 'three or more clients',
  some: 'one or two clients',
  inferred: 'inferred, seen by nobody',
} as const;

/** A point that the service's documentation leaves open, or that clients met otherwise. */
interface Point {
  /** What the documentation leaves open, as a question. */
  question: string;
  /** Section of the specification, and what it says there. */
  spec: string;
  /** What the package does as long as the point is open. */
  behavior: string;
  /** What clients met: it is evidence, no promise of the service. */
  met?: Evidence;
  /** The setting or option that changes it. */
  setting?: string;
  /** How to find out what a real service does. */
  check: string;
  /** The shipped file, below `nodes`, that decides what the package does. */
  code: string;
}

export type Silence = Point & Varied;

/**
 * Every point that changes what the package does and that the documentation leaves open, or that clients met otherwise.
 * `docs/development/silences.md` is generated from this table (`npm run docs`).
 */
export const SILENCES = {
  timeZone: {
    question: 'In which time zone are dates without a zone, such as `created_at`?',
    spec: 'Resources and their fields: "`YYYY-MM-DD HH:MM:SS` strings"',
    behavior:
      'Reads them in the zone of the setting. A date in the future is an error that names the setting.',
    met: {
      strength: 'strong',
      seen: '`created_at` is local time of the application’s own zone.',
      open: 'Which zone that is: no answer shows it.',
      options: ['timeZone'],
    },
    setting: 'Credential: Service Time Zone',
    readings: ['timeZone'],
    check: 'Create a record, and compare its `created_at` with the time of the request.',
    code: 'service/http/credential.ts',
  },
  pageOrder: {
    question: 'In which order are records without a sort, and is it stable?',
    spec: 'Records: List query parameters: `order` has no default',
    behavior:
      'A list is read twice if its pages show different totals, or not as many records as they count. A record that is deleted while another one is created cannot be noticed.',
    met: {
      strength: 'strong',
      seen: 'In order of creation.',
      open: 'What a page holds while records are created and deleted.',
      options: [],
    },
    unvaried: 'Unit tests of the paging move records while a list is read.',
    check: 'Read the first pages twice, and compare the order of the IDs.',
    code: 'service/paging/readWholeList.ts',
  },
  brokenAnswers: {
    question: 'What arrives when the service, or a proxy before it, fails while it answers?',
    spec: 'Errors: bodies of refusals only; Key facts: "Every response body is JSON"',
    behavior:
      'An answer that is empty, cut off, or no JSON is no success: a read is repeated, and a change is looked up or "Outcome unknown".',
    met: {
      strength: 'some',
      seen: 'An error may be HTTP 200 with `type: "error"`; 429 and 504 occur.',
      options: ['errorStatus'],
    },
    readings: ['readAnswers', 'changeAnswers'],
    check: 'Not tried: it depends on a failure.',
    code: 'service/http/response.ts',
  },
  systemColumns: {
    question: 'Can `id` and `created_at` be filtered and sorted?',
    spec: 'Record: they are keys of a record; `/fields` does not list them',
    behavior:
      'Every operation and the polling trigger check that a filter on `created_at` was applied: the dates of the records show it, or a request for a date in the year 9999. A filter on `id` is refused.',
    readings: ['systemColumns'],
    check: 'Filter and sort by `created_at` and by `id`, and compare with the records.',
    code: 'records/reading/readRecords.ts',
  },
  columnsResponse: {
    question: 'Does a list with `columns` also return `id` and `created_at`?',
    spec: 'Records: List query parameters: "fields to return"',
    behavior: 'Asks for the fields that it needs, and accepts both.',
    readings: ['columnsResponse'],
    check: 'List records with one field, and look at their keys.',
    code: 'records/reading/readRecords.ts',
  },
  symbolicEquality: {
    question: 'Do the symbolic `=` and `!=` ignore upper and lower case, and compare one value of a list?',
    spec: 'Filters, Symbolic form: names only',
    behavior:
      'Batch Update sends them for "Is" and "Is Not". Its records are read by the same conditions and compared: one that "Is Not" would not find is an error.',
    readings: ['symbolicEquality'],
    check: 'Search a text in the other case with `=` and `!=`, and one choice of a Multi-select with two.',
    code: 'records/writing/selectRecords.ts',
  },
  storedText: {
    question: 'Is a text stored as it was sent?',
    spec: 'Field-type value formats: not shown',
    behavior:
      'A key is asked for as it was given and without outer and double blanks and characters without a width, composed (NFC), and compared in the latter form, an e-mail address without case. A record that differs in case alone is an error. One that is stored with further blanks is not found where the service counts them.',
    readings: ['storedText'],
    check: 'Create a record with outer blanks in a text and capitals in an e-mail address, and read it.',
    code: 'records/reading/matchKey.ts',
  },
  choiceValues: {
    question: 'Does a record hold the label or the value of a choice?',
    spec: 'Field (full): `options` [{label, value}]; Record: "depends on field type"',
    behavior: 'Writes values, and accepts both when it reads.',
    unvaried: 'Unit tests of the fields read records with labels and with values.',
    check: 'Read a record with a choice whose label differs from its value.',
    code: 'records/fields/choice.ts',
  },
  unknownConnection: {
    question: 'What happens with the ID of a record that does not exist in a connection?',
    spec: 'Field-type value formats: ids only',
    behavior:
      'Looks IDs up until an answer to a write shows the record. Then compares the answer with the values sent, and reports what was not stored.',
    readings: ['unknownConnection'],
    check: 'Write a connection with an ID that no record has.',
    code: 'records/writing/verifyWrite.ts',
  },
  files: {
    question: 'How does a record show a file, and can it be sent back?',
    spec: 'Field-type value formats: a multipart part; the value in a record is not shown',
    behavior:
      'Takes an address, an object or a list of them. Map Automatically does not send the files of a record that was read.',
    met: {
      strength: 'strong',
      seen: 'A File is one object with `url` and `file_name`; Files are a list with `fileName` and `fileId`; an Image has `src` and cannot be written.',
      open: 'Whether any of them can be sent back.',
      options: ['compositeValues'],
    },
    check: 'Update another field of a record with a file, and read the record.',
    code: 'service/files/downloadUrl.ts',
  },
  brokenFilter: {
    question: 'What does a filter do that "fails silently"?',
    spec: 'Filters: "makes the filter fail silently"',
    behavior: 'Checks every filter first, and sends none that the service would not understand.',
    readings: ['brokenFilter'],
    check: 'Not needed: such a filter is never sent.',
    code: 'records/filter/buildFilter.ts',
  },
  batchGroups: {
    question: 'Must all groups of `conditions` of a batch update hold, or one of them?',
    spec: 'Records: Batch-update request: "array of groups"',
    behavior: 'Sends one group.',
    readings: ['batchGroups'],
    check: 'Not needed: one group is sent.',
    code: 'records/writing/batchUpdate.ts',
  },
  batchCheck: {
    question: 'Do the check and the batch update select the same records?',
    spec: 'Records: two bodies with other keys',
    behavior: 'Reads the records by the same conditions, counts them, and compares the total of the answer.',
    unvaried: 'A test of batch updates answers with another total than that of the check.',
    check: 'Compare the total of the check with a list of the same conditions.',
    code: 'records/writing/batchUpdate.ts',
  },
  missingRecord: {
    question: 'What does the service answer for a record that does not exist?',
    spec: 'Errors: 404 `Record Not Found`, also for "an unencoded id"',
    behavior:
      'A 404, and HTTP 200 with an empty `item`, which clients met, mean that the record is missing. Polling by comparison believes an empty `item` only while the list itself has records.',
    met: {
      strength: 'some',
      seen: 'HTTP 200 with an empty `item`: `[]`, `{}`, `0` or `null`.',
      open: 'What an update or a deletion of such a record answers.',
      options: ['missingRecord'],
    },
    readings: ['missingRecord'],
    check: 'Get a record with an ID that no record has.',
    code: 'service/errors/apiError.ts',
  },
  limitHeaders: {
    question: 'Do the seconds until the reset round up or down, and do refused requests count?',
    spec: 'Limits: headers of every response',
    behavior: 'Learns the rounding from the first reset, and keeps one call back until then.',
    unvaried: 'Unit tests of the limit run against a model of the service that rounds up and down.',
    check: 'Compare the headers of consecutive responses.',
    code: 'service/http/minuteWindow.ts',
  },
  dayLimit: {
    question: 'Which wait does a 429 of the day show in `X-Retry-After`?',
    spec: 'Errors: "the header holds the seconds to wait"; Limits: "until the minute resets"',
    behavior: 'Fails at once, and uses `X-Daily-Retry-After`.',
    readings: ['dayRetryAfter'],
    check: 'Not tried: it would use up the limit of the day.',
    code: 'service/http/response.ts',
  },
  deliveryFields: {
    question: 'Which form does the body of a delivery have, and does it hold all fields of the record?',
    spec: 'Events: "id, field values by slug, created_at"',
    behavior:
      'Takes the documented body and the record alone, as JSON or as a form; its address says table and event. A field that a filter names and the delivery lacks is read from the service.',
    met: {
      strength: 'strong',
      seen: '`id` and values alone, as a form or as JSON, without event, table and timestamp. INSERT and UPDATE hold what was saved, DELETE the whole record. A multiple choice is a text, or a map with number keys.',
      open: 'Which form deliveries of a subscription have: no public client subscribes through the API.',
      options: ['deliveryForm', 'deliveryFields'],
    },
    setting: 'Trigger: Read Full Record',
    readings: ['deliveryFields'],
    check: 'Subscribe, change a record, and look at the delivery.',
    code: 'RecordDatabaseTrigger/handleDelivery.ts',
  },
  deliveryRetries: {
    question: 'Is a delivery signed, repeated, and how long does the service wait for an answer?',
    spec: 'Events: "not shown"',
    behavior:
      'The address holds a token. Repeated deliveries are recognised. An answer is sent within 8 seconds.',
    readings: ['hookQuery'],
    check: 'Answer a delivery with 500, and count the further ones.',
    code: 'RecordDatabaseTrigger/authenticate.ts',
  },
  subscriptionList: {
    question: 'Which key holds the list of subscriptions, and is `data_table_id` required?',
    spec: 'Webhooks: "list of subscriptions"; query `data_table_id`',
    behavior: 'Finds the list under any key, and sends one request for each table.',
    readings: ['webhooksKey', 'webhooksOfAllTables'],
    check: 'List the subscriptions of a table.',
    code: 'RecordDatabase/resources/webhook.ts',
  },
  runResponses: {
    question: 'Does the answer to a start hold the ID of the run, and under which key?',
    spec: 'Imports and exports, Automations: "not shown"',
    behavior:
      'Takes the key that ends in `queue_id`, else `id`. Without either, an error says that the run was started.',
    met: {
      strength: 'inferred',
      seen: 'The start of an import answers `import_queue_id`.',
      open: 'What the start of an export or an automation answers.',
      options: [],
    },
    readings: ['queueIdKey', 'automationWord', 'finishedExecutions'],
    check: 'Start an export, and look at the answer.',
    code: 'service/jobs/runs.ts',
  },
  statusWords: {
    question: 'Which words does a status have?',
    spec: 'States and transitions: one word for each resource',
    behavior:
      'Words of failure are errors. A run with an unknown word is waited for, until the list of ended runs shows it or the wait ends.',
    setting: 'Wait for Completion: Maximum Wait, If Time Runs Out',
    readings: ['statusWords'],
    check: 'Start an export, and read its status until it ends.',
    code: 'service/jobs/runs.ts',
  },
  importRows: {
    question: 'How are the rows of an import counted?',
    spec: 'Import queue entry: counts only',
    behavior:
      'The line of the field names may count as a row. If rows are refused, all items fail, because the counts do not show which rows they are.',
    readings: ['importHeading'],
    check: 'Not tried: an import writes into the table of its template.',
    code: 'RecordDatabaseImportExport/resources/importItems.ts',
  },
  pdfResponse: {
    question: 'What does the creation of a PDF return?',
    spec: 'PDF: "not shown"',
    behavior: 'Takes the file itself, an address or base64.',
    readings: ['pdfResponse'],
    check: 'Create a PDF of one record.',
    code: 'service/files/findPdf.ts',
  },
  envelopes: {
    question: 'Under which key are lists and single things that the documentation does not show?',
    spec: 'Endpoints: "not shown beyond their identifiers"',
    behavior: 'Finds the only list of the answer. Two lists are an error.',
    readings: ['listKey', 'itemKey', 'pagesShape', 'publicPages'],
    check: 'List imports, exports, PDF templates, layouts and pages.',
    code: 'service/responses/schemas.ts',
  },
  autoLogin: {
    question: 'What does auto-login return, and how long is a token valid?',
    spec: 'User authentication: "not shown"',
    behavior: 'Takes the token under `token`. A 401 ends its use.',
    met: {
      strength: 'strong',
      seen: 'Login, status and logout answer `status: "success"` instead of `type`, and the status has no `valid`.',
      open: 'What auto-login returns.',
      options: ['sessionAnswers'],
    },
    setting: 'Credential: User Login',
    unvaried: 'Tests of the session answer with and without a token.',
    check: 'Log in by e-mail with a key that is set up for it.',
    code: 'service/http/userSession.ts',
  },
  logOrder: {
    question: 'In which order are log entries?',
    spec: 'Logs: page numbers only',
    behavior: 'Looks at the dates of a page: newest first stops early, any other order reads all pages.',
    readings: ['logOrder'],
    check: 'Read the first page of a log.',
    code: 'service/logs/readLog.ts',
  },
  templateTable: {
    question: 'Does a template of an import or an export name its table?',
    spec: 'Resources: fields of templates are "not shown beyond their identifiers"',
    behavior: 'Takes the table from the template if it names one under a key that other entries have.',
    setting: 'Import, Export, PDF Page: Table',
    readings: ['templateTable'],
    check: 'Read an export template.',
    code: 'n8n/lists/tablePickers.ts',
  },
  importEffect: {
    question: 'Does an import template replace the records of its table?',
    spec: 'Imports and exports: fields of import templates are "not shown"',
    behavior: 'One upload holds all items, and Execute Once is refused.',
    unvaried: 'The embedded service adds records; one upload and no Execute Once is right for both.',
    check: 'Not tried: an import writes into the table of its template.',
    code: 'RecordDatabaseImportExport/resources/importItems.ts',
  },
  changeResponses: {
    question: 'What do changes return whose answer is not shown?',
    spec: 'Endpoints: "not shown" for formulas, terminations and others',
    behavior: 'Any answer with content is a success; an empty one is "Outcome unknown".',
    readings: ['changeAnswers'],
    check: 'Not tried: it would start or stop something.',
    code: 'service/endpoints/endpoint.ts',
  },
  loginErrors: {
    question: 'What does the service answer to a refused login or key?',
    spec: 'Errors: 401 messages of the key; the body of a refused login is not shown',
    behavior:
      'Tells a refused key from a refused user by the listed messages, and shows the message of the service.',
    unvaried: 'Tests of the session answer with the messages of the documentation and with others.',
    check: 'Log in with a wrong password.',
    code: 'service/errors/serviceErrors.ts',
  },
  choiceParts: {
    question: 'Does "contains" on a multiple choice compare whole values or parts of text?',
    spec: 'Filters: Operators by field kind: names only',
    behavior: 'Refuses a choice whose value is a part of the value of another one.',
    unvaried: 'Nothing is sent or read that depends on it.',
    check: 'Filter a Multi-select with the values "c" and "cpp" by "contains c".',
    code: 'records/fields/choice.ts',
  },
  otherTypes: {
    question: 'Which other types of fields are there, and what is their empty value?',
    spec: 'Field-type value formats: a list of types; formulas are mentioned elsewhere',
    behavior:
      'Knows the types that clients met (evidence 8). Others: text is written, values stay as they are returned, and an object is never sent back. Values that the service maintains are never written.',
    met: {
      strength: 'strong',
      seen: 'Link, Slider, Rating, Auto Increment, Date/Time, Date Range, Select with score, Multi Select, Files, Image, Password, Id, Count, Sum, Basic, Complex, Text and Date Formula, Equation. A connection is called Join in `/fields`.',
      open: 'Which others there are.',
      options: ['types', 'connectionType'],
    },
    unvaried: 'Unit tests of the fields have types that no documentation names.',
    check: 'List the fields of all tables, and collect their types.',
    code: 'records/fields/kinds.ts',
  },
  listingPost: {
    question: 'Does a POST with a filter body always list?',
    spec: 'Records: "with a filter body: list matching records. With a record payload: create a record"',
    behavior:
      'Lists by GET what an address of 2,000 characters can say, and by POST otherwise. An answer that shows a new record is an error that names it; then nothing is listed by POST any more.',
    met: {
      strength: 'inferred',
      seen: 'All clients with filters list by GET.',
      open: 'Whether a POST with a filter body lists or makes an empty record.',
      options: ['listingPost'],
    },
    check: 'Count the records before and after a POST with a filter.',
    code: 'records/reading/readRecords.ts',
  },
  moreOperators: {
    question: 'Which operators are there beside the documented ones?',
    spec: 'Filters: Operators by field kind',
    behavior:
      'Sends the documented operators. `contains_any` in a JSON filter is sent as one `contains` for each value.',
    met: {
      strength: 'some',
      seen: '`contains_any`.',
      open: 'For which kinds it is, and how its values are written.',
      options: ['containsAny'],
    },
    check: 'Filter a choice by `contains_any` with two values.',
    code: 'records/fields/operators.ts',
  },
} satisfies Record<string, Silence>;

/** A point that clients met in one way, so that no code guards against another. `npm run first-contact` looks at it. */
interface Settled {
  question: string;
  behavior: string;
  check: string;
  /** The number of the point in docs/development/evidence.md. */
  evidence: number;
  /** The options of the embedded service in which the documentation, or a reading of it, differs. */
  options: (keyof (typeof PROFILES)['met'])[];
  readings?: ReadingName[];
}

export const SETTLED = {
  calendarFilter: {
    question: 'How is the end of a Calendar filtered?',
    behavior: 'Filters by `<slug>-start` and `<slug>-end`, and a whole Calendar by its slug.',
    check: 'Filter by `<slug>-end`, and compare the records.',
    evidence: 17,
    options: ['calendarFilter'],
  },
  jsonParts: {
    question: 'How does a body of JSON name the parts of a Name, an Address or a Calendar?',
    behavior: 'A payload with such a value goes as a form, which every service stores.',
    check: 'Create a record with a Name as JSON in both notations, and read it.',
    evidence: 14,
    options: ['jsonParts'],
  },
  omittedColumns: {
    question: 'What does an update do with fields that it does not name?',
    behavior:
      'Reads the record and sends the fields that differ. A service that empties the others is not supported: values would be lost.',
    check: 'Update one field of a record with two filled fields, and read the record.',
    evidence: 13,
    options: ['omittedOnUpdate'],
  },
  updateResponse: {
    question: 'What does the service answer to an update?',
    behavior:
      'An answer without `type` or `status` "success" is no success: the record is read. Another record, or only old values, is an error.',
    check: 'Update a record, and look at the keys of the answer.',
    evidence: 1,
    options: ['updateAnswer'],
    readings: ['changeAnswers'],
  },
  createResponse: {
    question: 'Does the answer to a create always hold the record?',
    behavior:
      'An answer without the ID is "Outcome unknown"; with a Dedupe Field the record is looked up. Without the record, the output has the ID and the values that were sent.',
    check: 'Create a record, and look at the keys of the answer.',
    evidence: 1,
    options: ['createAnswer'],
    readings: ['createAnswer'],
  },
  ids: {
    question: 'Which characters does an ID contain?',
    behavior:
      'IDs are encoded in addresses and compared as text. A text of ten letters and digits that is not written as a word or a number is looked up as an ID, any other as a name first.',
    check: 'List tables and records, and collect the characters of their IDs.',
    evidence: 7,
    options: ['ids', 'slugs'],
  },
  totals: {
    question: 'Do lists always show `total_items`?',
    behavior: 'An answer without a total is an error: no list is read that may end too early.',
    check: 'List a page of records with and without a filter.',
    evidence: 3,
    options: ['listLimit'],
  },
  pageNumbers: {
    question: 'What does a page behind the end of a list hold?',
    behavior: 'Reads as many pages as the total says.',
    check: 'Read the page after the last one.',
    evidence: 3,
    options: ['maxPageSize'],
  },
  composites: {
    question: 'How does a record show Name, Address and Calendar?',
    behavior:
      'Reads one object. What the service adds to it is shown, and never written. A Name, an Address, a Calendar or a Link is sent in a form, with the names of the specification, and `<slug>[start]` for ranges with times.',
    check: 'Read a record with such a field.',
    evidence: 9,
    options: ['compositeValues', 'jsonParts'],
  },
  calendarTimes: {
    question: 'Does a Calendar keep the times of its start and end?',
    behavior:
      'A Date Range, and a Calendar whose record shows times, are sent as `<slug>[start]` with a time. Other Calendars are sent as days.',
    check: 'Update a Calendar by a form with `<slug>[start]` and a time, and read the record.',
    evidence: 9,
    options: ['compositeValues'],
  },
  emptyNumber: {
    question: 'Is an empty number `0` or `null`?',
    behavior:
      'Clears a number with an empty value, and takes both for empty only where the service wrote them.',
    check: 'Create a record without the number, and read it.',
    evidence: 11,
    options: ['blankNumber', 'emptyChoices'],
    readings: ['omittedNumber'],
  },
  apiDeliveries: {
    question: 'Do changes through the API cause deliveries?',
    behavior: 'Expects them. Watched Fields and "nothing differs" end loops.',
    check: 'Subscribe, and change a record through the API.',
    evidence: 19,
    options: ['deliveryFields'],
  },
  displayValues: {
    question: 'Does the answer to a read of one record show the texts of its connections?',
    behavior:
      'Texts that no answer has shown are read: the connected records, or the pages of their table, whichever is fewer.',
    check: 'Get a record with a connection, and compare its keys with those of its row in a list.',
    evidence: 2,
    options: ['getDisplayValues', 'systemKeys'],
  },
} satisfies Record<string, Settled>;

/** Every point that `npm run first-contact` reports. */
export const POINTS = { ...SILENCES, ...SETTLED };

export type PointName = keyof typeof POINTS;

export const SILENCES_PAGE = 'docs/development/silences.md';

const formatEvidence = ({ strength, seen, open }: Evidence): string[] => [
  `- Public clients met (${STRENGTHS[strength]}): ${seen}`,
  ...(open ? [`- Still open: ${open}`] : []),
];

const formatEntry = ([name, { question, spec, behavior, met, setting, check }]: [string, Silence]): string =>
  [
    `## ${question}`,
    '',
    `- Documentation: ${spec}`,
    ...(met ? formatEvidence(met) : []),
    `- The nodes: ${behavior}`,
    ...(setting ? [`- Setting: ${setting}`] : []),
    `- How to find out: ${check}`,
    `- Name: \`${name}\``,
  ].join('\n');

/** The page of the documentation, as `npm run docs` writes it. */
export const formatSilencesPage = (): string =>
  [
    '# What the documentation of the service leaves open, and what clients met',
    'Generated by `npm run docs` from `test/silences.ts`.',
    'This page lists each point that the documentation of the service leaves open, or that public clients met otherwise: what they\nmet and how strong that is, what the nodes do, the setting that changes it, and how to find out. What clients met is no\npromise of the service. Comments in the code give the name of a point.',
    ...Object.entries(SILENCES).map(formatEntry),
  ].join('\n\n') + '\n';
