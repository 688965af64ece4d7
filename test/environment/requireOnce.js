/** A Jest transform: a process loads the module once, with Node's `require`, instead of once a test file. */
module.exports = {
  process: (_source, path) => ({ code: `module.exports = requireOnce(${JSON.stringify(path)});` }),
};
