/** KMS encryption context that binds a domain's key to its domain. */
export const rootKeyContext = (domain: string, id: string): Record<string, string> => ({
  'keymgr:domain': domain,
  'keymgr:domain-key': id,
})
