/**
 * Releases the version of `package.json`. Each step also runs by hand:
 *
 *   npm run release -- --dry-run          builds, checks, scans and lists what would be published
 *   npm run release -- --check            refuses a dirty work tree, a stale build, a wrong tag or changelog
 *   npm run release -- --pack <folder>    checks, then writes package.tgz and the release notes, notes.md, into the folder
 *   npm run release -- --start <tarball>  starts n8n with the tarball
 *   npm run release -- --scan-published   runs n8n's scan on the published version
 *   npm run release -- --compare-published <tarball>  refuses a published version that is not this tarball
 *
 * `.github/workflows/release.yml` publishes what `--pack` wrote. `npm publish` by hand runs `--check` (`prepublishOnly`).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isBuildCurrent } from './buildStamp.mjs';

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The changelog's text under `## [version]`, or undefined when it has no such heading. */
function findNotes(changelog, version) {
  const entry = changelog.split(/^## /m).find((section) => section.startsWith(`[${version}]`));
  // The links of the headings follow the last entry.
  return entry
    ?.slice(entry.indexOf('\n'))
    .replace(/^\[[^\]]+\]: .*$/gm, '')
    .trim();
}

/** Returns the reasons that prevent a release; empty if there are none. */
function findProblems({ version, tag, changes, isCurrent, changelog }) {
  const problems = [];
  if (changes) problems.push(`The work tree has changes that are not committed:\n${changes}`);
  if (!isCurrent) problems.push('dist was not built from the current sources. Run npm run build.');
  if (tag && tag !== `v${version}`)
    problems.push(`The tag ${tag} and the version ${version} differ. Tag v${version}.`);
  if (!findNotes(changelog, version)) problems.push(`CHANGELOG.md has no entry for ${version}.`);
  return problems;
}

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();

const readState = () => ({
  version,
  tag:
    process.env.GITHUB_REF_TYPE === 'tag' ? process.env.GITHUB_REF_NAME : git('tag', '--points-at', 'HEAD'),
  changes: git('status', '--porcelain'),
  isCurrent: isBuildCurrent(),
  changelog: readFileSync('CHANGELOG.md', 'utf8'),
});

function run(command, ...args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function check() {
  const problems = findProblems(readState());
  if (problems.length === 0) return;
  console.error(`Not ready for release:\n\n${problems.join('\n\n')}`);
  process.exit(1);
}

function dryRun() {
  run('npm', 'run', '--silent', 'build');
  run('npm', 'run', '--silent', 'scan');
  run('npm', 'pack', '--dry-run');
  const state = readState();
  console.log(`\n${name} ${version}, release notes:\n\n${findNotes(state.changelog, version) ?? '(none)'}`);
  const problems = findProblems(state);
  console.log(
    problems.length ? `\nA release would be refused:\n\n${problems.join('\n\n')}` : '\nReady for release.',
  );
}

function pack(folder) {
  check();
  mkdirSync(folder, { recursive: true });
  run('npm', 'pack', '--silent', '--pack-destination', folder);
  renameSync(join(folder, `${name}-${version}.tgz`), join(folder, 'package.tgz'));
  writeFileSync(join(folder, 'notes.md'), `${findNotes(readState().changelog, version)}\n`);
}

const start = (tarball) => run('npx', '--no-install', 'tsx', 'test/e2e/startTarball.ts', tarball);

/** Refuses a version in the registry whose bytes are not those of the tarball. */
function comparePublished(tarball) {
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  const published = execFileSync('npm', ['view', `${name}@${version}`, 'dist.integrity'], {
    encoding: 'utf8',
  }).trim();
  if (published === integrity) return console.log(`${name} ${version} is ${tarball}`);
  console.error(
    `The registry has ${name} ${version} with the hash ${published}, and ${tarball} has ${integrity}`,
  );
  process.exit(1);
}

/** The registry shows a new version after some seconds, so a scan that fails is repeated for two minutes. */
async function scanPublished() {
  // Loaded here, since only this step needs it.
  const { analyzePackageByName } = await import('@n8n/scan-community-package/scanner/scanner.mjs');
  for (let attempt = 1; ; attempt++) {
    const result = await analyzePackageByName(name, version).catch(({ message }) => ({ message }));
    if (result.passed) return console.log(`${name} ${version} passes n8n's scan`);
    if (attempt === 8) {
      console.error(
        `${name} ${version} does not pass n8n's scan: ${result.message}\n${result.details ?? ''}`,
      );
      process.exit(1);
    }
    await wait(15_000);
  }
}

const STEPS = {
  '--dry-run': dryRun,
  '--check': check,
  '--pack': pack,
  '--start': start,
  '--scan-published': scanPublished,
  '--compare-published': comparePublished,
};

const [wanted = '', path] = process.argv.slice(2);
const step = STEPS[wanted];
if (step && (path !== undefined || step.length === 0)) await step(path);
else {
  console.error(step ? `${wanted} needs a path after it` : `Name one step: ${Object.keys(STEPS).join(', ')}`);
  process.exit(1);
}
