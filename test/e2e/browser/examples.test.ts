import { sampleSize } from 'lodash';
import { listExamples, loadExample } from '../../examples';
import { scaleRuns } from '../../randomness';
import { setCredential } from '../examplesInN8n';
import { RELEASE } from '../installation';
import { versionOf } from '../n8n';
import { Stage } from './stage';

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage?.close());

describe(`examples in n8n ${versionOf(RELEASE)}`, () => {
  test.each(sampleSize(listExamples(), scaleRuns(listExamples().length)))(
    '%s opens, and no node of the package asks for a change',
    async (example) => {
      const workflow = setCredential(loadExample(example, stage.service), stage.credential);
      const { id } = await stage.api.createWorkflow({ ...workflow, active: false });
      await stage.editor.openWorkflow(id);
      const nodes = workflow.nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
      expect(await stage.editor.listNodes()).toEqual(nodes.map(({ name }) => name).sort());
      const ours = nodes.filter(({ type }) => type.startsWith('n8n-nodes-record-database.'));
      const withIssues = await stage.editor.listNodesWithIssues();
      expect(withIssues.filter((name) => ours.some((node) => node.name === name))).toEqual([]);
      await stage.pictureOfCanvas(example);
    },
  );
});
