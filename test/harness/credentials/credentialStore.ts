import '../environment';
import { Credentials } from 'n8n-core';
import type { ICredentialDataDecryptedObject, INodeCredentialsDetails } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

interface Entry {
  id: string;
  name: string;
  type: string;
  /** Encrypted with n8n's own cipher; a promise because encrypting is asynchronous. */
  data: Promise<string>;
}

/** In place of n8n's credentials table: entries are encrypted and read by id and type. */
export class CredentialStore {
  private readonly entries: Entry[] = [];

  async set(
    type: string,
    data: ICredentialDataDecryptedObject,
    details: { id?: string; name?: string } = {},
  ) {
    const id = details.id ?? `${type}-id`;
    const name = details.name ?? `${type} account`;
    const known = this.entries.findIndex((entry) => entry.id === id);
    const entry = { id, name, type, data: encrypt({ id, name }, type, data) };
    if (known === -1) this.entries.push(entry);
    else this.entries[known] = entry;
    await entry.data;
    return { id, name };
  }

  async get(details: INodeCredentialsDetails, type: string): Promise<Credentials> {
    const entry = this.entries.find((candidate) => candidate.id === details.id && candidate.type === type);
    if (!entry) throw new UserError(`Credential with ID "${details.id}" does not exist for type "${type}".`);
    return new Credentials({ id: entry.id, name: entry.name }, type, await entry.data);
  }

  async update(details: INodeCredentialsDetails, type: string, data: ICredentialDataDecryptedObject) {
    const { id, name } = await this.get(details, type);
    await this.set(type, data, { id: id ?? undefined, name });
  }

  /**
   * What the editor does with an imported workflow: a reference to an unknown id is matched by name,
   * and an empty credential field takes the first credential of its type.
   */
  resolve(type: string, reference?: INodeCredentialsDetails): INodeCredentialsDetails | undefined {
    const ofType = this.entries.filter((entry) => entry.type === type);
    const match =
      ofType.find((entry) => entry.id === reference?.id) ??
      ofType.find((entry) => entry.name === reference?.name) ??
      ofType[0];
    return match ? { id: match.id, name: match.name } : reference;
  }
}

async function encrypt(
  nodeCredentials: INodeCredentialsDetails,
  type: string,
  data: ICredentialDataDecryptedObject,
) {
  const credentials = new Credentials(nodeCredentials, type);
  await credentials.setData(data);
  return credentials.getDataToSave().data ?? '';
}
