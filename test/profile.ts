import type { ProfileName } from './service/profiles';

/**
 * The profile of the embedded service for which this run tests (`test/service/README.md`): that of the Jest project
 * (`test/jest.config.js`).
 */
export const chosenProfile = (globalThis as { serviceProfile?: ProfileName }).serviceProfile ?? 'documented';
