/** Copies what the compiler does not: icons, codex files for n8n's palette, and the schemas of outputs. */
const { dest, src } = require('gulp');

// Binary-safe: gulp 5 would decode images as text otherwise.
const copy = (patterns, options) => src(patterns, { encoding: false, ...options }).pipe(dest('dist'));

exports.default = () =>
  copy(['icons/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], { base: '.' });
