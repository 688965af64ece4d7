import { endAll, type Ends, RELEASE, startN8n } from './installation';
import { RELEASES } from './n8n';

const PORT = RELEASE === RELEASES.v1 ? 19_200 : 19_100;

const ends: Ends = [];

export const stopSharedN8n = (): Promise<void> => endAll(ends);

/** Starts one n8n for all test files of the run, because a start takes up to half a minute. */
export default async function startSharedN8n(): Promise<void> {
  // Jest does not call the teardown after a setup that failed.
  await startN8n(PORT, ends).catch(async (error: unknown) => {
    await stopSharedN8n();
    return Promise.reject(error as Error);
  });
}
