import type { ToolCall } from '../toolCall';
import { createCalls } from './creates';
import { fieldCalls } from './fields';
import { filterShapeCalls } from './filterShapes';
import { notationCalls } from './notations';
import { operatorCalls } from './operators';
import { signCalls } from './signs';
import { singleRecordCalls } from './singleRecords';
import { tableCalls } from './tables';
import { updateCalls } from './updates';
import { valueCalls } from './values';

/** Calls of tools as language models make them, over the sample application. */
export const corpus: ToolCall[] = [
  ...tableCalls,
  ...fieldCalls,
  ...operatorCalls,
  ...filterShapeCalls,
  ...valueCalls,
  ...createCalls,
  ...updateCalls,
  ...singleRecordCalls,
  ...notationCalls,
  ...signCalls,
];
