import type { TriggerPanelDefinition } from 'n8n-workflow';

/** The item of one event (spec: Events). */
const SAMPLE_EVENT =
  '<code>{ "event": "UPDATE", "tableId": "K7pQ2xW9Lm", "tableName": "Customers", "record": { "id": "a1B2c3D4e5", "company": "Example Workshop", "created_at": "2025-03-31 14:30:00" }, "timestamp": "2025-03-31T14:30:05Z" }</code>';

/** The panel beside the form: how to try the trigger, and the item that it returns. */
export const triggerPanel: TriggerPanelDefinition = {
  header: 'Listen, then change a record',
  executionsHelp: {
    inactive: `Webhooks have two modes: test and production. <br /><br /><b>Use test mode while you build your workflow</b>: press the button of this panel, then create, update or delete a record in the service. The execution appears here. <br /><br /><b>Publish the workflow to run it automatically</b>: every event then starts an execution. The service does not send earlier events again. <br /><br />An event looks like this: ${SAMPLE_EVENT}`,
    active: `<b>The workflow runs automatically</b>: every event starts an execution, which the <a data-key="executions">executions list</a> shows. To test changes, press the button of this panel, then create, update or delete a record in the service. <br /><br />An event looks like this: ${SAMPLE_EVENT}`,
  },
  activationHint:
    'Once published, every chosen event in the chosen tables starts this workflow. Events that happen while it is not published are lost.',
};
