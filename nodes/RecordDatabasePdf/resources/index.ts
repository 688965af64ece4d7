/** `resources` lists the resources of the node Record Database PDF, in the order of its form. */
import type { Resource } from '../../n8n/operation/operation';
import { pdfForm } from './pdfForm';
import { pdfPage } from './pdfPage';

export const resources: Resource[] = [pdfPage, pdfForm];
