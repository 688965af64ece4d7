/** Values that all test files of a process share, by name. Jest loads other modules anew for each test file. */
module.exports = new Map();
