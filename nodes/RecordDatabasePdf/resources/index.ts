import type { Resource } from '../../n8n/operation/operation';
import { pdfForm } from './pdfForm';
import { pdfPage } from './pdfPage';

export const resources: Resource[] = [pdfPage, pdfForm];
