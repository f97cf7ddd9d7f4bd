import { resourceUri } from '../../../base/ids.ts'

export const uriOfStore = (domain: string, id: string): string =>
  resourceUri(domain, 'keymgr', 'cloud-a-custom-key-store', id)

/** The purpose under which the secret of a key store's credential is sealed. @param id of the credential, not its access key id */
export const credentialPurpose = (id: string): string[] => ['xks-credential', id]
