import { scaleRuns } from '../randomness';
import { testExchanges } from './support/exchangedNodes';

/** At least three ways for each node. `test/slow/exchangedNodes.test.ts` takes all. */
testExchanges((all) => Math.max(3, scaleRuns(all)));
