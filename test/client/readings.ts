/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readFileSync } from 'node:fs';
import type { Report } from '../../scripts/firstContact/run';
import { createSeed, scaleRuns, scaleSize } from '../randomness';
import { defaultOptions, type ServiceOptions } from '../service/options';
import { chosenProfile, PROFILES } from '../service/profiles';
import { listReadings, type ReadingName, READINGS } from '../service/readings';
import { Random } from '../service/state/random';

/** What a service does: options of the embedded service, and the settings of a credential that fit it. */
interface Behavior {
  options: Partial<ServiceOptions>;
  settings: object;
}

/**
 * Reads a report of `npm run first-contact -- --json FILE`. `scripts/test.mjs` has checked its form.
 * @throws Error for a reading that the embedded service does not have
 */
export function readReport(file: string): Behavior {
  const { silences, settings } = JSON.parse(readFileSync(file, 'utf8')) as {
    silences: Report['findings'];
    settings: object;
  };
  const options = Object.assign({}, ...silences.map(({ readings }) => readings)) as Behavior['options'];
  for (const [name, value] of Object.entries(options)) {
    const values: readonly unknown[] = READINGS[name as ReadingName]?.values ?? listMetValues(name);
    if (values.some((one) => typeof one === typeof value)) continue;
    throw new Error(`${file}: the embedded service has no reading ${JSON.stringify({ [name]: value })}`);
  }
  return { options, settings };
}

/** The values of an option that the profile `met` sets: that of the documentation, and that of the profile. */
const listMetValues = (name: string): unknown[] =>
  name in PROFILES.met
    ? [defaultOptions, PROFILES.met].map((options) => (options as Record<string, unknown>)[name])
    : [];

const { READING_REPORT, READINGS: MODE } = process.env;

/** The service of a report, for which all tests of the client run: `npm test -- --reading FILE`. */
export const reported: Behavior = READING_REPORT ? readReport(READING_REPORT) : { options: {}, settings: {} };

/** Settings of a credential that fit a service. */
export const chooseSettings = ({ timeZone }: Partial<ServiceOptions>): object => ({
  ...reported.settings,
  ...(timeZone !== undefined && { serviceTimeZone: timeZone }),
});

type Case = [title: string, options: Partial<ServiceOptions>];

/** Draws readings of two points each. Nightly runs find by it what no reading alone shows. */
function drawPairs(count: number): Case[] {
  const random = new Random(createSeed());
  const names = Object.keys(READINGS) as ReadingName[];
  const draw = (name: ReadingName) => random.pick(listReadings(name).slice(1));
  return Array.from({ length: count }, (): Case => {
    const first = random.pick(names);
    const second = random.pick(names.filter((name) => name !== first));
    const drawn = [draw(first), draw(second)];
    const title = drawn.map(([one]) => one).join(', ');
    return [title, Object.assign({}, ...drawn.map(([, options]) => options)) as Partial<ServiceOptions>];
  });
}

/** Readings that take the same path through the client as another one: the nightly run has them too. */
const ALIKE: { [Name in ReadingName]?: readonly unknown[] } = {
  timeZone: ['Europe/Berlin', 'America/New_York'],
  changeAnswers: ['noContent', 'cut', 'doubled'],
  readAnswers: ['noContent', 'cut', 'doubled'],
};
const isAlike = ([, options]: Case): boolean =>
  Object.entries(options).some(([name, value]) => ALIKE[name as ReadingName]?.includes(value));

/**
 * Cases for `describe.each`: the service of the report; the profile of this run; with `READINGS=pairs` random pairs of readings, 200 with
 * `RUNS_SHARE=1`; otherwise each reading of the named points alone.
 */
export function listCases(...names: ReadingName[]): Case[] {
  if (READING_REPORT) return [['the service of the report', {}]];
  if (chosenProfile !== 'documented') return [[`the profile ${chosenProfile}`, {}]];
  if (MODE === 'pairs') return drawPairs(scaleRuns(200));
  const cases = listReadings(...names);
  return scaleSize(
    cases.filter((one) => !isAlike(one)),
    cases,
  );
}

/** The value of a reading in a case. */
export const getReading = <Name extends ReadingName>(
  options: Partial<ServiceOptions>,
  name: Name,
): ServiceOptions[Name] =>
  ({ ...defaultOptions, ...PROFILES[chosenProfile], ...reported.options, ...options })[
    name
  ] as ServiceOptions[Name];
