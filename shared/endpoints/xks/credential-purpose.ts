/** What the secret of a key store's credential is sealed as. @param id of the credential, not its access key id */
export const credentialPurpose = (id: string): string[] => ['xks-credential', id]
