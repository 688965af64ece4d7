import type { TriggerPanelDefinition } from 'n8n-workflow';

/** What arrives, for whoever has no event yet (spec: Events). */
const SAMPLE =
  '<code>{ "event": "UPDATE", "tableId": "K7pQ2xW9Lm", "tableName": "Customers", "record": { "id": "a1B2c3D4e5", "company": "Example Workshop", "created_at": "2025-03-31 14:30:00" }, "timestamp": "2025-03-31T14:30:05Z" }</code>';

/** Beside the form: how to try the trigger, and what it will put out. */
export const panel: TriggerPanelDefinition = {
  header: 'Change a record in one of the tables',
  executionsHelp: {
    inactive: `Webhooks have two modes: test and production. <br /><br /><b>Use test mode while you build your workflow</b>: press the button of this panel, then create, update or delete a record in the service. The execution shows up here. <br /><br /><b>Publish the workflow to run it by itself</b>: every event then starts an execution. <br /><br />An event looks like this: ${SAMPLE}`,
    active: `<b>The workflow runs by itself</b>: every event starts an execution, to be seen in the <a data-key="executions">executions list</a>. To try changes, press the button of this panel, then create, update or delete a record in the service. <br /><br />An event looks like this: ${SAMPLE}`,
  },
  activationHint: 'Once published, every chosen event in the chosen tables starts this workflow.',
};
