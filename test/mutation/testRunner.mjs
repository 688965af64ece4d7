/** Stryker's connection to `testFiles.mjs`: runs the tests that reach a change until one of them fails. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { CheckStatus } from '@stryker-mutator/api/check';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  DryRunStatus,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import micromatch from 'micromatch';

/** A change in code that every operation uses is reached by all engine tests, which take minutes. */
const MAX_ENGINE_TESTS = 100;

/** Milliseconds. A test that fails before anything is changed ends the whole run. */
const DRY_RUN_TIMEOUT = 300_000;

/** The instrumented code writes its coverage to this global, and reads from it which change is active. */
const context = (globalThis.__stryker__ = {});

class TestFileRunner {
  async init() {
    // It reads the working directory when it is loaded, which is Stryker's copy of the project by now.
    this.testFiles = await import('./testFiles.mjs');
    this.paths = readdirSync('test', { recursive: true })
      .map((path) => `test/${path}`)
      .filter((path) => micromatch.isMatch(path, process.env.TESTS));
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun() {
    context.mutantCoverage = { static: {}, perTest: {} };
    const tests = [];
    for (const path of this.paths) {
      const onTest = (name) => (context.currentTestId = name && `${path} ${name}`);
      const results = await this.testFiles.runTestFile(join(process.cwd(), path), {
        onTest,
        timeout: DRY_RUN_TIMEOUT,
      });
      tests.push(...toStrykerResults(path, results));
    }
    return { status: DryRunStatus.Complete, tests, mutantCoverage: context.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, disableBail, hitLimit, sandboxFileName }) {
    Object.assign(context, {
      activeMutant: activeMutant.id,
      hitCount: hitLimit ? 0 : undefined,
      hitLimit,
    });
    const wanted = testFilter && new Set(limitEngineTests(testFilter));
    const tests = [];
    try {
      for (const path of this.orderPaths(sandboxFileName)) {
        const isWanted = (name) => !wanted || wanted.has(`${path} ${name}`);
        if (wanted && ![...wanted].some((id) => id.startsWith(`${path} `))) continue;
        const options = { isWanted, isBailing: !disableBail };
        const results = await this.testFiles.runTestFile(join(process.cwd(), path), options);
        tests.push(...toStrykerResults(path, results));
        if (!disableBail && results.some(({ error }) => error)) break;
      }
    } catch (error) {
      return toMutantRunResult({ status: DryRunStatus.Error, errorMessage: String(error) });
    } finally {
      context.activeMutant = undefined;
    }
    const result = { status: DryRunStatus.Complete, tests };
    return toMutantRunResult(determineHitLimitReached(context.hitCount, hitLimit) ?? result, disableBail);
  }

  /**
   * First the tests named after the changed file, then the fast ones, last those on n8n's engine: the first test that
   * fails ends the run.
   */
  orderPaths(changed) {
    const name = basename(changed, '.ts');
    const rank = (path) => {
      if (basename(path).startsWith(`${name}.`)) return 0;
      return isEngineTest(path) ? 3 : path.includes('.property.') ? 2 : 1;
    };
    return [...this.paths].sort((a, b) => rank(a) - rank(b));
  }
}

const isEngineTest = (id) => id.startsWith('test/engine/');

/** Keeps all unit tests, and engine tests spread evenly over those that reach the change. */
function limitEngineTests(ids) {
  const engineTests = ids.filter(isEngineTest);
  const step = Math.ceil(engineTests.length / MAX_ENGINE_TESTS);
  return [...ids.filter((id) => !isEngineTest(id)), ...engineTests.filter((_, index) => index % step === 0)];
}

function toStrykerResults(path, results) {
  return results.map(({ name, error, duration }) => ({
    id: `${path} ${name}`,
    name,
    fileName: join(process.cwd(), path),
    timeSpentMs: duration,
    ...(error ? { status: TestStatus.Failed, failureMessage: error } : { status: TestStatus.Success }),
  }));
}

/** A number that is the same for the same change and seed, and otherwise random. */
function computeRank({ fileName, location, replacement }) {
  const { line, column } = location.start;
  const path = relative(process.cwd(), fileName);
  const text = JSON.stringify([process.env.SAMPLE_SEED, path, line, column, location.end, replacement]);
  return createHash('sha256').update(text).digest('hex');
}

/** Draws the changes of `--sample`. Stryker asks for all changes at once, and does not try those that do not "compile". */
class Sample {
  async init() {}

  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants) {
    const ordered = mutants.map((mutant) => ({ id: mutant.id, rank: computeRank(mutant) }));
    ordered.sort((a, b) => (a.rank < b.rank ? -1 : 1));
    const leftOut = { status: CheckStatus.CompileError, reason: 'not drawn' };
    return Object.fromEntries(
      ordered.map(({ id }, index) => [
        id,
        index < Number(process.env.SAMPLE) ? { status: CheckStatus.Passed } : leftOut,
      ]),
    );
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, 'testFiles', TestFileRunner),
  declareClassPlugin(PluginKind.Checker, 'sample', Sample),
];
