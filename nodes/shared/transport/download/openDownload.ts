import type { ApiError } from '../errors/apiError';
import type { ApiContext } from '../http/sendRequest';
import {
  createEmptyFileError,
  createPageError,
  createSizeError,
  createStatusError,
  toDownloadError,
} from './downloadErrors';
import { createDownloadUrlError, type FileOrigin, parseDownloadUrl, parseRedirectUrl } from './downloadUrl';
import { FetchError, fetchFile, type FileResponse } from './fetchFile';
import { parseFileName } from './fileName';
import { closeWhenStalled, type Download, limitSize } from './limitDownload';

export interface DownloadOptions {
  /** Hosts of a private network that files may be fetched from. */
  origin: FileOrigin;
  maxBytes: number;
  timeout: number;
  signal?: AbortSignal;
}

const MAX_REDIRECTS = 3;

/** Whether a response is a login or error page instead of the file. A real HTML file has the extension .html. */
const isUnexpectedPage = (mimeType: string, fileName: string): boolean =>
  /^(text\/html|application\/xhtml\+xml)$/i.test(mimeType) && !/\.x?html?$/i.test(fileName);

const parseMimeType = (contentType = ''): string =>
  contentType.split(';')[0]?.trim() || 'application/octet-stream';

/** Returns why a response is not the wanted file; undefined for a file. */
function findProblem({ status, headers }: FileResponse, url: URL, maxBytes: number): ApiError | undefined {
  if (status !== 200) return createStatusError(status);
  if (Number(headers['content-length']) > maxBytes) return createSizeError(maxBytes);
  const fileName = parseFileName(headers['content-disposition'] ?? '', url.pathname);
  if (isUnexpectedPage(parseMimeType(headers['content-type']), fileName)) return createPageError(url);
  return headers['content-length'] === '0' ? createEmptyFileError() : undefined;
}

/** Returns the download of a response. @throws ApiError if the response is not the wanted file; it is then closed */
function acceptFile(
  response: FileResponse,
  url: URL,
  { maxBytes, timeout }: Pick<DownloadOptions, 'maxBytes' | 'timeout'>,
): Download {
  const problem = findProblem(response, url, maxBytes);
  if (problem) {
    response.close();
    throw problem;
  }
  const { headers, stream, close } = response;
  void closeWhenStalled(response, timeout);
  const fileName = parseFileName(headers['content-disposition'] ?? '', url.pathname);
  return limitSize({ stream, close, fileName, mimeType: parseMimeType(headers['content-type']) }, maxBytes);
}

/**
 * Opens the file at `address`, which comes from a response of the service. No credential is sent, because the
 * host may be another one. Each redirect target is checked like the first address.
 * @throws ApiError if the file cannot be opened
 */
export async function openDownload(
  context: ApiContext,
  address: unknown,
  { origin, maxBytes, timeout, signal }: DownloadOptions,
): Promise<Download> {
  let url = parseDownloadUrl(address, origin);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await fetchFile(context, url.href, timeout, signal);
    if (response instanceof FetchError) throw toDownloadError(response, false, maxBytes);
    const { status, headers } = response;
    if (status < 300 || status >= 400) return acceptFile(response, url, { maxBytes, timeout });
    response.close();
    url = parseRedirectUrl(headers.location, url, origin);
  }
  throw createDownloadUrlError('it redirects too often');
}
