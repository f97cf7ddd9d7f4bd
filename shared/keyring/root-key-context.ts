/** Binds a domain's key to its domain: the root key opens it for no other. */
export const rootKeyContext = (domain: string, id: string): Record<string, string> => ({
  'keymgr:domain': domain,
  'keymgr:domain-key': id,
})
