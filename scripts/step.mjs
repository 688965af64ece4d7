/**
 * `node scripts/step.mjs TITLE COMMAND …`: runs a command that takes long, and says so: when it begins, every 15 seconds, and
 * when it has ended, with the elapsed time. Ends with the status of the command.
 */
import { spawn } from 'node:child_process';

const INTERVAL_MS = 15_000;

const [title, command, ...args] = process.argv.slice(2);
const started = performance.now();
const say = (mark, state = '') =>
  console.log(`${mark} ${title}${state} (${Math.round((performance.now() - started) / 1000)} s)`);

console.log(`… ${title}`);
const timer = setInterval(() => say('…', ', still running'), INTERVAL_MS);
const child = spawn(command, args, { stdio: 'inherit' });
const end = (code) => {
  clearInterval(timer);
  say(code === 0 ? '✓' : '✗');
  process.exitCode = code;
};
child.on('error', ({ message }) => {
  console.error(message);
  end(1);
});
child.on('exit', (code) => end(code ?? 1));
