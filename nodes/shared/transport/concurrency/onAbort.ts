/** The callbacks of each signal. A signal has one listener, because Node warns of a leak from the eleventh one on. */
const callbacksBySignal = new WeakMap<AbortSignal, Set<() => void>>();

function addListener(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  callbacksBySignal.set(signal, callbacks);
  signal.addEventListener('abort', () => callbacks.forEach((callback) => callback()), { once: true });
  return callbacks;
}

/**
 * Calls `callback` when `signal` is aborted. The calls of an execution share its signal, and many can wait at once.
 * @returns a function that removes the callback
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined;
  const callbacks = callbacksBySignal.get(signal) ?? addListener(signal);
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}
