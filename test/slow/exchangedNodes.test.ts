import { testExchanges } from '../engine/support/exchangedNodes';

/** Every way for each node: a minute. */
testExchanges((all) => all);
