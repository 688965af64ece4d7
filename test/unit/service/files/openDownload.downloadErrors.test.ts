import { NetworkError } from '../../../../nodes/service';
import {
  createEmptyFileError,
  createSizeError,
  MEGABYTE,
  toDownloadError,
  createPageError,
  createStatusError,
} from '../../../../nodes/service/files/openDownload';

const EXPIRED = 'Its address may have expired. Fetch the file in the service, or generate it again.';
const SERVER_FAILED = 'The server that holds the file failed. Try again later.';

test.each([
  [100 * MEGABYTE, '100 MB'],
  [MEGABYTE, '1 MB'],
  // A form takes parts of a megabyte, down to 0.001. The limit is never named as more than it is.
  [0.5 * MEGABYTE, '0.5 MB'],
  [0.001 * MEGABYTE, '0.001 MB'],
  [2 * MEGABYTE - 1, '1.999 MB'],
])('a file above the limit of %i bytes is larger than %s', (maxBytes, limit) => {
  expect(createSizeError(maxBytes)).toMatchObject({
    message: `The file is larger than ${limit}, so it was not downloaded`,
    description: 'The file itself is complete: download it in the service.',
    code: 'fileTooLarge',
  });
});

test.each([
  [204, EXPIRED],
  [404, EXPIRED],
  [499, EXPIRED],
  [500, SERVER_FAILED],
  [503, SERVER_FAILED],
])('the remedy of status %i is: %s', (code, description) => {
  expect(createStatusError(code)).toMatchObject({
    message: `The file could not be fetched (${code})`,
    description,
    status: code,
  });
});

test('a web page and an empty file are explained', () => {
  expect(createPageError(new URL('https://files.example.com:8443/a?b'))).toMatchObject({
    message: 'files.example.com:8443 answered with a web page instead of the file',
    description:
      'The address may have expired or need a login. Fetch the file in the service, or generate it again.',
  });
  expect(createEmptyFileError()).toMatchObject({
    message: 'The file is empty: 0 bytes arrived',
    description: 'Fetch the file in the service, or generate it again.',
  });
});

describe('an error while reading', () => {
  test.each([
    [new NetworkError('ECONNRESET', 'socket hang up'), 'socket hang up (ECONNRESET). Try again later.'],
    [new Error('aborted'), 'aborted. Try again later.'],
    [{ code: 'EPIPE' }, 'No answer (EPIPE). Try again later.'],
    [{}, 'No answer. Try again later.'],
  ])('of the network broke off the download: %s', (error, description) =>
    expect(toDownloadError(error, false, MEGABYTE)).toMatchObject({
      message: 'The download broke off',
      description,
    }),
  );

  test('after the limit was exceeded is the error of the size', () =>
    // The stream ends with an error of its own, because it was closed.
    expect(toDownloadError(new Error('too large'), true, 3 * MEGABYTE)).toEqual(
      createSizeError(3 * MEGABYTE),
    ));

  test('that already has an explanation keeps it', () => {
    const error = createStatusError(404);
    expect(toDownloadError(error, true, MEGABYTE)).toBe(error);
  });
});
