/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import type { ServiceOptions } from './options';

/**
 * Services as a whole, by `ServiceOptions.profile`. `documented` is what the specification states. `met` is what public
 * clients of services with this interface met and recorded, where it differs or the specification is silent;
 * `README.md` says for each option how strong the evidence is.
 */
export const PROFILES = {
  documented: {},
  met: {
    createAnswer: 'recordId',
    updateAnswer: 'bare',
    getDisplayValues: 'hidden',
    systemKeys: 'met',
    listLimit: 'hidden',
    errorStatus: 'http',
    missingRecord: 'emptyList',
    sessionAnswers: 'status',
    deliveryForm: 'flatForm',
    deliveryFields: 'saved',
    ids: 'met',
    slugs: 'named',
    listingPost: 'lists',
    maxPageSize: 200,
    omittedOnUpdate: 'keep',
    jsonParts: 'nested',
    emptyChoices: 'met',
    blankNumber: '',
    compositeValues: 'met',
    connectionType: 'Join',
    types: 'met',
    calendarFilter: 'ends',
    containsAny: 'known',
    timeZone: 'America/New_York',
  },
} as const satisfies Record<string, Partial<Omit<ServiceOptions, 'profile'>>>;

export type ProfileName = 'documented' | 'met';

export const PROFILE_NAMES = Object.keys(PROFILES) as ProfileName[];

/** The profile of a service that is given none: that of the Jest project (`test/jest.config.js`), else `documented`. */
export const chosenProfile =
  (globalThis as { serviceProfile?: ProfileName }).serviceProfile ?? ('documented' satisfies ProfileName);

/** The profile of an argument of a command. @throws Error for any other text */
export function parseProfile(text: string): ProfileName {
  const found = PROFILE_NAMES.find((name) => name === text);
  if (!found)
    throw new Error(`--profile is "${text}"; the service has the profiles ${PROFILE_NAMES.join(', ')}`);
  return found;
}
