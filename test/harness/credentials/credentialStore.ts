import type { ICredentialDataDecryptedObject, INodeCredentialsDetails } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

interface Entry {
  id: string;
  name: string;
  type: string;
  /** JSON. n8n's server encrypts it; deriving the key for each read would take a twentieth of the tests' time. */
  data: string;
}

/** In place of n8n's credentials table: entries are read by id and type. */
export class CredentialStore {
  private readonly entries: Entry[] = [];

  set(type: string, data: ICredentialDataDecryptedObject, details: { id?: string; name?: string } = {}) {
    const id = details.id ?? `${type}-id`;
    const name = details.name ?? `${type} account`;
    const known = this.entries.findIndex((entry) => entry.id === id);
    const entry = { id, name, type, data: JSON.stringify(data) };
    if (known === -1) this.entries.push(entry);
    else this.entries[known] = entry;
    return { id, name };
  }

  read(details: INodeCredentialsDetails, type: string): ICredentialDataDecryptedObject {
    return JSON.parse(this.get(details, type).data) as ICredentialDataDecryptedObject;
  }

  update(details: INodeCredentialsDetails, type: string, data: ICredentialDataDecryptedObject) {
    const { id, name } = this.get(details, type);
    this.set(type, data, { id, name });
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

  private get(details: INodeCredentialsDetails, type: string): Entry {
    const entry = this.entries.find((candidate) => candidate.id === details.id && candidate.type === type);
    if (!entry) throw new UserError(`Credential with ID "${details.id}" does not exist for type "${type}".`);
    return entry;
  }
}
