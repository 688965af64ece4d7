import { createActionNode } from '../n8n/actionNode';
import type { Resource } from '../n8n/operation/operation';
import { pdfForm } from './resources/pdfForm';
import { pdfPage } from './resources/pdfPage';

export const resources: Resource[] = [pdfPage, pdfForm];

export class RecordDatabasePdf extends createActionNode({
  name: 'recordDatabasePdf',
  displayName: 'Record Database PDF',
  description: 'Make PDF files from pages and forms of the Record Database Service',
  resources,
}) {}
