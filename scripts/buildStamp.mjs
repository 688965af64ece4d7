/** Records which sources `dist` was built from, so that tests and releases detect a stale build. */
import { existsSync } from 'node:fs';
import { createStamp } from './stamp.mjs';

const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', 'gulpfile.js', 'scripts/build.mjs'];
const stamp = createStamp('built-from', ['nodes', 'credentials', 'icons', ...SETTINGS]);

/** Whether `dist` exists and was built from the current sources. */
export const isBuildCurrent = () => existsSync('dist/nodes') && stamp.isCurrent();

export const recordBuild = stamp.record;
