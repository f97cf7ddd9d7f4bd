/** Access log of the data plane. */
export const KACLS_ACCESS_LOG = {
  message: 'Workspace key service request',
  fields: {
    endpoint: 'text',
    /** number of the key version that was used */
    version: 'integer',
    /** issuer of the token that authenticates the caller */
    issuer: 'text',
    email: 'text',
    /** the user's Workspace address, if it differs */
    workspaceEmail: 'text',
    /** issuer of the token that authorizes the caller */
    authorizationIssuer: 'text',
    authorizationEmail: 'text',
    role: 'text',
    emailType: 'text',
    delegatedTo: 'text',
    ownerDomain: 'text',
    resource: 'text',
    perimeter: 'text',
    messageId: 'text',
    /** reason of the access, as stated by the client */
    reason: 'text',
    /** hash of the evaluated perimeter; `default` for the default perimeter */
    policy: 'text',
    /** the rule that decided: of the perimeter, or of an earlier check */
    rule: 'text',
    /** code of a perimeter's failure */
    policyError: 'text',
    /** another service that was called */
    peer: 'text',
    /** the reason of the domain's refusal */
    refusal: 'text',
  },
  callers: ['workspaceEmail', 'email', 'authorizationEmail', 'peer'],
  levels: {
    endpoint: 'endpoint',
    /** @see Workspace client-side encryption, "Set up your key service": 200 milliseconds at the 99th percentile */
    limitMs: 200,
    objective: 0.99,
  },
} as const
