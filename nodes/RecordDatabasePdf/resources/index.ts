import type { Resource } from '../../shared/kit/operation/operation';
import { pdfForm } from './pdfForm';
import { pdfPage } from './pdfPage';

export const resources: Resource[] = [pdfPage, pdfForm];
