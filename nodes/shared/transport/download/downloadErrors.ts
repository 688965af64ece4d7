import { ApiError } from '../errors/apiError';

export const DEFAULT_MAX_MEGABYTES = 100;
export const MEGABYTE = 1024 * 1024;

export const createSizeError = (maxBytes: number): ApiError =>
  new ApiError({
    message: `The file is larger than ${Math.floor(maxBytes / MEGABYTE)} MB, so it was not downloaded`,
    description: 'The file itself is complete: download it in the service.',
    code: 'fileTooLarge',
  });

export const createStatusError = (status: number): ApiError =>
  new ApiError({
    message: `The file could not be fetched (${status})`,
    description:
      status >= 500
        ? 'The server that holds the file failed. Try again later.'
        : 'Its address may have expired. Fetch the file in the service, or generate it again.',
    status,
  });

export const createPageError = ({ host }: URL): ApiError =>
  new ApiError({
    message: `${host} answered with a web page instead of the file`,
    description:
      'The address may have expired or need a login. Fetch the file in the service, or generate it again.',
  });

export const createEmptyFileError = (): ApiError =>
  new ApiError({
    message: 'The file is empty: 0 bytes arrived',
    description: 'Fetch the file in the service, or generate it again.',
  });

/** Converts an error while opening or reading a download to a message for the user. */
export function toDownloadError(error: unknown, tooLarge: boolean, maxBytes: number): ApiError {
  if (error instanceof ApiError) return error;
  if (tooLarge) return createSizeError(maxBytes);
  const { code, message } = error as { code?: string; message?: string };
  return new ApiError({
    message: 'The download broke off',
    description: `${message ?? 'No answer'}${code ? ` (${code})` : ''}. Try again later.`,
  });
}
