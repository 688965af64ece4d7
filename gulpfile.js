/** Copies what the compiler does not: icons, and the codex files that place the nodes in n8n's palette. */
const { dest, src } = require('gulp');

// Binary-safe: gulp 5 would decode images as text otherwise.
const copy = (patterns, options) => src(patterns, { encoding: false, ...options }).pipe(dest('dist'));

exports.default = () => copy(['icons/*.svg', 'nodes/**/*.node.json'], { base: '.' });
