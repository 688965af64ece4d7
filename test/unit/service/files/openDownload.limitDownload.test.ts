/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { systemClock } from '../../../../nodes/n8n/http/port';
import { closeStalledDownload, limitFileSize } from '../../../../nodes/service/files/openDownload';

describe('a stream that is watched', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    // The process has run for some time.
    jest.advanceTimersByTime(1_000_000);
  });
  afterEach(() => jest.useRealTimers());

  /** Watches a stream that is controlled by hand. Closing it records the time and the message. */
  function watch(timeout: number) {
    const startedAt = performance.now();
    const closed: Array<[time: number, message?: string]> = [];
    const stream = Object.assign(new EventEmitter(), {
      readableLength: 0,
      destroyed: false,
      readableEnded: false,
      pause: () => undefined,
      resume: () => undefined,
      destroy: () => undefined,
    });
    const close = (error?: Error) => {
      closed.push([performance.now() - startedAt, error?.message]);
      stream.destroyed = true;
    };
    const onEnd = jest.fn();
    void closeStalledDownload({ status: 200, headers: {}, stream, close }, timeout, systemClock).then(onEnd);
    return { stream, closed, onEnd };
  }
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  test.each([
    [5_000, 'Nothing came for 5 s'],
    // A stream is checked every second, and earlier for a shorter timeout.
    [200, 'Nothing came for 1 s'],
  ])('is closed when nothing came for exactly %i ms', async (timeout, message) => {
    const { closed } = watch(timeout);
    await pass(60_000);
    expect(closed).toEqual([[timeout, message]]);
  });

  test('stays open while bytes come', async () => {
    const { stream, closed } = watch(5_000);
    for (let count = 0; count < 4; count++) {
      await pass(4_000);
      stream.emit('data', Buffer.from('a'));
    }
    expect(closed).toEqual([]);
    await pass(60_000);
    expect(closed).toEqual([[21_000, 'Nothing came for 5 s']]);
  });

  test('stays open while its reader is slow', async () => {
    const { stream, closed } = watch(5_000);
    stream.readableLength = 3;
    await pass(20_000);
    expect(closed).toEqual([]);
    stream.readableLength = 0;
    await pass(60_000);
    expect(closed).toEqual([[25_000, 'Nothing came for 5 s']]);
  });

  test.each(['destroyed', 'readableEnded'] as const)('is no longer watched once it is %s', async (state) => {
    const { stream, closed, onEnd } = watch(5_000);
    stream[state] = true;
    await pass(1_000);
    expect(onEnd).toHaveBeenCalled();
    await pass(60_000);
    expect(closed).toEqual([]);
  });
});

describe('a stream with a limit', () => {
  const open = (maxBytes: number) => {
    const stream = new Readable({ read: () => undefined });
    const close = jest.fn<void, [Error?]>();
    return {
      stream,
      close,
      file: limitFileSize({ stream, close, fileName: 'a.csv', mimeType: 'text/csv', maxBytes }, maxBytes),
    };
  };

  test('counts its bytes and is closed at the first byte above the limit', () => {
    const { stream, close, file } = open(5);
    stream.emit('data', Buffer.from('abc'));
    expect(file).toMatchObject({ fileName: 'a.csv', mimeType: 'text/csv', byteCount: 3 });
    stream.emit('data', Buffer.from('de'));
    expect(file).toMatchObject({ byteCount: 5 });
    expect(close).not.toHaveBeenCalled();
    stream.emit('data', Buffer.from('f'));
    expect(file).toMatchObject({ byteCount: 6 });
    expect(close.mock.calls).toEqual([[new Error('too large')]]);
  });

  test('starts with its first reader, not with another listener', () => {
    const { stream } = open(5);
    stream.on('end', () => undefined);
    expect(stream.isPaused()).toBe(true);
    stream.on('data', () => undefined);
    expect(stream.isPaused()).toBe(false);
  });
});
