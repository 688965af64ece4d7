import { InputError } from '../../model/input/inputError';
import { ApiError } from '../../transport/errors/apiError';
import type { ListWindow } from '../operation/returnAll';

/** Number of entries on a page of a log (spec: Limits). A request cannot change it. */
const LOG_PAGE_SIZE = 50;

/** Pages of the service, from 1 on. */
export interface LogPages {
  first: number;
  /** Infinity for all pages up to the end. */
  last: number;
}

/**
 * Finds the service's pages that contain the entries of a window (Limit and Start Page). Without Start Page, reading
 * starts at the first page and ends at the limit.
 * @throws InputError when the first entry of the window is not the first entry of a page
 */
export function findLogPages({ limit, startPage }: ListWindow): LogPages {
  if (startPage === undefined) return { first: 1, last: Infinity };
  if (startPage > 1 && limit % LOG_PAGE_SIZE !== 0) {
    throw new InputError(
      `Limit cannot be ${limit} with Start Page`,
      `Choose a multiple of ${LOG_PAGE_SIZE}: the service returns ${LOG_PAGE_SIZE} entries a page.`,
    );
  }
  const count = Math.ceil(limit / LOG_PAGE_SIZE);
  return { first: (startPage - 1) * count + 1, last: startPage * count };
}

/**
 * Checks the number of pages against the number of entries, because the position of a window is calculated from the
 * size of a page.
 * @throws ApiError when the service's pages do not have 50 entries
 */
export function ensureLogPageSize(totalPages?: number, totalItems?: number): void {
  if (totalPages === undefined || totalItems === undefined) return;
  if (totalPages === Math.ceil(totalItems / LOG_PAGE_SIZE)) return;
  throw new ApiError({
    message: `Start Page needs pages of ${LOG_PAGE_SIZE} entries, and the service returns ${totalItems} entries on ${totalPages} pages`,
    description: 'Remove Start Page, and choose the entries with Limit and "Since".',
  });
}
